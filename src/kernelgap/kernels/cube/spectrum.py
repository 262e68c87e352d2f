"""Kernels of <x,z> on the Boolean cube: their eigenvalues by degree, enclosed.

Such a kernel is K(x,z) = sum_S lambda_|S| chi_S(x) chi_S(z): the parities are its eigenfunctions under the uniform
distribution, and all those of one degree share an eigenvalue. For points x and z that differ in i coordinates, the sum
of chi_S(x) chi_S(z) over the sets S of size k is the Krawtchouk polynomial K_k(i), a whole number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

import numpy as np
from flint import arb
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_count
from kernelgap.kernels.combination import Combination, Sum
from kernelgap.kernels.cube.balls import BallPairs, precision
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.kernel import Kernel, check_overflow
from kernelgap.kernels.registry import get

DIGITS = 60  # bits wanted of every eigenvalue, relative to itself
ZERO_BITS = 2**12  # further ones after which an eigenvalue that still shows no sign counts as 0
MOST_BITS = 2**14


def krawtchouk_rows(d: int) -> Iterator[list[int]]:
    """For k = 0, 1, ... d the values K_k(0), ... K_k(d), exactly, by (k+1) K_k+1 = (d - 2i) K_k - (d - k + 1) K_k-1."""
    before, row = [0] * (d + 1), [1] * (d + 1)
    for k in range(d + 1):
        yield row
        before, row = row, [((d - 2 * i) * row[i] - (d - k + 1) * before[i]) // (k + 1) for i in range(d + 1)]


def points_at(d: int) -> list[int]:
    """How many points of the cube differ from a given one in 0, ... d coordinates."""
    return [comb(d, i) for i in range(d + 1)]


@dataclass(frozen=True)
class CubeSpectrum:
    """The eigenvalues of a kernel on {-s, s}^d, one for each degree 0 .. d, as balls.

    Attributes
    ----------
    kernel
        A kernel with a formula in <x,z>, |x| and |z|.
    d
        The dimension of the cube.
    squared_length
        That of every point, d s^2.
    bits
        The precision at which the balls are computed.
    balls
        For each degree an interval that contains the eigenvalue.
    """

    kernel: Kernel
    d: int
    squared_length: Fraction  # of every point: d s^2
    bits: int
    balls: tuple[arb, ...]

    @cached_property
    def eigenvalues(self) -> Float[np.ndarray, " degrees"]:
        """The midpoints; 0 where the ball contains 0."""
        midpoints = np.array([0.0 if ball.contains(0) else float(ball.mid()) for ball in self.balls])
        check_overflow(midpoints, self.kernel.spec)
        return midpoints

    @cached_property
    def errors(self) -> Float[np.ndarray, " degrees"]:
        """How far each eigenvalue can be from the truth, the rounding to float64 included."""
        with precision(self.bits):
            pairs = zip(self.balls, self.eigenvalues, strict=True)
            return np.array([float((ball - arb(value)).abs_upper()) for ball, value in pairs])

    @property
    def multiplicities(self) -> list[int]:
        """How many parities have each degree."""
        return points_at(self.d)

    @cached_property
    def positive(self) -> frozenset[int]:
        """Degrees whose eigenvalue is certainly not 0."""
        return frozenset(degree for degree, ball in enumerate(self.balls) if not ball.contains(0))

    @cached_property
    def vanishing(self) -> frozenset[int]:
        """Degrees whose eigenvalue is 0: no sign of it with thousands of bits more. Small ones are not among them."""
        unknown = frozenset(range(self.d + 1)) - self.positive
        if unknown:
            balls = eigenvalue_balls(self.kernel, self.d, self.squared_length, self.bits + ZERO_BITS)
            unknown = frozenset(degree for degree in unknown if balls[degree].contains(0))
        if unknown and has_every_degree(self.kernel):
            raise InputError(
                f"The eigenvalue of degree {min(unknown)} of {self.kernel.spec} is positive, but too small to be told "
                "from 0 with thousands of digits: take a smaller bandwidth."
            )
        return unknown

    @property
    def rank(self) -> int:
        """The dimension of what all functions K(., z) together span."""
        return 2**self.d - sum(self.multiplicities[degree] for degree in self.vanishing)

    @property
    def shares(self) -> Float[np.ndarray, " degrees"]:
        """Each degree's share of K(x,x) = sum_S lambda_S."""
        with precision(self.bits):
            mass = [ball * count for ball, count in zip(self.balls, self.multiplicities, strict=True)]
            total = sum(mass, start=arb(0))
            shares = [float((part / total).mid()) for part in mass]
        return np.where(self.eigenvalues != 0, shares, 0.0)

    def squared_profile(self) -> list[arb]:
        """sum_S lambda_S^2 chi_S(x) chi_S(z) for points that differ in 0, ... d coordinates."""
        with precision(self.bits):
            sums = [arb(0)] * (self.d + 1)
            for ball, row in zip(self.balls, krawtchouk_rows(self.d), strict=True):
                square = ball * ball
                sums = [total + square * value for total, value in zip(sums, row, strict=True)]
            return sums


