"""Lemma E.2, indicator to function: an h with E[1[<w,x> >= 0] h(<w,w*>)] = phi(<w*,x>) over Gaussian w.

h is a series of probabilists' Hermite polynomials: h_0 = 1, h_1 = z, h_(i+1)(z) = z h_i(z) - i h_(i-1)(z), with
E h_i h_j = i! [i = j] under N(0, 1). (The factor sqrt(2 pi) beside i! in the proof of Lemma E.2 belongs to the integral
without the normal density's own factor.)
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.polynomial import hermite_e
from scipy.special import factorial2, ndtr

from kernelgap.errors import InputError

# Beyond it the normal density times any series in use is below the smallest float.
_FAR = 40.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)

Values = Float[np.ndarray, "..."] | float


def hermite(i: int, z: Values) -> Values:
    """h_i(z)."""
    return hermite_e.hermeval(z, np.eye(i + 1)[i])


def half_line_mean(i: int) -> float:
    """p'_i = E[h_i(z) 1[z >= 0]] for z ~ N(0, 1): h_(i-1)(0) / sqrt(2 pi), as (h_(i-1) phi)' = -h_i phi.

    This is Claim E.3's constant: a unit vector x with first coordinate x_1 and a Gaussian w with first coordinate
    alpha_1 satisfy E[h_i(alpha_1) 1[<x, w> >= 0]] = p'_i x_1^i, because E[h_i(alpha_1) | <x, w>] = x_1^i h_i(<x, w>).
    It is 0 for even i >= 2, and of size (i-2)!! / sqrt(2 pi) for odd i.

    >>> [round(half_line_mean(i), 4) for i in range(6)]
    [0.5, 0.3989, 0.0, -0.3989, 0.0, 1.1968]
    """
    if i == 0:
        return 0.5
    if i % 2 == 0:
        return 0.0
    return float((-1.0) ** (i // 2) * factorial2(i) / i) / math.sqrt(2 * math.pi)


def printed_lower_bound(i: int) -> float:
    """(i-1)!! / 4, which Claim E.3 prints as a lower bound of |p'_i|. It is not one from i = 3 on."""
    return float(factorial2(i - 1)) / 4


def largest(i: int, bound: float) -> float:
    """max |h_i(z)| over |z| <= bound: at an end, or where h_i' = i h_(i-1) vanishes."""
    if bound <= 0:
        raise InputError(f"A bound on |z| must be positive, not {bound}.")
    inner = hermite_e.hermegauss(i - 1)[0] if i > 1 else np.array([])
    points = np.concatenate([[bound], inner[np.abs(inner) < bound]])
    return float(np.abs(hermite(i, points)).max())


def odd_series(coefficients: Any) -> Float[np.ndarray, " orders"]:
    """Taylor coefficients with only zero-order and odd-order terms; others are refused.

    Without a random bias under the indicator p'_2 = p'_4 = ... = 0, so that no h can bring an even power about.
    """
    c = np.asarray(coefficients, dtype=float)
    if c.ndim != 1 or not len(c) or not np.all(np.isfinite(c)):
        raise InputError("Taylor coefficients must be a list of finite numbers c_0, c_1, ...")
    if np.any(c[2::2] != 0):
        raise InputError("Appendix E asks for functions whose Taylor series has only zero-order and odd-order terms.")
    return c


