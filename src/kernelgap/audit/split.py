"""Splits of the rows: a test part that is used for nothing else, and nested samples of the pool."""

import numpy as np
from jaxtyping import Int

from kernelgap.seeds import stream

TEST = 0.2  # of all rows
FOLDS = 5  # of the pool: with seed s the fold s, counted round, is for choosing
MOST_TEST, MOST_VALIDATION = 10_000, 5_000

Places = Int[np.ndarray, " _"]


def put_aside(count: int, classes: np.ndarray | None, *, seed: int) -> tuple[Places, Places]:
    """(pool, test): places of rows, classes spread evenly over both."""
    order = spread_evenly(count, classes, stream(seed, "test rows"))
    size = min(round(TEST * count), MOST_TEST)
    return np.sort(order[size:]), np.sort(order[:size])


def sample_rows(count: int, classes: np.ndarray | None, *, samples: int, seed: int) -> tuple[Places, Places]:
    """(training, validation) of a sample of the pool's rows: a fifth of it is for choosing.

    A smaller sample with the same seed is a part of a larger one. Those for choosing come from another fold with each
    seed: in the largest sample, which is the pool, five seeds make five folds.
    """
    fold = _folds(count, classes)
    order = spread_evenly(count, classes, stream(seed, "sample"))
    chosen_by = order[fold[order] == seed % FOLDS]
    learned_from = order[fold[order] != seed % FOLDS]
    size = min(len(chosen_by), round(samples / FOLDS), MOST_VALIDATION)
    return np.sort(learned_from[: samples - size]), np.sort(chosen_by[:size])


def _folds(count: int, classes: np.ndarray | None) -> Places:
    """The fold of each row, the same for all seeds: the rows of a class, however few, are dealt out in turn."""
    order = stream(0, "folds").permutation(count)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(count, dtype=int)
    fold[order] = np.arange(count) % FOLDS
    return fold


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
