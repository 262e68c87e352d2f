"""How complex a smooth function is (sec. 4, the talk): sums over its Taylor coefficients, cut off with a proved error.

C_s(phi)   = C* sum_i (i+1) |c_i|
C_eps(phi) = sum_i ((C*)^i + (C* sqrt(log(1/eps) / i))^i) |c_i|      (each power is 1 at i = 0)
C(phi)     = sum_i i |c_i|                                           (the talk's)

C* is "a sufficiently large constant (e.g., 10^4)". At 10^4 C_eps is astronomically large, so it is kept as a logarithm.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from kernelgap.errors import InputError
from kernelgap.paper.theory.taylor import Smooth, log_tail_bound, smooth
from kernelgap.problems.smooth import Function

C_STAR = 1e4  # the paper's example of "sufficiently large"
PLAIN = 1.0  # C* = 1: the sums over coefficients alone
ACCURACY = 1e-13  # a sum's tail is less than this share of it
_LARGEST_DEGREE = 2**24


def orders_sum(phi: str | Smooth, shift: int) -> float:
    """sum_i (i + shift) |c_i|, to a relative accuracy of 1e-13; infinite if the radius of convergence is below 1.

    The tail beyond degree n: |c_i| <= M(r) / r^i, so that with q = 1/r it is at most
    M(r) q^(n+1) ((n + 1 + shift) / (1 - q) + q / (1 - q)^2).
    """
    phi = smooth(phi)
    if phi.radius <= 1:
        return math.inf
    degree = 16 if phi.degree is None else phi.degree
    while True:
        value = float((np.arange(degree + 1) + shift) @ np.abs(phi.coefficients(degree)))
        if phi.degree is not None or _orders_tail(phi, degree, shift) <= ACCURACY * value:
            return value
        degree *= 2


def _orders_tail(phi: Smooth, degree: int, shift: int) -> float:
    largest = phi.radius if math.isfinite(phi.radius) else 4.0 * degree
    q = 1 / (1 + np.geomspace(1e-3, 1 - 1e-9, 200) * (largest - 1))
    logs = np.array([phi.log_majorant(1 / value) for value in q]) + (degree + 1) * np.log(q)
    factors = (degree + 1 + shift) / (1 - q) + q / (1 - q) ** 2
    return float(np.exp(np.min(logs + np.log(factors))))


def C_s(phi: str | Smooth, C_star: float = C_STAR) -> float:
    """C* sum_i (i+1) |c_i|.

    >>> f"{C_s('exp(z) - 1', PLAIN):.12f} = 2e - 1"
    '4.436563656918 = 2e - 1'
    """
    return C_star * orders_sum(phi, 1)


def talk_complexity(phi: str | Smooth) -> float:
    """The talk's C(phi) = sum_i i |c_i|.

    >>> talk_complexity("z^10")
    10.0
    """
    return orders_sum(phi, 0)


@dataclass(frozen=True)
class LogCeps:
    """The logarithms of C_eps, of its term that does not depend on eps, and of the one that does."""

    total: float
    constant: float
    growing: float


def log_C_eps(phi: str | Smooth, log_1_eps: float, C_star: float = C_STAR, *, degree: int | None = None) -> LogCeps:
    """log C_eps(phi) for eps = exp(-log_1_eps); with ``degree``, of the series cut off there.

    Without it the sum must converge: C* has to lie below the radius of convergence (tanh, sigmoid: cut them off).
    The tail beyond degree n is at most that of the absolute series at C* max(1, sqrt(log(1/eps) / n)).
    """
    phi = smooth(phi)
    if log_1_eps <= 0 or C_star <= 0:
        raise InputError(f"C_eps needs 0 < eps < 1 and C* > 0, not log(1/eps) = {log_1_eps:g} and C* = {C_star:g}.")
    if degree is not None or phi.degree is not None:
        last = min(n for n in (degree, phi.degree) if n is not None)
        return _log_sums(phi, last, log_1_eps, C_star)
    if phi.radius <= C_star:
        raise InputError(
            f"C_eps is infinite where C* = {C_star:g} is not below the radius of convergence {phi.radius:.4g}: cut the "
            "series off at a degree."
        )
    last = 64
    while last < _LARGEST_DEGREE:
        sums = _log_sums(phi, last, log_1_eps, C_star)
        reach = C_star * max(1.0, math.sqrt(log_1_eps / (last + 1)))
        if reach < phi.radius and log_tail_bound(phi, last, reach) + math.log(2) < sums.total + math.log(ACCURACY):
            return sums
        last *= 2
    raise InputError(f"C_eps needs more than {_LARGEST_DEGREE} orders at log(1/eps) = {log_1_eps:g}, C* = {C_star:g}.")


def _log_sums(phi: Smooth, degree: int, log_1_eps: float, C_star: float) -> LogCeps:
    logs, _ = phi.log_coefficients(degree)
    orders = np.arange(degree + 1.0)
    constant = logs + orders * math.log(C_star)
    shrinking = 0.5 * orders * (math.log(log_1_eps) - np.log(np.maximum(orders, 1.0)))
    first, second = float(logsumexp(constant)), float(logsumexp(constant + shrinking))
    return LogCeps(float(np.logaddexp(first, second)), first, second)


@dataclass(frozen=True)
class Complexity:
    """(p, C_s, C) of a function: terms in each output, max over its activations of C_s, sum of the talk's C."""

    p: int
    C_s: float
    talk: float


def complexity(function: Function, C_star: float = C_STAR) -> Complexity:
    """C_s(F) = max C_s(F_ri) (sec. 5), and the talk's C(F) = sum C(a_ri F_ri)."""
    sums = {phi: talk_complexity(phi) for phi in function.distinct}
    talk = sum(
        abs(float(function.a[r, i])) * sums[phi]
        for r, row in enumerate(function.activations)
        for i, phi in enumerate(row)
    )
    return Complexity(function.p, max(C_s(phi, C_star) for phi in function.distinct), talk)


def log_C_eps_of(function: Function, log_1_eps: float, C_star: float = C_STAR, *, degree: int | None = None) -> float:
    """log of C_eps(F) = max C_eps(F_ri)."""
    return max(log_C_eps(phi, log_1_eps, C_star, degree=degree).total for phi in function.distinct)


def absolute_sum(coefficients: Float[np.ndarray, " orders"], shift: int) -> float:
    """sum_i (i + shift) |c_i| of a polynomial given by its coefficients."""
    return float((np.arange(len(coefficients)) + shift) @ np.abs(coefficients))
