"""The median heuristic: a bandwidth from the data where none is given."""

from numbers import Real
from typing import Literal

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.pairs import NumpyPairs, Rows

Bandwidth = float | Literal["median"]
MOST_ROWS = 1000  # evenly spaced ones stand for all


def check_bandwidth(bandwidth: Bandwidth, factor: float) -> None:
    if bandwidth != "median" and not _positive(bandwidth):
        raise InputError(f"bandwidth must be a positive number or 'median', not {bandwidth!r}.")
    if not _positive(factor):
        raise InputError(f"factor must be a positive number, not {factor!r}.")


def _positive(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf


def median_distance(X: Rows) -> float:
    """The median of |x - z| over pairs of different points; 1 if all points are the same."""
    some = X[:: -(-len(X) // MOST_ROWS)]
    squared = NumpyPairs(some, some).squared_distance[np.triu_indices(len(some), 1)]
    apart = squared[squared > 0]
    return float(np.sqrt(np.median(apart))) if len(apart) else 1.0
