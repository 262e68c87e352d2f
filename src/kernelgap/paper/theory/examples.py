"""The examples under Theorems 2 and 3, and in the conference version: from which d on their inequalities hold.

A power d^(p/q) is compared with whole numbers as d^p with their q-th powers, so that the answers are exact. With the
constants of Theorem 1 numbers become so large that they are kept as logarithms to base 2.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

MOST = 10**200  # where a search for d gives up


def resnet_exponent(alpha: Fraction) -> Fraction:
    """Of d in N_res = k^2 d / alpha^8 (Corollary 7.1), for alpha = d^-alpha.

    >>> resnet_exponent(Fraction(1, 10))
    Fraction(9, 5)
    """
    return 1 + 8 * alpha


def first_d(holds: Callable[[int], bool], least: int) -> int | None:
    """The least d from ``least`` on at which ``holds``, for a statement that stays true once it is; None beyond 10^200.

    Parameters
    ----------
    holds
        The statement.
    least
        Where to begin.

    Examples
    --------
    >>> first_d(lambda d: d**2 > 1000, 1)
    32
    """
    high = max(1, least)
    while not holds(high):
        high *= 2
        if high > MOST:
            return None
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def power_at_most(d: int, exponent: Fraction, bound: Fraction | int) -> bool:
    """Whether d^exponent <= bound, exactly.

    >>> power_at_most(8, Fraction(2, 3), 4), power_at_most(8, Fraction(2, 3), Fraction(399, 100))
    (True, False)
    """
    exponent, bound = Fraction(exponent), Fraction(bound)
    if bound <= 0:
        return False
    p, q = exponent.numerator, exponent.denominator
    return d**p * bound.denominator**q <= bound.numerator**q


def beyond_samples(d: int, k: int, exponent: Fraction, family: Fraction, factor: int = 1) -> bool:
    """Whether (factor * d^exponent)^(k/2) samples are at most the share ``family`` of the C(d, k) targets.

    Theorem 2's share is 1/1000. For fixed k it stays true once it is, if exponent * k/2 < k: the ratio of both sides
    grows from d = max(k, e / (1 - e)) on, where e = exponent / 2.
    """
    allowed = Fraction(math.comb(d, k)) * family
    return power_at_most(d, exponent * k, allowed**2 / Fraction(factor) ** k)


def beyond_features(d1: int, k: int, c: int, family: Fraction = Fraction(1, 1000)) -> bool:
    """Whether D = C(d1, k) / 1000 features are at least d^(2c), the square of a time d^c, where d = 2 d1 (section 7.2).

    For k >= 4c it stays true once it is, as C(d1, k) grows faster than d1^(k/2).
    """
    return math.comb(d1, k) * family >= (2 * d1) ** (2 * c)


def beyond_logarithms(d: int, k: int, exponent: float) -> bool:
    """Whether d^exponent < d^(k/2) / log(d)^k: stays true once it is, from log(d) = k / (k/2 - exponent) on."""
    return (k / 2 - exponent) * math.log(d) > k * math.log(math.log(d))


def beyond_share(d: int, k: int, share: Fraction) -> bool:
    """Whether d^(k/2) samples are at most this share of the C(d, k) targets.

    Parameters
    ----------
    d, k
        Coordinates, and how many of them are hidden.
    share
        For example (1 - 1/k) / 100: then, by bound.sharp and Markov's inequality, 99% of the targets keep a risk above
        alpha^2, as their mean is k alpha^2 (1 - N/C).
    """
    return power_at_most(d, Fraction(k, 2), math.comb(d, k) * share)


def share_of_mean(k: int, risk: Fraction) -> Fraction:
    """The share N/C below which the mean of the best risk, k alpha^2 (1 - N/C), exceeds risk * alpha^2.

    >>> share_of_mean(2, Fraction(1, 16))
    Fraction(31, 32)
    """
    return 1 - risk / k


@dataclass(frozen=True)
class Constants:
    """Theorem 1 on the hard instance as D.4 writes it (labels / sqrt(k)), every hidden constant and C* being 1.

    All as logarithms to base 2: ``size_G`` = k p_G C_s(G), where p_G = 2^k and C_s(G) = (k + 1) |c_k|; ``size_F`` =
    k p_F C_s(F), where p_F = 1 and C_s(F) = 2 sqrt(2d/k).
    """

    k: int

    @property
    def size_G(self) -> float:
        k = self.k
        weight = (k - 0.5) * math.log2(k) + k / 2 - math.lgamma(k + 1) / math.log(2) - k  # of the k-th powers
        return math.log2(k) + k + math.log2(k + 1) + weight

    def size_F(self, log_d: float) -> float:
        return math.log2(self.k) + 1 + (1 + log_d - math.log2(self.k)) / 2

    @property
    def delta(self) -> float:
        """k delta / alpha^4, delta being the least risk of labels / sqrt(k): (k p_G C_s(G))^4 (1 + B_F)^2, B_F = 1."""
        return math.log2(self.k) + 4 * self.size_G + 2

    def first_log_d(self, alpha: Fraction, spare: Fraction = Fraction(1, 10)) -> float:
        """log2 of the d from which on k delta <= alpha^(4 - spare), for alpha = d^-alpha."""
        return self.delta / float(alpha * spare)

    def time_exponent(self, log_d: float, power: Fraction = Fraction(1, 1000)) -> float:
        """log_d of T_res: steps T = size_F^2 / delta^2 times the least width of Table 1 times 3 (d + 2k) + 6.

        alpha = 2^(-a k) d^-power, the a being the least with which Theorem 1's risk is alpha^3.9, and delta that risk.
        """
        log_alpha = min(-10 * self.delta, -float(power) * log_d)
        size_F, log_delta = self.size_F(log_d), 3.9 * log_alpha - math.log2(self.k)
        steps = 2 * size_F - 2 * log_delta
        a_step = math.log2(3) + max(log_d, math.log2(2 * self.k + 2)) + 1
        return (steps + self.least_width(size_F, log_alpha) + a_step) / log_d

    def least_width(self, size_F: float, log_alpha: float) -> float:
        """log2 of the least m at which Table 1 can be met.

        sigma_w must lie between (tau_w m^(-1/8+0.001))^4 and tau_w m^(-1/8-0.001), and between m^-0.49 and m^-0.01;
        sigma_v between 1 and tau_v (m/k)^(3/8), where tau_w = size_F and tau_v = alpha size_G.
        """
        first = 3 * size_F / (4 * (1 / 8 - 0.001) - (1 / 8 + 0.001))
        other = 4 * size_F / (4 * (1 / 8 - 0.001) - 0.01)
        second = math.log2(self.k) - (log_alpha + self.size_G) * 8 / 3
        return max(first, other, second)