def cube_spectrum(kernel: Kernel | str, d: int, squared_length: Fraction | int | None = None) -> CubeSpectrum:
    """The eigenvalues of a kernel of <x,z> on the Boolean cube, by degree.

    Parameters
    ----------
    kernel
        A kernel with a formula in <x,z>, |x| and |z|, or its text.
    d
        The dimension of the cube.
    squared_length
        That of every point; by default d, for points of signs.

    Returns
    -------
    CubeSpectrum
        One enclosed eigenvalue for each degree 0 .. d.

    Examples
    --------
    >>> cube_spectrum("linear", 4).eigenvalues
    array([0., 1., 0., 0., 0.])
    """
    kernel = get(kernel)
    check_count(d, "d")
    d = int(d)
    check_of_inner_products(kernel)
    squared = Fraction(d if squared_length is None else squared_length)
    if squared <= 0:
        raise InputError(f"squared_length must be positive, not {squared_length!r}.")
    bits = 2 * d + 128
    while True:
        balls = eigenvalue_balls(kernel, d, squared, bits)
        largest = max(ball.abs_upper() for ball in balls)
        # an eigenvalue of 0 never gets a sign: it is left once nothing of it could show
        enough = all(ball.rel_accuracy_bits() >= DIGITS or _counts_as_zero(ball, largest, d) for ball in balls)
        if enough or bits >= MOST_BITS:
            return CubeSpectrum(kernel, d, squared, bits, balls)
        bits *= 2


def _counts_as_zero(ball: arb, largest: arb, d: int) -> bool:
    return bool(ball.contains(0) and ball.abs_upper() <= largest * arb(2) ** -(d + 120))


def eigenvalue_balls(kernel: Kernel, d: int, squared_length: Fraction, bits: int) -> tuple[arb, ...]:
    """lambda_k = 2^-d sum_i binom(d,i) K_k(i) / binom(d,k) * (the kernel at distance i), at this precision."""
    with precision(bits):
        values = profile(kernel, d, squared_length)
        weighted = [value * count for value, count in zip(values, points_at(d), strict=True)]
        all_points = arb(2) ** d
        return tuple(
            sum((w * value for w, value in zip(weighted, row, strict=True)), start=arb(0)) / (all_points * row[0])
            for row in krawtchouk_rows(d)
        )


def profile(kernel: Kernel, d: int, squared_length: Fraction) -> list[arb]:
    """The kernel at points that differ in 0, ... d coordinates, at flint's precision."""
    inner = [squared_length * (d - 2 * i) / d for i in range(d + 1)]
    return [arb(kernel.value(BallPairs(product, squared_length))) for product in inner]


def has_every_degree(kernel: Kernel) -> bool:
    """Whether every eigenvalue is known to be positive: those of a mixture of Gaussian kernels are."""
    if isinstance(kernel, Combination):
        return (any if isinstance(kernel, Sum) else all)(has_every_degree(part) for part in kernel.parts)
    return isinstance(kernel, DistanceKernel)


def check_of_inner_products(kernel: Kernel) -> None:
    """Refuse what is no formula in <x,z>."""
    if not kernel.has_formula:
        raise InputError(f"{kernel.spec} is not given as a formula in <x,z>, so it has no eigenvalue for each degree.")
    if not kernel.is_fitted:
        raise InputError(f"{kernel.spec} takes its bandwidth from data: call fit(X) first, or give a number.")
