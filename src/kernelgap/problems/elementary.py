"""The functions that activations are sums of, each with its Taylor series at 0 in closed form.

exp, sin, cos, sinh, cosh, the powers z^n and the powers tanh(z)^n: with their multiples and inner scales they are
closed under taking derivatives, so that an activation's derivative is again an activation. The lowering
L f = (f - f(0)) / z shifts a series by one order and is closed as well: D L^n f = L^n D f - n L^(n+1) f.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.special import gammaln, zeta

# sign of the i-th coefficient of each entire function, by i mod 4; its size is 1/i!
_ENTIRE = {"exp": (1, 1, 1, 1), "sin": (0, 1, 0, -1), "cos": (1, 0, -1, 0), "sinh": (0, 1, 0, 1), "cosh": (1, 0, 1, 0)}
_DERIVATIVES = {"exp": (1, "exp"), "sin": (1, "cos"), "cos": (-1, "sin"), "sinh": (1, "cosh"), "cosh": (1, "sinh")}
# Nearer to 0 than this, lowered functions are evaluated by their series; farther away by their definition.
_NEAR = 1.0

KINDS = (*_ENTIRE, "tanh", "power")


@dataclass(frozen=True)
class Term:
    """weight * (L^lowered f)(z) with f(z) = kind(scale z)^power; for the kind "power", f(z) = (scale z)^power."""

    weight: float
    kind: str
    scale: float = 1.0
    power: int = 1
    lowered: int = 0

    def __call__(self, z: Any, xp: ModuleType) -> Any:
        u = self.scale * z
        if self.kind == "power":
            n = self.power - self.lowered
            return self.weight * self.scale**self.lowered * (u**n if n >= 0 else 0.0 * u)
        if self.lowered == 0:
            return self.weight * self._plain(u, xp)
        near = xp.abs(u) < _NEAR
        far = xp.where(near, 1.0, u)  # keeps the quotient, and its gradient, finite where it is not used
        first = replace(self, weight=1.0, scale=1.0, lowered=0).coefficients(self.lowered - 1)
        quotient = (self._plain(far, xp) - _horner(first, far)) / far**self.lowered
        series = _horner(self._near_series(), xp.where(near, u, 0.0))
        return self.weight * self.scale**self.lowered * xp.where(near, series, quotient)

    def _plain(self, u: Any, xp: ModuleType) -> Any:
        function: Callable[[Any], Any] = getattr(xp, self.kind)
        return function(u) if self.power == 1 else function(u) ** self.power

    def _near_series(self) -> Float[np.ndarray, " orders"]:
        # tanh: (2/pi)^120 < 1e-23; the entire ones: 1/30! < 1e-32
        return replace(self, weight=1.0, scale=1.0).coefficients(120 * self.power if self.kind == "tanh" else 30)

    @property
    def radius(self) -> float:
        """Radius of convergence: tanh has its nearest poles at +-i pi/2."""
        return math.pi / 2 / abs(self.scale) if self.kind == "tanh" else math.inf

    @property
    def degree(self) -> int | None:
        """The degree of a polynomial; None if the series does not end."""
        return max(self.power - self.lowered, 0) if self.kind == "power" else None

    def derivative(self) -> tuple["Term", ...]:
        """D L^n f = L^n D f - n L^(n+1) f."""
        terms: list[Term] = []
        rate = self.weight * self.scale
        if self.kind in _DERIVATIVES:
            sign, kind = _DERIVATIVES[self.kind]
            terms.append(replace(self, weight=sign * rate, kind=kind))
        elif self.kind == "power" and self.power > 0:
            terms.append(replace(self, weight=rate * self.power, power=self.power - 1))
        elif self.kind == "tanh":  # n tanh^(n-1) (1 - tanh^2)
            n = self.power
            below = replace(self, power=n - 1) if n > 1 else replace(self, kind="power", power=0)
            terms += [replace(below, weight=rate * n), replace(self, weight=-rate * n, power=n + 1)]
        if self.lowered:
            terms.append(replace(self, weight=-self.lowered * self.weight, lowered=self.lowered + 1))
        return tuple(term for term in terms if term.weight != 0 and not term._vanishes)

    @property
    def _vanishes(self) -> bool:
        return self.kind == "power" and self.power < self.lowered

    def coefficients(self, degree: int) -> Float[np.ndarray, " orders"]:
        """c_0 ... c_degree."""
        orders = np.arange(degree + self.lowered + 1)
        if self.kind == "power":
            plain = np.where(orders == self.power, self.scale**self.power, 0.0)
        elif self.kind == "tanh":
            # (2 scale / pi)^i carries the decay, so that the rest neither over- nor underflows
            plain = self._tanh_scaled(len(orders) - 1) * (2 * self.scale / math.pi) ** orders
        else:
            ratios = np.concatenate([[1.0], self.scale / orders[1:]])
            plain = np.array(_ENTIRE[self.kind])[orders % 4] * np.cumprod(ratios)
        return self.weight * plain[self.lowered :]

    def log_coefficients(self, degree: int) -> tuple[Float[np.ndarray, " orders"], Int[np.ndarray, " orders"]]:
        """log |c_i| (minus infinity where c_i = 0) and the sign of c_i, also far below the smallest float."""
        orders = np.arange(degree + self.lowered + 1)
        with np.errstate(divide="ignore"):
            if self.kind == "power":
                signs = np.where(orders == self.power, 1, 0)
                logs = np.zeros(len(orders))
            elif self.kind == "tanh":
                scaled = self._tanh_scaled(len(orders) - 1)
                signs = np.sign(scaled).astype(int)
                logs = np.log(np.abs(scaled)) + orders * math.log(2 / math.pi)
            else:
                signs = np.array(_ENTIRE[self.kind])[orders % 4]
                logs = -gammaln(orders + 1.0)
            logs = logs + orders * math.log(abs(self.scale)) + math.log(abs(self.weight))
        signs = signs * (np.sign(self.scale) ** orders).astype(int) * int(np.sign(self.weight))
        return np.where(signs == 0, -np.inf, logs)[self.lowered :], signs[self.lowered :]

    def _tanh_scaled(self, degree: int) -> Float[np.ndarray, " orders"]:
        """c_i (pi/2)^i of tanh^power. For tanh c_(2n-1) = (-1)^(n-1) 2 (2/pi)^(2n) sum over odd j of j^(-2n).

        All terms of each sum have one sign, so powers lose no accuracy either.
        """
        orders = np.arange(degree + 1)
        even = (orders + 1.0)[1::2]
        single = np.zeros(degree + 1)
        single[1::2] = (-1.0) ** np.arange(len(even)) * (4 / math.pi) * zeta(even) * (1 - 2.0**-even)
        product = single
        for _ in range(self.power - 1):
            product = np.convolve(product, single)[: degree + 1]
        return product

    def log_majorant(self, r: float) -> float:
        """log sum_i |c_i| r^i, or for a lowered series a bound on it; infinite outside the radius of convergence."""
        u = abs(self.scale) * r
        if self.kind == "power":
            logs = _log(u) * self.power if self.power else 0.0
        elif self.kind == "tanh":
            logs = self.power * _log(math.tan(u)) if u < math.pi / 2 else math.inf
        elif self.kind in ("sin", "sinh"):
            logs = u + _log(-math.expm1(-2 * u)) - math.log(2)
        elif self.kind in ("cos", "cosh"):
            logs = u + math.log1p(math.exp(-2 * u)) - math.log(2)
        else:
            logs = u
        return math.log(abs(self.weight)) + logs - (self.lowered * _log(r) if self.lowered else 0.0)

    def only_zero_and_odd(self) -> bool:
        """No even order of the series but 0."""
        if self.kind == "power":
            order = self.power - self.lowered
            return order <= 0 or order % 2 == 1
        odd = (self.power % 2 == 1) if self.kind == "tanh" else self.kind in ("sin", "sinh")
        even = (self.power % 2 == 0) if self.kind == "tanh" else self.kind in ("cos", "cosh")
        return (odd and self.lowered % 2 == 0) or (even and self.lowered % 2 == 1)

    def parts(self) -> tuple[tuple["Term", ...], tuple["Term", ...]]:
        """The orders 0, 1, 3, 5, ... and the orders 2, 4, 6, ... lowered by one."""
        if self.only_zero_and_odd():
            return (self,), ()
        if self.kind == "exp":
            first = math.factorial(self.lowered)
            odd, even = ("sinh", "cosh") if self.lowered % 2 == 0 else ("cosh", "sinh")
            constant = Term(self.weight * self.scale**self.lowered / first, "power", 1.0, 0)
            return (replace(self, kind=odd), constant), (replace(self, kind=even, lowered=self.lowered + 1),)
        value = float(self.coefficients(0)[0])
        constants = (Term(value, "power", 1.0, 0),) if value else ()
        return constants, (replace(self, lowered=self.lowered + 1),)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _horner(coefficients: Float[np.ndarray, " orders"], u: Any) -> Any:
    value = 0.0 * u
    for c in coefficients[::-1]:
        value = value * u + float(c)
    return value
