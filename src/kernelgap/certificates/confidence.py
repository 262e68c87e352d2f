"""An upper confidence limit for the mean of bounded losses, from independent ones: Markov's inequality, exact.

Let R_1 .. R_n be the risks of n independent starts, each in [0, M], with mean mu. Then E prod (M - R_i) = (M - mu)^n,
and prod (M - R_i) >= (M - mu)^n / delta has a probability of delta at most. So with confidence 1 - delta
mu <= M - (delta prod (M - R_i))^(1/n).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log1p, prod

LIMIT_BITS = 60  # the limit is rounded up to M less a multiple of 2^-60
MOST_STARTS = 10**9


def upper_limit(risks: Sequence[Fraction], loss_bound: Fraction, confidence: Fraction) -> Fraction:
    """With this confidence the mean over all starts is at most this number.

    Parameters
    ----------
    risks
        Of independent starts.
    loss_bound
        The greatest risk that there can be.
    confidence
        Below 1.

    Examples
    --------
    >>> float(upper_limit([Fraction(1, 10)] * 5, Fraction(1), Fraction(19, 20)))
    0.5056...
    """
    n = len(risks)
    power = (1 - confidence) * prod((loss_bound - risk for risk in risks), start=Fraction(1))
    scaled = power * 2 ** (LIMIT_BITS * n)
    return loss_bound - Fraction(_root(scaled.numerator // scaled.denominator, n), 2**LIMIT_BITS)


def is_upper_limit(limit: Fraction, risks: Sequence[Fraction], loss_bound: Fraction, confidence: Fraction) -> bool:
    """Whether the inequality supports a limit, checked in whole numbers."""
    if not 0 <= limit <= loss_bound or not 0 < confidence < 1 or any(not 0 <= r <= loss_bound for r in risks):
        return False
    power = (1 - confidence) * prod((loss_bound - risk for risk in risks), start=Fraction(1))
    return (loss_bound - limit) ** len(risks) <= power


def starts_for(risk: Fraction, level: Fraction, loss_bound: Fraction, confidence: Fraction) -> int | None:
    """About how many starts bring the limit under a level if each has this risk; None if none do."""
    if not risk < level <= loss_bound:
        return None
    if level == loss_bound:
        return 1
    # (M - R)^n delta > (M - level)^n
    ratio = log1p(float((level - risk) / (loss_bound - level)))
    needed = -log1p(-float(confidence)) / ratio if ratio > 0 else MOST_STARTS
    return None if needed >= MOST_STARTS else max(1, ceil(needed * (1 + 1e-9)))


def _root(value: int, n: int) -> int:
    """The whole part of the n-th root."""
    low, high = 0, 1 << (value.bit_length() // n + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**n <= value else (low, middle)
    return low
