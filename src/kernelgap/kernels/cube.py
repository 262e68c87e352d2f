"""Kernels of <x,z> on the Boolean cube: their eigenvalues by degree, enclosed.

Such a kernel is K(x,z) = sum_S lambda_|S| chi_S(x) chi_S(z): the parities are its eigenfunctions under the uniform
distribution, and all those of one degree share an eigenvalue.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels.balls import BallPairs, precision
from kernelgap.kernels.kernel import Kernel
from kernelgap.kernels.krawtchouk import krawtchouk_rows, points_at

DIGITS = 60  # bits wanted of every eigenvalue, relative to itself
MOST_BITS = 2**14


@dataclass(frozen=True)
class CubeSpectrum:
    """The eigenvalues of a kernel on {-s, s}^d, one for each degree 0 .. d, as balls."""

    kernel: Kernel
    d: int
    squared_length: Fraction  # of every point: d s^2
    bits: int
    balls: tuple[arb, ...]

    @cached_property
    def eigenvalues(self) -> Float[np.ndarray, " degrees"]:
        """The midpoints; 0 where the ball contains 0."""
        return np.array([0.0 if ball.contains(0) else float(ball.mid()) for ball in self.balls])

    @cached_property
    def errors(self) -> Float[np.ndarray, " degrees"]:
        """How far each eigenvalue can be from the truth, the rounding to float64 included."""
        with precision(self.bits):
            return np.array(
                [
                    float((ball - arb(value)).abs_upper())
                    for ball, value in zip(self.balls, self.eigenvalues, strict=True)
                ]
            )

    @property
    def multiplicities(self) -> list[int]:
        """How many parities have each degree."""
        return points_at(self.d)

    @property
    def rank(self) -> int:
        """The dimension of what all functions K(., z) together span."""
        return sum(n for n, value in zip(self.multiplicities, self.eigenvalues, strict=True) if value != 0)

    @property
    def shares(self) -> Float[np.ndarray, " degrees"]:
        """Each degree's share of K(x,x) = sum_S lambda_S."""
        mass = np.array([value * count for value, count in zip(self.eigenvalues, self.multiplicities, strict=True)])
        return mass / mass.sum()

    def squared_profile(self) -> list[arb]:
        """sum_S lambda_S^2 chi_S(x) chi_S(z) for points that differ in 0, ... d coordinates."""
        with precision(self.bits):
            sums = [arb(0)] * (self.d + 1)
            for ball, row in zip(self.balls, krawtchouk_rows(self.d), strict=True):
                square = ball * ball
                sums = [total + square * value for total, value in zip(sums, row, strict=True)]
            return sums


def cube_spectrum(kernel: Kernel | str, d: int, squared_length: Fraction | int | None = None) -> CubeSpectrum:
    """The eigenvalues of a kernel of <x,z> on the cube whose points have this squared length (default d: signs).

    >>> cube_spectrum("linear", 4).eigenvalues
    array([0., 1., 0., 0., 0.])
    """
    if isinstance(kernel, str):
        from kernelgap.kernels.registry import get

        kernel = get(kernel)
    if isinstance(d, bool) or not isinstance(d, int) or d < 1:
        raise InputError(f"d must be a whole number of at least 1, not {d!r}.")
    check_of_inner_products(kernel)
    squared = Fraction(d if squared_length is None else squared_length)
    if squared <= 0:
        raise InputError(f"squared_length must be positive, not {squared_length!r}.")
    bits = 2 * d + 128
    while True:
        balls = eigenvalue_balls(kernel, d, squared, bits)
        largest = max(ball.abs_upper() for ball in balls)
        # an eigenvalue of 0 never gets a sign: it is left once nothing of it could show
        settled = all(ball.rel_accuracy_bits() >= DIGITS or _counts_as_zero(ball, largest, d) for ball in balls)
        if settled or bits >= MOST_BITS:
            return CubeSpectrum(kernel, d, squared, bits, balls)
        bits *= 2


def _counts_as_zero(ball: arb, largest: arb, d: int) -> bool:
    return bool(ball.contains(0) and ball.abs_upper() <= largest * arb(2) ** -(d + 120))


def eigenvalue_balls(kernel: Kernel, d: int, squared_length: Fraction, bits: int) -> tuple[arb, ...]:
    """lambda_k = 2^-d sum_i binom(d,i) K_k(i) / binom(d,k) * (the kernel at distance i), at this precision."""
    with precision(bits):
        weighted = [
            value * count for value, count in zip(profile(kernel, d, squared_length), points_at(d), strict=True)
        ]
        all_points = arb(2) ** d
        return tuple(
            sum((w * value for w, value in zip(weighted, row, strict=True)), start=arb(0)) / (all_points * row[0])
            for row in krawtchouk_rows(d)
        )


def profile(kernel: Kernel, d: int, squared_length: Fraction) -> list[arb]:
    """The kernel at points that differ in 0, ... d coordinates, at flint's precision."""
    inner = [squared_length * (d - 2 * i) / d for i in range(d + 1)]
    return [arb(kernel.value(BallPairs(product, squared_length))) for product in inner]


def check_of_inner_products(kernel: Kernel) -> None:
    """Refuse what is no formula in <x,z>."""
    if not kernel.has_formula:
        raise InputError(f"{kernel.spec} is not given as a formula in <x,z>, so it has no eigenvalue for each degree.")
    if not kernel.settled:
        raise InputError(f"{kernel.spec} takes its bandwidth from data: call fit(X) first, or give a number.")
