"""Numbers as a person reads them."""

import math


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


def measure(name: str, value: float) -> str:
    """An accuracy, R^2 or RMSE: ``91.2%``, ``0.913``, ``41,300``."""
    if not math.isfinite(value):
        return "\u2013"
    return f"{value:.1%}" if name == "accuracy" else f"{value:.3f}" if name == "r2" else digits(value)


def points(share: float) -> str:
    """A difference of accuracies: ``3.1 points``."""
    return f"{100 * abs(share):.2g} points"


def less(ratio: float) -> str:
    """How much less error one over ``ratio`` is: ``12 times less``, ``17% less``."""
    return f"{digits(ratio)} times less" if ratio >= 2 else f"{percent(1 - 1 / ratio)} less"


def between(low: float, high: float) -> str:
    """The ends of a 95% interval."""
    if math.isinf(high):
        return f"95% interval from {digits(low)} on, without an upper end"
    return f"95% interval {digits(low)} to {digits(high)}"
