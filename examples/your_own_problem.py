"""A problem of your own: a hard instance with a background, and who gets under its threshold.

Run it: python examples/your_own_problem.py
"""

import numpy as np

import kernelgap as kg


def main(samples: int = 400, epochs: int = 400) -> dict[str, float]:
    # Four of the first 12 coordinates matter; the other 8 inputs repeat one random sign.
    problem = kg.problems.hard(d=20, k=4, alpha=0.5, d1=12, background="repeated", seed=1)
    X, Y = problem.sample(samples, seed=0)
    X_new, Y_new = problem.sample(4000, seed=1)
    scale = 1 / problem.scale  # the cube's points are unit vectors; networks like entries of size 1
    risks = {}
    for name, model in {
        "3resnet": kg.ResNetRegressor(width=100, epochs=epochs, random_state=0),
        "3resnet, linearised": kg.ResNetRegressor(width=100, train="ntk", epochs=epochs, random_state=0),
        "2layer": kg.TwoLayerRegressor(width=100, epochs=epochs, random_state=0),
    }.items():
        predictions = model.fit(scale * X, Y).predict(scale * X_new)
        risks[name] = float(np.mean(np.sum((predictions - Y_new) ** 2, axis=1)))
    print(f"{problem}")
    for name, risk in risks.items():
        print(f"{name:20} risk {risk:.3f} ({'under' if risk < problem.threshold else 'above'} the threshold)")
    return risks


if __name__ == "__main__":
    main()
