"""What Lemma C.1, Claim C.7, Table 1 and Claim C.6 ask of their parameters, and from which width on it is met.

Where tau_w, tau_v, sigma_w and sigma_v are powers of m, every condition compares two powers: it is linear in log m, met
where slope log10(m) + constant >= 0. Every polylog(m) is taken as 1, which is the least that it can be.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from kernelgap.networks.network import SIGMA_V_POWER, SIGMA_W_POWERS

SLACK = 1e-12  # of a logarithm: an end of a range belongs to it


@dataclass(frozen=True)
class Power:
    """factor m^power."""

    factor: float
    power: float = 0.0

    def at(self, m: float) -> float:
        return self.factor * m**self.power

    def __mul__(self, other: "Power") -> "Power":
        return Power(self.factor * other.factor, self.power + other.power)

    def __pow__(self, exponent: float) -> "Power":
        return Power(self.factor**exponent, self.power * exponent)


def of_m(power: float) -> Power:
    """m^power."""
    return Power(1.0, power)


@dataclass(frozen=True)
class Condition:
    """``text`` says what is asked: that ``small`` is at most ``large``."""

    text: str
    small: Power
    large: Power

    def met(self, m: float) -> bool:
        return self._slope * math.log10(m) + self._constant >= -SLACK

    @property
    def from_log10_m(self) -> float:
        """log10 of the width from which on it is met: minus infinity if always, infinity if at no large width."""
        if self._slope > 0:
            return -self._constant / self._slope
        return -math.inf if self._slope == 0 and self._constant >= -SLACK else math.inf

    @property
    def _slope(self) -> float:
        return self.large.power - self.small.power

    @property
    def _constant(self) -> float:
        return math.log10(self.large.factor) - math.log10(self.small.factor)


def least_tau(sigma_w: Power, sigma_v: Power, k: int) -> tuple[Power, Power]:
    """The lower ends of the ranges of tau_w (beside tau_w >= 1) and of tau_v."""
    return sigma_w * of_m(1 / 8 + 0.001), sigma_v * Power(k ** (3 / 8), -3 / 8)


@dataclass(frozen=True)
class Parameters:
    """tau_w, sigma_w, tau_v, sigma_v as powers of the width, and the number k of outputs."""

    tau_w: Power
    sigma_w: Power
    tau_v: Power
    sigma_v: Power
    k: int

    def of_lemma_c1(self) -> list[Condition]:
        """Lemma C.1's assumptions."""
        least_w, least_v = least_tau(self.sigma_w, self.sigma_v, self.k)
        return [
            Condition("tau_w >= 1", of_m(0.0), self.tau_w),
            Condition("tau_w >= m^(1/8+0.001) sigma_w", least_w, self.tau_w),
            Condition("tau_w <= m^(1/8-0.001) sigma_w^(1/4)", self.tau_w, of_m(1 / 8 - 0.001) * self.sigma_w**0.25),
            Condition("tau_v >= sigma_v (k/m)^(3/8)", least_v, self.tau_v),
            Condition("tau_v <= sigma_v", self.tau_v, self.sigma_v),
        ]

    def of_claim_c7(self) -> list[Condition]:
        """Those, and tau_v <= 1/polylog(m)."""
        return [*self.of_lemma_c1(), Condition("tau_v <= 1", self.tau_v, of_m(0.0))]

    def of_claim_c6(self) -> list[Condition]:
        """Those, the rest of Table 1, and what the proof of Claim C.6 uses beside it: 1/sigma_v <= tau_v^2."""
        low, high = SIGMA_W_POWERS
        return [
            *self.of_claim_c7(),
            Condition("sigma_w >= m^(-1/2+0.01)", of_m(low), self.sigma_w),
            Condition("sigma_w <= m^-0.01", self.sigma_w, of_m(high)),
            Condition("sigma_v >= 1", of_m(0.0), self.sigma_v),
            Condition("sigma_v <= m^(3/8-0.01)", self.sigma_v, of_m(SIGMA_V_POWER)),
            Condition("tau_v^2 >= 1/sigma_v", self.sigma_v**-1, self.tau_v**2),
        ]


def unmet(conditions: Iterable[Condition], m: float) -> list[Condition]:
    return [condition for condition in conditions if not condition.met(m)]


def first_log10_m(conditions: Iterable[Condition]) -> float:
    """log10 of the width from which on all are met; infinity if there is none."""
    return max(condition.from_log10_m for condition in conditions)
