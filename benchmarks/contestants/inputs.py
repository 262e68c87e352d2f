"""The same inputs for every contestant."""

import numpy as np

D, OUTPUTS, NOISE = 30, 15, 0.1
RIDGES = np.geomspace(1e-4, 10.0, 30)
BANDWIDTH = float(np.sqrt(2 * D / 3))  # the root of the mean squared distance of two points in [-1, 1]^D
FOLDS, NEW = 5, 500


def points(samples: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((samples, d))


def regression(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X and Y, smooth functions of directions and noise; and new samples to predict."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (samples + NEW, D))
    along, across = (rng.standard_normal((D, OUTPUTS)) / np.sqrt(D / 3) for _ in range(2))
    Y = np.sin(2 * X @ along) + (X @ across) ** 2 / 2 + NOISE * rng.standard_normal((len(X), OUTPUTS))
    return X[:samples], Y[:samples], X[samples:]


def splits(samples: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """kernelgap's folds for random_state=0, as scikit-learn takes them: (kept, held out)."""
    order = np.random.RandomState(0).permutation(samples)
    return [(np.setdiff1d(order, part), part) for part in np.array_split(order, FOLDS)]
