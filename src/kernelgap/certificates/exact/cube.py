"""The cube that a problem's inputs live on: where expectations are sums, and need no sampling."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.problems import FourierProblem, Problem
from kernelgap.problems.convolutional import ConvolutionalProblem
from kernelgap.problems.inputs import uniform, zero
from kernelgap.problems.parity import unit_scale
from kernelgap.rows import check_rows


@dataclass(frozen=True)
class Cube:
    """{-s, s}^d, all points equally likely; beyond d coordinates the inputs are 0."""

    d: int
    squared_scale: Fraction
    width: int  # columns of X

    @property
    def squared_length(self) -> Fraction:
        return self.d * self.squared_scale

    @property
    def scale(self) -> float:
        return float(self.squared_scale) ** 0.5

    def signs(self, X: object) -> Float[np.ndarray, "n d"] | None:
        """The signs of the rows, or None if some row is not a point of the cube."""
        rows = check_rows(X)
        if rows.shape[1] != self.width:
            raise InputError(f"X has {rows.shape[1]} columns, the problem's inputs have {self.width}.")
        inside, beyond = rows[:, : self.d], rows[:, self.d :]
        on_it = np.allclose(np.abs(inside), self.scale, rtol=1e-12, atol=0) and not beyond.any()
        return np.sign(inside) if on_it else None

    def points(self, start: int, stop: int) -> Float[np.ndarray, "n width"]:
        """The points with these numbers: the bits of a number, lowest first, say which coordinates are negative."""
        numbers = np.arange(start, stop, dtype=np.int64)
        signs = 1.0 - 2.0 * ((numbers[:, None] >> np.arange(self.d)) & 1)
        rest = np.zeros((len(numbers), self.width - self.d))
        return np.hstack([self.scale * signs, rest])


def cube_of(problem: Problem) -> Cube | None:
    """The cube of a problem, if it has one."""
    if isinstance(problem, ConvolutionalProblem) and problem.distribution in ("signs", "cube"):
        return Cube(problem.d, Fraction(1, 1 if problem.distribution == "signs" else problem.patch), problem.d)
    if not isinstance(problem, FourierProblem):
        return None
    squared = Fraction(1, problem.d) if problem.scale == unit_scale(problem.d) else Fraction(problem.scale) ** 2
    if problem.d1 == problem.d or problem.background is uniform:
        return Cube(problem.d, squared, problem.d)
    if problem.background is zero:
        return Cube(problem.d1, squared, problem.d)
    return None
