"""Repeats in words: a median with its range."""

import math
from collections.abc import Sequence

import numpy as np


def median(values: Sequence[float | None]) -> float:
    """The median of repeats; None, of one that diverged or never got there, counts as infinite."""
    return float(np.median(_finite_or_not(values)))


def median_and_range(values: Sequence[float | None], digits: str = ".2g") -> str:
    """The median with the least and the greatest.

    Parameters
    ----------
    values
        One of each repeat; None stands for one that diverged.
    digits
        How numbers are written.

    Examples
    --------
    >>> median_and_range([0.3, 0.1, None])
    '0.3 (0.1 to diverged)'
    """
    numbers = _finite_or_not(values)
    middle, low, high = (_text(value, digits) for value in (median(values), min(numbers), max(numbers)))
    return f"{middle} ({low} to {high})"


def _finite_or_not(values: Sequence[float | None]) -> list[float]:
    return [math.inf if value is None else value for value in values]


def _text(value: float, digits: str) -> str:
    return format(value, digits) if math.isfinite(value) else "diverged"
