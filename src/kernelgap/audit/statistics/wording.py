"""Errors, ratios and intervals of an audit as a person reads them."""

import math

from kernelgap.number_text import digits, percent


def measure(name: str, value: float) -> str:
    """An accuracy, R^2 or RMSE: ``91.2%``, ``0.913``, ``41,300``."""
    if not math.isfinite(value):
        return "\u2013"
    return f"{value:.1%}" if name == "accuracy" else f"{value:.3f}" if name == "r2" else digits(value)


def less(ratio: float) -> str:
    """How much less error one over ``ratio`` is: ``12 times less``, ``17% less``."""
    return f"{digits(ratio)} times less" if ratio >= 2 else f"{percent(1 - 1 / ratio)} less"


def between(low: float, high: float) -> str:
    """The ends of a 95% interval."""
    if math.isinf(high):
        return f"95% interval from {digits(low)} on, without an upper end"
    return f"95% interval {digits(low)} to {digits(high)}"
