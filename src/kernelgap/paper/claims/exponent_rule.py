"""The rule for exponents: a bound holds if the whole interval keeps to it, fails if the whole interval breaks it."""

from collections.abc import Mapping

from kernelgap.paper.claims.claim import Outcome


def judge_exponent(fit: Mapping[str, float], *, at_most: float | None = None, at_least: float | None = None) -> Outcome:
    """What a fitted exponent says of a bound on it.

    Parameters
    ----------
    fit
        The exponent with its interval: "low" and "high".
    at_most, at_least
        The bound, from above or from below.

    Examples
    --------
    >>> judge_exponent({"low": 0.8, "high": 1.1}, at_most=1)
    'undecided'
    """
    if (at_most is None) == (at_least is None):
        raise ValueError("A bound is from above or from below.")
    low, high = fit["low"], fit["high"]
    if at_least is not None:
        low, high, at_most = -high, -low, -at_least
    assert at_most is not None
    return "holds" if high <= at_most else "fails" if low > at_most else "undecided"


def worst(*outcomes: Outcome) -> Outcome:
    """Of a claim with several parts: it fails with one of them, and holds with all of them."""
    return next((outcome for outcome in ("fails", "undecided") if outcome in outcomes), "holds")
