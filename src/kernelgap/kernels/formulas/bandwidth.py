"""The median heuristic: a bandwidth from the data where none is given."""

from typing import Literal

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_number
from kernelgap.kernels.pairs import Rows, UpperPairs

Bandwidth = float | Literal["median"]
MOST_ROWS = 1000  # evenly spaced ones stand for all


def check_bandwidth(bandwidth: object) -> Bandwidth:
    if isinstance(bandwidth, str) and bandwidth == "median":
        return "median"
    return check_number(bandwidth, "bandwidth", positive=True, other="'median'")


def median_distance(X: Rows) -> float:
    """The median of |x - z| over pairs of different points; 1 if all points are the same."""
    if not len(X):
        raise InputError("There are no rows to take the median distance of: give some, or give a bandwidth.")
    some = X[:: -(-len(X) // MOST_ROWS)]
    with np.errstate(all="ignore"):
        squared = UpperPairs(some).squared_distance
    if not np.isfinite(squared).all():
        raise InputError("The distances between these inputs overflow, and so does their median: rescale the inputs.")
    apart = squared[squared > 0]
    return float(np.sqrt(np.median(apart))) if len(apart) else 1.0
