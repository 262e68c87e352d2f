"""Weights of rows: checked, and taken so that a weight of 2 is the same as a row twice."""

from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import _check_sample_weight

from kernelgap.errors import InputError

MOST_REPEATED = 20  # times as many rows as there were
REPRESENTATIVES = 256  # rows by which a learning rate is chosen


def check_weights(sample_weight: Any, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"] | None:
    """One finite weight for each row, none below 0 and not all 0; None if none are given."""
    if sample_weight is None:
        return None
    if not np.asarray(sample_weight).any():
        raise InputError("Every sample_weight is zero: nothing is left to learn from.")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise InputError(f"sample_weight must not be negative, and is {weights.min():g} at row {weights.argmin()}.")
    return np.asarray(weights)


def repeat_rows(
    X: Float[np.ndarray, "n d"], Y: Float[np.ndarray, "n k"], weights: Float[np.ndarray, " n"] | None
) -> tuple[Float[np.ndarray, "m d"], Float[np.ndarray, "m k"], Float[np.ndarray, " m"] | None]:
    """Rows as often as small whole weights say, none then being left; other weights are scaled to the mean 1.

    Where rows repeat they are sorted, so that it is the same who repeats them.
    """
    if weights is not None:
        whole = bool((weights == np.round(weights)).all()) and weights.sum() <= MOST_REPEATED * len(X)
        if not whole:
            return X, Y, weights / weights.mean()
        times = weights.astype(int)
        X, Y = X.repeat(times, axis=0), Y.repeat(times, axis=0)
    rows = np.column_stack([X, Y])
    order = np.lexsort(rows.T)
    repeated = bool((rows[order][1:] == rows[order][:-1]).all(axis=1).any())
    return (X[order], Y[order], None) if repeated else (X, Y, None)


def representative_rows(X: Float[np.ndarray, "n d"], weights: Float[np.ndarray, " n"]) -> Float[np.ndarray, "m d"]:
    """Rows as often as their weights say."""
    shares = np.cumsum(weights) / weights.sum()
    places = np.searchsorted(shares, (np.arange(REPRESENTATIVES) + 0.5) / REPRESENTATIVES)
    return X[np.minimum(places, len(X) - 1)]
