"""Taylor series at 0: cut off with a proved error, composed, or given by their coefficients alone.

``problems.Activation`` carries the series of named functions; what is here works on those and on any ``Series``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import minimize_scalar

from kernelgap.errors import InputError
from kernelgap.problems.activation import Activation


@dataclass(frozen=True)
class Series:
    """A series by its coefficients: i -> c_i. ``log_majorant`` bounds log sum_i |c_i| r^i for r below the radius.

    >>> geometric = Series(lambda i: 0.25**i, radius=4.0, log_majorant=lambda r: -math.log1p(-r / 4))
    >>> f"{tail_bound(geometric, 20, 1.0):.1e} {0.25**21 / 0.75:.1e}"
    '1.8e-11 3.0e-13'
    """

    coefficient: Callable[[int], float]
    radius: float
    log_majorant: Callable[[float], float]

    @property
    def degree(self) -> int | None:
        return None

    def coefficients(self, degree: int) -> Float[np.ndarray, " orders"]:
        return np.array([self.coefficient(i) for i in range(degree + 1)], dtype=float)

    def log_coefficients(self, degree: int) -> tuple[Float[np.ndarray, " orders"], Int[np.ndarray, " orders"]]:
        values = self.coefficients(degree)
        with np.errstate(divide="ignore"):
            return np.log(np.abs(values)), np.sign(values).astype(int)


Smooth = Activation | Series  # a function with a Taylor series at 0


def smooth(of: str | Smooth | Sequence[float]) -> Smooth:
    """A series by a text such as "sin(2z)", as it is, or a polynomial by its coefficients."""
    if isinstance(of, str):
        return Activation.parse(of)
    return of if isinstance(of, Smooth) else Activation.polynomial(of)


def log_tail_bound(phi: Smooth, degree: int, z: float) -> float:
    """log of a bound on sum_{i > degree} |c_i| z^i, minus infinity where the series has ended.

    For every r between z and the radius, |c_i| r^i <= M(r) = sum_j |c_j| r^j, so the tail is at most
    M(r) (z/r)^(degree+1) / (1 - z/r); the best r is looked for.
    """
    if not 0 < z < phi.radius:
        raise InputError(f"A series with radius {phi.radius:g} has no tail bound at {z:g}: take a z below the radius.")
    if phi.degree is not None and degree >= phi.degree:
        return -math.inf

    def bound(t: float) -> float:  # r = z e^t
        return phi.log_majorant(z * math.exp(t)) - t * (degree + 1) - math.log(-math.expm1(-t))

    farthest = math.log(phi.radius / z) if math.isfinite(phi.radius) else math.log(2 + 100 * (degree + 1) / z)
    best = minimize_scalar(bound, bounds=(0.0, farthest), method="bounded")
    return float(best.fun)


def tail_bound(phi: Smooth, degree: int, z: float) -> float:
    """A bound on |phi(u) - the series up to the degree| for every |u| <= z, and on the tail of absolute values."""
    return math.exp(log_tail_bound(phi, degree, z))


def degree_for(phi: Smooth, error: float, z: float) -> int:
    """The least degree whose ``tail_bound`` at z is at most the error.

    >>> degree_for(smooth("tanh(z)"), 1e-3, 0.5)
    8
    """
    if not 0 < error < math.inf:
        raise InputError(f"The error of a cut-off series must be positive and finite, not {error}.")
    target = math.log(error)
    high = 1
    while log_tail_bound(phi, high, z) > target:
        high *= 2
    low = high // 2 if high > 1 else -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if log_tail_bound(phi, middle, z) > target else (low, middle)
    return high


def truncated(phi: Smooth, degree: int) -> Activation:
    """The series up to the degree, as a polynomial; ``tail_bound`` says how far off it is."""
    return Activation.polynomial(phi.coefficients(degree))


def composed(outer: Smooth, inner: Smooth, degree: int) -> Float[np.ndarray, " orders"]:
    """Coefficients 0 ... degree of outer(inner(z)).

    They are finite sums if inner(0) = 0 or outer is a polynomial; other compositions are refused.
    """
    series = inner.coefficients(degree)
    if series[0] != 0 and outer.degree is None:
        raise InputError("The series of outer(inner(z)) needs inner(0) = 0, or a polynomial outside.")
    last = degree if outer.degree is None else outer.degree
    result = np.zeros(degree + 1)
    for c in outer.coefficients(last)[::-1]:  # Horner's rule on series
        result = np.convolve(result, series)[: degree + 1]
        result[0] += c
    return result
