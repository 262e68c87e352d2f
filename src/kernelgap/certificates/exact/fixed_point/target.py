"""The target of a problem of parities as whole numbers: signs, sets of coordinates and two fractions."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.floors.family import as_written
from kernelgap.errors import InputError
from kernelgap.problems import ParityProblem, Problem
from kernelgap.problems.fourier import IndexSet, symmetric_difference

OUT_BITS = 20  # outputs are rounded to units of 2^-20
MOST_SQUARES = 2**51  # of the squares of all outputs, in those units: 2^11 points of them fit into 64 bits


@dataclass(frozen=True)
class Signal:
    """A sign times a parity of some coordinates."""

    sign: int
    set: IndexSet


@dataclass(frozen=True)
class ParityTarget:
    """H_j = beta base_j + alpha composite_j on the signs of d coordinates.

    Attributes
    ----------
    d
        Coordinates of the cube.
    alpha, beta
        The numbers that were written, as fractions.
    base, composite
        The signals of each output; None where there is none.
    """

    d: int
    alpha: Fraction
    beta: Fraction
    base: tuple[Signal | None, ...]
    composite: tuple[Signal | None, ...]

    @property
    def outputs(self) -> int:
        return len(self.base)

    @property
    def limits(self) -> tuple[int, ...]:
        """The range of each output, rounded up to units of 2^-20."""
        sizes = (
            abs(self.beta) * (base is not None) + abs(self.alpha) * (composite is not None)
            for base, composite in zip(self.base, self.composite, strict=True)
        )
        return tuple(ceil(size * 2**OUT_BITS) for size in sizes)

    @property
    def loss_bound(self) -> Fraction:
        """The greatest squared error, summed over outputs, of outputs within the limits."""
        return sum((Fraction(2 * limit, 2**OUT_BITS) ** 2 for limit in self.limits), Fraction(0))

    @property
    def squared_norm(self) -> Fraction:
        """E |H|^2."""
        total = Fraction(0)
        for base, composite in zip(self.base, self.composite, strict=True):
            total += (base is not None) * self.beta**2 + (composite is not None) * self.alpha**2
            if base is not None and composite is not None and base.set == composite.set:
                total += 2 * self.alpha * self.beta * base.sign * composite.sign
        return total

    def risk(self, squares: int, with_base: int, with_composite: int) -> Fraction:
        """The risk of r 2^-20 from the sums over all points and outputs of r^2, r base and r composite."""
        unit, points = 2**OUT_BITS, 2**self.d
        product = self.beta * with_base + self.alpha * with_composite
        return Fraction(squares, unit**2 * points) - 2 * product / (unit * points) + self.squared_norm


def target_of(problem: Problem) -> ParityTarget:
    """The target of a problem of parities on a cube, or a refusal."""
    cube = cube_of(problem)
    if cube is None or not isinstance(problem, ParityProblem):
        raise InputError(f"{problem.name} is no problem of parities on a cube: its risk is no sum over its points.")
    base = _signals(problem.base_sets, [1] * problem.outputs, present=problem.beta != 0)
    sets = [symmetric_difference([problem.base_sets[j] for j in c]) for c in problem.composite_sets]
    composite = _signals(sets, problem.composite_signs, present=problem.alpha != 0)
    target = ParityTarget(cube.d, as_written(problem.alpha), as_written(problem.beta), base, composite)
    if sum(limit**2 for limit in target.limits) > MOST_SQUARES:
        raise InputError(
            f"The outputs of {problem.name} are too large for fixed-point numbers of 2^-{OUT_BITS}: take smaller alpha "
            "and beta."
        )
    return target


def _signals(sets: Sequence[IndexSet], signs: Sequence[int], *, present: bool) -> tuple[Signal | None, ...]:
    pairs = zip(sets, signs, strict=True)
    return tuple(Signal(sign, tuple(sorted(map(int, s)))) if present else None for s, sign in pairs)
