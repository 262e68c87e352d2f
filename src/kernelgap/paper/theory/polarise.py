"""Appendix D.4: a product of k variables as a signed sum of 2^k k-th powers, and the hard instance as Concept 1.

z_1 ... z_k = 1/(k! 2^k) sum over s in {0,1}^k of (-1)^(s_1 + ... + s_k) ((-1)^(s_1) z_1 + ... + (-1)^(s_k) z_k)^k,
because in the expanded power only monomials with every exponent odd survive the sum over signs.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Int

from kernelgap.problems.activation import Activation
from kernelgap.problems.smooth import SmoothFunction


def signs(k: int) -> Int[np.ndarray, "terms k"]:
    """All 2^k rows of signs (-1)^(s_i)."""
    return np.array(list(itertools.product((1, -1), repeat=k)))


def polarised(z: Sequence[Fraction | int]) -> Fraction:
    """The right-hand side, exactly.

    >>> polarised([Fraction(1, 2), 3, Fraction(-5, 7)])
    Fraction(-15, 14)
    """
    k = len(z)
    total = Fraction(0)
    for row in itertools.product((1, -1), repeat=k):
        total += math.prod(row) * Fraction(sum(s * value for s, value in zip(row, z, strict=True))) ** k
    return total / (math.factorial(k) * 2**k)


def largest_difference_on_grid(k: int) -> int:
    """max |k! 2^k z_1...z_k - the signed sum of powers| over the integer grid of k+1 values in each variable.

    Both sides are polynomials of degree at most k in each variable: if they agree there, they are the same. All in
    64-bit integers, which no partial sum exceeds for k <= 8.
    """
    values = np.arange(k + 1) - (k + 1) // 2
    grid = np.stack(np.meshgrid(*[values] * k, indexing="ij"), axis=-1).reshape(-1, k).astype(np.int64)
    powers = np.zeros(len(grid), dtype=np.int64)
    for row in signs(k):
        powers += math.prod(row.tolist()) * (grid @ row) ** k
    return int(np.abs(powers - math.factorial(k) * 2**k * grid.prod(axis=1)).max())


def product_function(k: int) -> SmoothFunction:
    """G_r(z) = k^(k/2) / sqrt(k) z_1...z_k in every one of k outputs, in Concept 1's form with 2^k terms.

    D.4 has unit vectors (+-1/sqrt(k)) inside; Concept 1 wants norm 1/sqrt(2), so a factor sqrt(2) goes into the power.
    """
    rows = signs(k)
    weight = k**k / (math.sqrt(k) * math.factorial(k) * 2**k)
    power = Activation.polynomial([0.0] * k + [weight * math.sqrt(2) ** k])
    a = rows.prod(axis=1).astype(float)
    w = rows / math.sqrt(2 * k)
    return SmoothFunction(np.tile(a, (k, 1)), np.tile(w, (k, 1, 1)), ((power,) * 2**k,) * k)


def coordinates_function(d: int, chosen: Sequence[int]) -> SmoothFunction:
    """F_r(x) = sqrt(d/k) x_(i_r), one term in each output: |F(x)| = 1 on the cube {-1,1}^d / sqrt(d)."""
    k = len(chosen)
    w = np.zeros((k, 1, d))
    w[np.arange(k), 0, list(chosen)] = 1 / math.sqrt(2)
    linear = Activation.polynomial([0.0, math.sqrt(2 * d / k)])
    return SmoothFunction(np.ones((k, 1)), w, ((linear,),) * k)
