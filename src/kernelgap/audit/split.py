"""Which rows are for what: a test part that nobody learns from or chooses by, and nested samples of the others."""

import numpy as np
from jaxtyping import Int

TEST = 0.2  # of all rows
VALIDATION = 0.2  # of a sample
MOST_TEST, MOST_VALIDATION = 10_000, 5_000

Places = Int[np.ndarray, " n"]


def test_rows(count: int, classes: np.ndarray | None, *, seed: int) -> tuple[Places, Places]:
    """(pool, test): places of rows, classes spread evenly over both."""
    order = spread_evenly(count, classes, np.random.default_rng([seed, 0]))
    size = min(round(TEST * count), MOST_TEST)
    return np.sort(order[size:]), np.sort(order[:size])


def sample_rows(count: int, classes: np.ndarray | None, *, samples: int, seed: int) -> tuple[Places, Places]:
    """(training, validation) of a sample of the pool's rows: a fifth of it is for choosing.

    A smaller sample with the same seed is a part of a larger one.
    """
    sample = spread_evenly(count, classes, np.random.default_rng([seed, 1]))[:samples]
    order = spread_evenly(samples, None if classes is None else classes[sample], np.random.default_rng([seed, 2]))
    size = validation_size(samples)
    return sample[np.sort(order[size:])], sample[np.sort(order[:size])]


def validation_size(samples: int) -> int:
    return min(round(VALIDATION * samples), MOST_VALIDATION)


def spread_evenly(count: int, classes: np.ndarray | None, rng: np.random.Generator) -> Places:
    """A random order. With classes, each stretch of it has about as large a share of each class as the whole.

    The rows of a class, in random order, stand at even distances: the i-th of n at (i + 1/2) / n.
    """
    order = rng.permutation(count)
    if classes is None:
        return order
    places = np.empty(count)
    for name in np.unique(classes):
        rows = order[classes[order] == name]
        places[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return order[np.argsort(places[order], kind="stable")]
