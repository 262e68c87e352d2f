"""What the ResNet has learned in its first block: out1 against the base signal F, and out against the target H.

Run it: python examples/first_f_then_g.py
"""

import numpy as np

import kernelgap as kg


def mean_squared(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.mean(np.sum((a - b) ** 2, axis=1)))


def main(width: int = 100, epochs: tuple[int, ...] = (5, 20, 80, 800)) -> list[tuple[int, float, float]]:
    problem = kg.problems.get("sec8")
    X, Y = problem.sample(500, seed=0)
    X_new, _ = problem.sample(4000, seed=1)
    rows = []
    print(f"{'epochs':>6}  {'|out1 - F|^2':>12}  {'|out - H|^2':>12}   threshold {problem.threshold:.2f}")
    for count in epochs:
        model = kg.ResNetRegressor(width=width, epochs=count, random_state=0).fit(X, Y)
        first = mean_squared(model.first_output(X_new), problem.base(X_new))
        whole = mean_squared(model.predict(X_new), problem.target(X_new))
        rows.append((count, first, whole))
        print(f"{count:6d}  {first:12.3f}  {whole:12.3f}")
    return rows


if __name__ == "__main__":
    main()