@dataclass(frozen=True)
class Indicator:
    """h(z) = 2 c_0 + sum over odd i of c'_i h_i(z cut off at +-B_i), with c'_i = c_i / p'_i.

    ``coefficients`` are phi's Taylor coefficients c_0, c_1, 0, c_3, ...; ``epsilon`` is the error that is allowed.
    B_i = shrink (100 sqrt(i) + 10 sqrt(log 1/epsilon)), where the paper has ``shrink`` 1.

    >>> h = Indicator((0.0, 1.0, 0.0, -1 / 6), epsilon=0.01)   # z - z^3/6
    >>> [round(float(v), 6) for v in h.mean(np.array([-1.0, 0.3, 1.0]))]
    [-0.833333, 0.2955, 0.833333]
    """

    coefficients: tuple[float, ...]
    epsilon: float
    shrink: float = 1.0

    def __post_init__(self) -> None:
        odd_series(self.coefficients)
        if not 0 < self.epsilon < 1 or not self.shrink > 0:
            raise InputError(f"Lemma E.2 needs epsilon in (0, 1) and a positive cut-off, not {self.epsilon}.")

    @cached_property
    def bounds(self) -> Float[np.ndarray, " orders"]:
        """B_i of Claim E.4."""
        orders = np.arange(len(self.coefficients))
        return self.shrink * (100 * np.sqrt(orders) + 10 * math.sqrt(math.log(1 / self.epsilon)))

    @cached_property
    def series(self) -> Float[np.ndarray, " orders"]:
        """h's Hermite coefficients before the cut: 2 c_0 and c'_i."""
        series = np.zeros(len(self.coefficients))
        series[0] = 2 * self.coefficients[0]
        for i in self.orders:
            series[i] = self.coefficients[i] / half_line_mean(i)
        return series

    @property
    def orders(self) -> list[int]:
        return [i for i, c in enumerate(self.coefficients) if i and c]

    def target(self, x: Values) -> Values:
        """phi(x), by its Taylor coefficients."""
        return np.polynomial.polynomial.polyval(x, np.asarray(self.coefficients))

    def __call__(self, z: Values) -> Values:
        return self._cut(z, self.series, lambda i: hermite(i, np.clip(z, -self.bounds[i], self.bounds[i])))

    def slope(self, z: Values) -> Values:
        """h'(z) = sum c'_i i h_(i-1)(z) 1[|z| < B_i]."""
        derivative = hermite_e.hermeder(self.series) if len(self.series) > 1 else np.zeros(1)
        return self._cut(z, derivative, lambda i: i * hermite(i - 1, z) * (np.abs(z) < self.bounds[i]), constant=False)

    def _cut(
        self,
        z: Values,
        uncut: Float[np.ndarray, " orders"],
        part: Callable[[int], Values],
        constant: bool = True,
    ) -> Values:
        """The series at once where nothing is cut off; else part by part."""
        if not self.orders or np.abs(z).max(initial=0.0) < self.bounds[self.orders[0]]:
            return hermite_e.hermeval(z, uncut)
        value = np.full(np.shape(z), self.series[0] if constant else 0.0)
        for i in self.orders:
            value = value + self.series[i] * part(i)
        return value

    def mean(self, x1: Float[np.ndarray, " points"]) -> Float[np.ndarray, " points"]:
        """E[1[alpha x_1 + beta sqrt(1 - x_1^2) >= 0] h(alpha)] for independent normal alpha, beta, by quadrature.

        Given alpha the indicator's mean is Phi(alpha x_1 / sqrt(1 - x_1^2)).
        """
        return np.array([self._given(float(x), power=1) for x in x1])

    def second_moment_given(self, x1: float) -> float:
        """E[1[alpha x_1 + beta sqrt(1 - x_1^2) >= 0] h(alpha)^2]: what a random feature's variance consists of."""
        return self._given(x1, power=2)

    def _given(self, x1: float, power: int) -> float:
        side = math.sqrt(max(0.0, 1 - x1 * x1))
        z, weights = self._quadrature(side / abs(x1) if x1 else math.inf)
        share = ndtr(z * x1 / side) if side else (z * x1 >= 0).astype(float)
        return float(weights @ (share * self(z) ** power))

    def second_moment(self) -> float:
        """E h(alpha)^2, by quadrature."""
        z, weights = self._quadrature(math.inf)
        return float(weights @ self(z) ** 2)

    def _quadrature(self, width: float) -> tuple[Float[np.ndarray, " nodes"], Float[np.ndarray, " nodes"]]:
        """Gauss-Legendre panels that end where h is cut and narrow down to ``width`` around 0; with normal density."""
        inside = self.bounds[self.orders]
        ends = [np.linspace(0, _FAR, 161), inside[inside < _FAR]]
        if width < 1:
            ends.append(width * 2.0 ** np.arange(-2, math.log2(1 / max(width, 1e-12)) + 1))
        right = np.unique(np.concatenate(ends))
        edges = np.concatenate([-right[:0:-1], right])
        half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
        z = (middle[:, None] + half[:, None] * _NODES).ravel()
        density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        return z, (half[:, None] * _WEIGHTS).ravel() * density

    def range(self) -> float:
        """A bound on |h| everywhere: 2 |c_0| + sum |c'_i| max over |z| <= B_i of |h_i(z)|."""
        parts = (abs(self.series[i]) * largest(i, self.bounds[i]) for i in self.orders)
        return abs(float(self.series[0])) + float(sum(parts))

    def lipschitz(self) -> float:
        """A bound on |h'| everywhere: sum |c'_i| i max over |z| <= B_i of |h_(i-1)(z)|."""
        parts = (abs(self.series[i]) * i * largest(i - 1, self.bounds[i]) for i in self.orders)
        return float(sum(parts))
