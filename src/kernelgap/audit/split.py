"""Which rows are for what: a test part that nobody learns from or chooses by; training and validation of each seed."""

import numpy as np
from jaxtyping import Int
from sklearn.model_selection import train_test_split

TEST, VALIDATION = 0.2, 0.2  # of all rows; of the others
MOST_TEST, MOST_VALIDATION = 10_000, 5_000

Places = Int[np.ndarray, " n"]


def test_rows(count: int, classes: np.ndarray | None, *, seed: int) -> tuple[Places, Places]:
    """(pool, test): places of rows. Classes, where there are any, are spread evenly."""
    return _halves(np.arange(count), classes, min(round(TEST * count), MOST_TEST), seed)


def learning_rows(count: int, classes: np.ndarray | None, *, seed: int) -> tuple[Places, Places]:
    """(training, validation) of the pool, another split for each seed. The training rows are in random order.

    Their first N are the sample of size N, so that smaller ones are parts of larger ones.
    """
    return _halves(np.arange(count), classes, validation_size(count), seed)


def validation_size(count: int) -> int:
    return min(round(VALIDATION * count), MOST_VALIDATION)


def _halves(rows: Places, classes: np.ndarray | None, size: int, seed: int) -> tuple[Places, Places]:
    if classes is not None:
        counts = np.unique(classes, return_counts=True)[1]
        if counts.min() < 2 or size < len(counts):  # too few of a class to have it on both sides
            classes = None
    kept, out = train_test_split(rows, test_size=size, random_state=seed, shuffle=True, stratify=classes)
    return np.asarray(kept), np.asarray(out)
