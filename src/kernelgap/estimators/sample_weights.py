"""Weights of rows: checked, and so taken that a weight of 2 is the same as a row twice."""

from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import _check_sample_weight

from kernelgap.errors import InputError

REPRESENTATIVES = 256  # rows by which a learning rate is chosen


def check_weights(sample_weight: Any, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"] | None:
    """One finite weight for each row, none below 0 and not all 0; None if none are given."""
    if sample_weight is None:
        return None
    if not np.any(sample_weight):
        raise InputError("sample_weight is 0 for every row: nothing is left to learn from.")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise InputError(f"sample_weight must not be negative, and is {weights.min():g} at row {weights.argmin()}.")
    return np.asarray(weights)


def merge_rows(
    X: Float[np.ndarray, "n d"], Y: Float[np.ndarray, "n k"], weights: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, "m d"], Float[np.ndarray, "m k"], Float[np.ndarray, " m"]]:
    """Each distinct row of (X, Y) with the sum of its weights, scaled to the mean 1; rows of weight 0 are left out."""
    kept = weights > 0
    rows, places = np.unique(np.column_stack([X, Y])[kept], axis=0, return_inverse=True)
    total = np.bincount(places.ravel(), weights[kept])
    d = X.shape[1]
    return rows[:, :d], rows[:, d:], total / total.mean()


def representative_rows(X: Float[np.ndarray, "n d"], weights: Float[np.ndarray, " n"]) -> Float[np.ndarray, "m d"]:
    """Rows as often as their weights say."""
    shares = np.cumsum(weights) / weights.sum()
    places = np.searchsorted(shares, (np.arange(REPRESENTATIVES) + 0.5) / REPRESENTATIVES)
    return X[np.minimum(places, len(X) - 1)]
