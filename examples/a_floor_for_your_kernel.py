"""How well could your own kernel, or your own features, ever do? Exact floors, before any training.

The target hides a product of 3 of 12 coordinates. For a kernel and a feature map of our own, the least risk over all
weights is computed for every choice of the 3, beside what no kernel and no features can get under.
"""

import numpy as np

import kernelgap as kg


def heat_kernel(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Any symmetric positive semi-definite function of two tables of rows."""
    return np.exp(3.0 * X @ Z.T)


def products_of_two(X: np.ndarray) -> np.ndarray:
    """Any map to features: here 1, the coordinates and their products in pairs."""
    first, second = np.triu_indices(X.shape[1], 1)
    return np.hstack([np.ones((len(X), 1)), X, X[:, first] * X[:, second]])


def main(samples: int = 60) -> dict[str, float]:
    problem = kg.problems.hard(d=12, k=3, alpha=0.5)
    X, _ = problem.sample(samples, seed=0)
    of_kernel = kg.certificates.oracle_risks(problem, kg.kernels.from_function(heat_kernel), X)
    of_features = kg.certificates.feature_risks(problem, products_of_two)
    answer = {
        "threshold": problem.threshold,
        "heat kernel, mean over all targets": of_kernel.mean,
        "any scalar kernel with as many samples": kg.certificates.any_kernel(problem, samples).mean_risk,
        "products of two, mean over all targets": of_features.mean,
        "any map to as many features": kg.certificates.any_kernel(problem, of_features.n).mean_risk,
    }
    for name, risk in answer.items():
        print(f"{name:40} {risk:.3f}")
    return answer


if __name__ == "__main__":
    main()
