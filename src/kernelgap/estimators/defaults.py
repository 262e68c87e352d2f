"""Default decays and search grids of the regressors (rates: training/rates.py), and checks of numbers."""

from collections.abc import Mapping
from itertools import product
from numbers import Real
from typing import Any

import numpy as np

from kernelgap.errors import InputError

REFERENCE_DECAY = {"all": 0.0375, "hidden": 0.005}  # divided by sqrt(width); measured on section 8.1
LINEAR_DECAY = 1e-4


def is_number(value: object) -> bool:
    """A finite real number, not a truth value."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))
    except OverflowError:  # a whole number beyond the largest float
        return False


def is_auto(value: object) -> bool:
    """Whether a setting is "auto"; ``==`` alone fails for an array."""
    return isinstance(value, str) and value == "auto"


def as_numbers(y: np.ndarray) -> np.ndarray:
    """Targets as columns of numbers, (n, outputs); texts that are none are refused."""
    try:
        return y.reshape(len(y), -1).astype(float)
    except (TypeError, ValueError):
        raise InputError("y must hold numbers to regress on: for labels take a classifier.") from None


def default_decay(mode: str, width: int) -> float:
    """Wider networks have smaller weights and want less decay; the linear modes take a small constant one."""
    return REFERENCE_DECAY[mode] / width**0.5 if mode in REFERENCE_DECAY else LINEAR_DECAY


def search_grid(search: bool | Mapping[str, Any], rate: float, decay: float) -> list[tuple[float, float]]:
    """Pairs to try: the user's lists, or a factor of two around the rate and of ten around the decay."""
    names = ("learning_rate", "weight_decay")
    if search is True:
        search = {}
    if not isinstance(search, Mapping) or not set(search) <= set(names):
        raise InputError(f"search must be True, False or lists named {' and '.join(names)}, not {search!r}.")
    lists = {
        "learning_rate": [rate * f for f in (0.5, 0.7, 1.0, 1.4)],
        "weight_decay": [decay * f for f in (0.1, 0.3, 1.0, 3.0, 10.0)],
    }
    for name in search:
        values = list(np.atleast_1d(search[name]))
        if not values or not all(is_number(v) and v >= 0 for v in values):
            raise InputError(f"search needs a list of numbers that are not negative for {name}, not {search[name]!r}.")
        lists[name] = [float(v) for v in values]
    return list(product(lists["learning_rate"], lists["weight_decay"]))
