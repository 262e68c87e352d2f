"""Numbers as a person reads them, and as JSON holds them."""

import math
from typing import TypeVar

T = TypeVar("T")


def digits(value: float) -> str:
    """Three of them: ``0.0213``, ``1.5``, ``41,300``, ``88.7 million``."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "infinitely many" if value > 0 else "none"
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if abs(value) >= size:
            return f"{digits(value / size)} {name}" if value < 1e15 else f"{value:.2e}"
    if abs(value) < 1e-4:
        return f"{value:.2e}"
    rounded = round(value, 2 - math.floor(math.log10(abs(value))))
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.3g}"


def percent(share: float) -> str:
    """``17%``, ``0.4%``."""
    return f"{100 * share:.0f}%" if abs(share) >= 0.0995 or share == 0 else f"{100 * share:.2g}%"


def points(share: float) -> str:
    """A difference of accuracies: ``3.1 points``."""
    return f"{100 * abs(share):.2g} points"


def finite_or_none(value: T) -> T | None:
    """The value; None for an infinite one or NaN, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
