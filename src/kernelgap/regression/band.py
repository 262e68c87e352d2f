"""One factorisation for every ridge: K = Q B Q' with B banded, where no eigenvalues are needed.

K + ridge I = Q (B + ridge I) Q', and a banded system is solved in O(n), as a tridiagonal one is. Stopping at a band
leaves nothing but matrix products: half of the time of a tridiagonal form, and several can be made side by side.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from scipy.linalg import lapack, solveh_banded

NARROW, WIDE = 32, 64  # diagonals below the main one: many make the products faster, few the solutions
LARGE = 2000  # from so many rows on, it is the products that matter
ROWS = 256  # rows of the trailing matrix that are updated at a time
COLUMNS = 128  # columns that are rotated at a time

Columns = Float[np.ndarray, "n k"]


@dataclass(frozen=True)
class Banded:
    """K = Q B Q'. Q is kept as products of reflections, I - V T V' for each step of some columns."""

    bands: Float[np.ndarray, "b n"]  # row i is the diagonal i below the main one, filled up with zeros
    _reflections: Float[np.ndarray, "n n"]
    _triangles: list[np.ndarray]

    @classmethod
    def of(cls, gram: Float[np.ndarray, "n n"]) -> "Banded":
        """Factorise a symmetric matrix, which is used up."""
        n = len(gram)
        width = min(n - 1, NARROW if n < LARGE else WIDE)
        triangles = []
        for start in range(width, n - 1, max(width, 1)):
            panel = gram[start:, start - width : start]  # = (I - V T V') R, and only the triangle R is in the band
            panel[:], triangle, _ = lapack.dgeqrt(min(panel.shape), panel)
            triangles.append(triangle)
            _reflect_both_sides(gram, start, _reflections(panel), triangle)
        bands = np.zeros((width + 1, n), order="F")
        for i in range(width + 1):
            bands[i, : n - i] = np.diagonal(gram, -i)
        return cls(bands, gram, triangles)

    def rotate(self, columns: Columns) -> Columns:
        """Q' times columns."""
        return self._apply(columns, [(start, V, T.T) for start, V, T in self._steps()])

    def rotate_back(self, columns: Columns) -> Columns:
        """Q times columns."""
        return self._apply(columns, reversed(list(self._steps())))

    def _steps(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        width = len(self.bands) - 1
        for i, triangle in enumerate(self._triangles):
            start = (i + 1) * width
            yield start, self._reflections[start:, start - width : start], triangle

    @staticmethod
    def _apply(columns: Columns, steps: Iterable[tuple[int, np.ndarray, np.ndarray]]) -> Columns:
        parts = [columns[:, i : i + COLUMNS].copy() for i in range(0, columns.shape[1], COLUMNS)]
        for start, packed, triangle in steps:
            V = _reflections(packed)
            for part in parts:
                part[start:] -= V @ (triangle @ (V.T @ part[start:]))
        return np.concatenate(parts, axis=1)

    def solve(self, rotated: Columns, ridge: float) -> Columns:
        """(B + ridge I)^-1 times columns; B + ridge I must be positive definite."""
        return solveh_banded(_shifted(self.bands, ridge), rotated, lower=True, check_finite=False)

    def exceeds(self, bound: float) -> bool:
        """Whether every eigenvalue is above the bound."""
        return _positive(_shifted(self.bands, -bound))

    @property
    def size(self) -> float:
        """At least the largest |eigenvalue|: the largest sum of |entries| of a row."""
        bands = np.abs(self.bands)
        sums = bands.sum(axis=0)
        for i in range(1, len(bands)):
            sums[i:] += bands[i, : len(sums) - i]
        return float(sums.max())

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue, to 8 digits or to rounding."""
        return _smallest(self.bands, self.size), -_smallest(-self.bands, self.size)


def _reflections(packed: Float[np.ndarray, "m b"]) -> Float[np.ndarray, "m p"]:
    """V: what lies below R in a panel, with 1 on the diagonal."""
    V = packed[:, : len(packed)].copy()
    top = V[: V.shape[1]]
    top[:] = np.tril(top, -1)
    np.fill_diagonal(top, 1.0)
    return V


def _reflect_both_sides(gram: Float[np.ndarray, "n n"], start: int, V: np.ndarray, triangle: np.ndarray) -> None:
    """A <- (I - V T V')' A (I - V T V') = A - X V' - V X' for the rows and columns A from start on, below the diagonal.

    With Y = A V T, X = Y - V T' V' Y / 2. Blocks of rows end at multiples of ROWS, so that the blocks on the diagonal,
    both halves of which are kept up, stay the same from step to step.
    """
    A = gram[start:, start:]
    ends = [0, *range(ROWS - start % ROWS, len(A), ROWS), len(A)]
    Y = np.zeros_like(V)
    for r, e in pairwise(ends):
        Y[r:e] += A[r:e, :e] @ V[:e]
        Y[:r] += A[r:e, :r].T @ V[r:e]
    Y = Y @ triangle
    X = Y - V @ (triangle.T @ (V.T @ Y)) / 2
    left, right = np.concatenate([X, V], axis=1), np.concatenate([V, X], axis=1).T
    for r, e in pairwise(ends):
        A[r:e, :e] -= left[r:e] @ right[:, :e]


def _shifted(bands: Float[np.ndarray, "b n"], ridge: float) -> Float[np.ndarray, "b n"]:
    shifted = bands.copy(order="F")
    shifted[0] += ridge
    return shifted


def _positive(bands: Float[np.ndarray, "b n"]) -> bool:
    return bool(lapack.dpbtrf(bands, lower=1, overwrite_ab=1)[1] == 0)


def _smallest(bands: Float[np.ndarray, "b n"], size: float) -> float:
    """Just below the smallest eigenvalue, by bisection: shifted by it, B still has a Cholesky factorisation.

    What ``Spectrum`` allows for rounding, n eps times the largest eigenvalue, is for the making of the band. So this
    goes on to what the Cholesky factorisation of b + 1 diagonals can tell, and size is at most sqrt(2b + 1) as large.
    """
    low, high = -2 * size, float(bands[0].min())
    rounding = len(bands) * np.finfo(float).eps * size
    while high - low > max(rounding, 1e-8 * min(abs(low), abs(high))):
        middle = (low + high) / 2
        if middle in (low, high):  # no number between them
            break
        if _positive(_shifted(bands, -middle)):
            low = middle
        else:
            high = middle
    return low
