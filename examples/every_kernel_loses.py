"""Every kernel against one small ResNet, on the target of section 8.1: who gets under the threshold?"""

import numpy as np

import kernelgap as kg

KERNELS = ("gaussian", "laplace", "arcsin(bias=True)", "recursive", "ck2", "ck3", "ntk2", "ntk3", "ntk3res")


def main(samples: int = 500, epochs: int = 800) -> dict[str, float]:
    problem = kg.problems.get("sec8")
    X, Y = problem.sample(samples, seed=0)
    X_new, Y_new = problem.sample(5000, seed=1)
    models = {name: kg.KernelRegressor(name, random_state=0) for name in KERNELS}
    models["ResNet of width 100"] = kg.ResNetRegressor(width=100, epochs=epochs, random_state=0)
    risks = {}
    print(f"threshold: {problem.threshold:.3f}")
    for name, model in models.items():
        risks[name] = float(np.mean(np.sum((model.fit(X, Y).predict(X_new) - Y_new) ** 2, axis=1)))
        print(f"{name}: {risks[name]:.3f}")
    return risks


if __name__ == "__main__":
    main()
