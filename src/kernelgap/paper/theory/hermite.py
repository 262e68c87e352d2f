"""Probabilists' Hermite polynomials h_i, and what appendix E takes from them.

h_0 = 1, h_1 = z, h_(i+1)(z) = z h_i(z) - i h_(i-1)(z); E h_i h_j = i! [i = j] under N(0, 1). (The factor sqrt(2 pi)
beside i! in the proof of Lemma E.2 belongs to the integral without the normal density's own factor.)
"""

import math
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.polynomial import hermite_e
from scipy.special import factorial2, gammaln

from kernelgap.errors import InputError


def hermite(i: int, z: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
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


def norm(i: int) -> float:
    """(E h_i^2)^(1/2) = (i!)^(1/2)."""
    return math.exp(gammaln(i + 1) / 2)


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
