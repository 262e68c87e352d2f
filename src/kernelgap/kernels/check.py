"""Checks of kernels' arguments."""

from numbers import Integral, Real

import numpy as np

from kernelgap.errors import InputError, shown, unknown

PARTS = ("all", "hidden", "last")
DEEPEST = 1000  # layers of a kernel


def check_count(value: object, what: str, least: int = 1, most: int | None = None) -> None:
    """``most`` is what time or memory set a limit to."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{what} must be a whole number of at least {least}, not {shown(value)}.")
    if most is not None and int(value) > most:
        raise InputError(f"{what} must be a whole number of at most {most:,}, not {shown(value)}.")


def check_flag(value: object, what: str) -> None:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{what} must be True or False, not {shown(value)}.")


def check_number(value: object, what: str, positive: bool = False, other: str = "") -> float:
    """A finite number of at least 0, or above it; ``other`` is what might have stood in its place."""
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
    except OverflowError:
        number = np.inf
    if 0 <= number < np.inf and (number > 0 or not positive):
        return number
    kind = "a positive number" if positive else "a number of at least 0"
    raise InputError(f"{what} must be {kind}{f' or {other}' if other else ''}, not {shown(value)}.")


def check_part(train: object) -> None:
    """Which layers' parameters the tangent kernel is over."""
    if not isinstance(train, str) or train not in PARTS:
        raise unknown("part of a network", train, PARTS)
