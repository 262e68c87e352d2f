"""Samples as training takes them: float32, finite, with matching rows."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int32

from kernelgap.errors import InputError

Arrays = tuple[np.ndarray, np.ndarray]


class Sample(NamedTuple):
    """Inputs, as they are or as a model has prepared them, and labels."""

    x: Float32[np.ndarray, "n _"]
    y: Float32[np.ndarray, "n k"]


def as_samples(sets: Mapping[str, Arrays]) -> dict[str, Sample]:
    """Named (X, Y) pairs, each checked; all of them must have the same columns."""
    samples = {name: _as_sample(name, *pair) for name, pair in sets.items()}
    columns = {(s.x.shape[1], s.y.shape[1]) for s in samples.values()}
    if len(columns) > 1:
        raise InputError(f"The samples {', '.join(samples)} differ in their numbers of columns: {sorted(columns)}.")
    return samples


def _as_sample(name: str, X: np.ndarray, Y: np.ndarray) -> Sample:
    try:
        with np.errstate(over="ignore"):
            X, Y = (np.asarray(a).astype(np.float32) for a in (X, Y))
    except (TypeError, ValueError):
        raise InputError(f"The {name} sample has entries that are not numbers.") from None
    if X.ndim != 2 or Y.ndim != 2 or X.shape[0] != Y.shape[0] or 0 in X.shape or 0 in Y.shape:
        raise InputError(f"The {name} sample needs X (n, d) and Y (n, k) with equal n >= 1, not {X.shape}, {Y.shape}.")
    for letter, values in {"X": X, "Y": Y}.items():
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if bad.size:
            where = f"{letter} of the {name} sample has NaN, infinity or a number too large, first in row {bad[0]}"
            raise InputError(f"{where}: remove, fill or scale it.")
    return Sample(X, Y)


def data_orders(seed: Sequence[int], epochs: range, n: int, rows: int) -> Int32[np.ndarray, "rows n"]:
    """The order in which each epoch visits the sample; it depends on the seed and the epoch alone.

    Rows beyond the epochs are left at 0.
    """
    orders = np.zeros((rows, n), dtype=np.int32)
    for row, epoch in enumerate(epochs):
        orders[row] = np.random.default_rng([*seed, epoch]).permutation(n)
    return orders
