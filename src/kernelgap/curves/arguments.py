"""Numbers of samples and ridges, as they are asked for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal

import numpy as np

from kernelgap.errors import InputError, shown
from kernelgap.rows import check_finite

BEST: Literal["best"] = "best"


def check_asked(n: np.ndarray, ridge: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """The ridges as asked for, then n and ridges in one shape; without ridges where the best ones are asked for."""
    if isinstance(ridge, str):
        if ridge != BEST:
            raise InputError(f"ridge must be a number, numbers or 'best', not {shown(ridge)}.")
        return BEST, n, None
    asked = check_numbers("ridge", ridge, least=0.0)
    try:
        first, second = np.broadcast_arrays(n, asked)
    except ValueError:
        raise InputError(
            f"n of the shape {n.shape} and ridge of the shape {asked.shape} do not fit together."
        ) from None
    return asked, first, second


@dataclass(frozen=True)
class Predictions:
    """Numbers at each number of samples and ridge.

    All have the shape of ``n`` and ``ridge``, broadcast against each other; where both were single numbers, the
    attributes are numbers too.

    Attributes
    ----------
    kernel
        The kernel's text; a bandwidth that was the median distance is that of the inputs.
    n, ridge
        The numbers of samples, and the ridges on the scale of K: the best ones, if those were asked for.
    test_error, train_error
        The errors against labels, noise included, on fresh samples and on the training samples.
    effective_dimension
        sum L over all functions: at most n.
    overfitting
        E0, by which noise and what is not learned are amplified.
    asked_ridge
        The ridges as they were asked for, or "best".
    """

    kernel: str
    n: Any
    ridge: Any
    test_error: Any
    train_error: Any
    effective_dimension: Any
    overfitting: Any
    asked_ridge: Any = field(repr=False)


def check_number(name: str, value: object, least: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= float(value) < math.inf:
        raise InputError(f"{name} must be a finite number of at least {least:g}, not {shown(value)}.")
    return float(value)


def check_numbers(name: str, values: object, least: float, most: float = math.inf) -> np.ndarray:
    """One number or many, all finite and within the bounds."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number or numbers, not {shown(values)}.") from None
    if not numbers.size:
        raise InputError(f"{name} is empty: give at least one number.")
    check_finite(np.atleast_1d(numbers), name)
    if numbers.min() < least or numbers.max() > most:
        limits = f"at least {least:g}" + (f" and at most {most:g}" if math.isfinite(most) else "")
        wrong = numbers.min() if numbers.min() < least else numbers.max()
        raise InputError(f"{name} must be {limits}, not {wrong:g}.")
    return numbers


def in_shape(shape: tuple[int, ...], values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """A value for each point, and what else that has, in the shape that was asked for; a single point as a number."""
    shaped = {name: each.reshape(shape + each.shape[1:]) for name, each in values.items()}
    return {name: float(each) if each.ndim == 0 else each for name, each in shaped.items()}


def one_ridge(asked: Any) -> float | None:
    """The one ridge that was asked for, or None for the best ones; with several, no need can be stated."""
    if isinstance(asked, str):
        return None
    ridges = np.unique(asked)
    if len(ridges) != 1:
        raise InputError("samples_for takes one ridge, or ridge='best': predict the curve with that.")
    return float(ridges[0])
