"""One factorisation for every ridge: K = Q T Q' with T tridiagonal, or with a band in its place.

K + ridge I = Q (T + ridge I) Q', and a tridiagonal or banded system is solved in O(n). So a whole path of ridges costs
little more than the factorisation, which costs about 4/3 n^3: a third of an eigendecomposition. Stopping at a band
leaves nothing but matrix products: half of the time of a tridiagonal form, and several can be made side by side. It
serves where no eigenvalues are needed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigh_tridiagonal, eigvalsh_tridiagonal, lapack, solveh_banded

from kernelgap.errors import InputError
from kernelgap.machine import available_memory, require_memory
from kernelgap.regression.spectrum import PerRidge, Square, Targets
from kernelgap.rows import check_finite

SYMMETRY_ROWS = 256  # compared at a time
NARROW, WIDE = 32, 64  # diagonals below the main one: many make the products faster, few the solutions
LARGE = 2000  # from so many rows on, it is the products that matter
ROWS = 256  # rows of the trailing matrix that are updated at a time
COLUMNS = 128  # columns that are rotated at a time


def as_factorisable(matrix: object, *, copies: int, known_symmetric: bool = False) -> Square:
    """The matrix in float64, if it is square, finite and symmetric, and memory is left for so many copies."""
    try:
        gram = np.asarray(matrix, dtype=float)
    except (TypeError, ValueError):
        raise InputError("A Gram matrix must be a table of numbers.") from None
    n = len(gram)
    if gram.shape != (n, n) or n == 0:
        raise InputError(f"A Gram matrix of the training samples is square, not of the shape {gram.shape}.")
    advice = f"Take fewer samples (up to about {int((available_memory() / 16) ** 0.5)} fit)."
    require_memory(8 * n * n * copies, f"Factorising a Gram matrix of {n} x {n}", advice)
    check_finite(gram, "The Gram matrix")
    if known_symmetric:
        return gram
    enough = 1e-8 * float(max(gram.max(), -gram.min()))
    starts = range(0, n, SYMMETRY_ROWS)
    if any(_apart(gram, i, j).max() > enough for i in starts for j in range(0, i + 1, SYMMETRY_ROWS)):
        row, column = np.unravel_index(np.argmax(np.abs(gram - gram.T)), gram.shape)
        where = f"entries ({row}, {column}) and ({column}, {row}) differ"
        raise InputError(f"A Gram matrix is symmetric, but {where} (counted from 0).")
    return gram


def _apart(gram: Square, i: int, j: int) -> Float[np.ndarray, "a b"]:
    """How much a square of the matrix differs from the one opposite."""
    rows, columns = slice(i, i + SYMMETRY_ROWS), slice(j, j + SYMMETRY_ROWS)
    return np.abs(gram[rows, columns] - gram[columns, rows].T)


@dataclass(frozen=True)
class Tridiagonal:
    """K = Q T Q'. Q is kept as the reflections that it is a product of."""

    diagonal: Float[np.ndarray, " n"]
    beside: Float[np.ndarray, " n-1"]
    _reflections: Square
    _scales: Float[np.ndarray, " n-1"]

    @classmethod
    def of(cls, gram: np.ndarray, *, overwrite: bool = False) -> "Tridiagonal":
        """Factorise a symmetric matrix (its lower half is read), in place if it may be overwritten."""
        given, gram = gram, as_factorisable(gram, copies=1 if overwrite else 2)
        overwrite = overwrite and gram is given and bool(gram.flags.writeable)
        n = len(gram)
        if n == 1:
            return cls(gram[0].astype(float), np.zeros(0), np.zeros((1, 1)), np.zeros(0))
        size = int(lapack.dsytrd_lwork(n, lower=1)[0])
        # a C-ordered symmetric matrix is its own Fortran-ordered transpose
        matrix = gram.T if overwrite and gram.flags.c_contiguous else np.array(gram, dtype=float, order="F")
        reflections, diagonal, beside, scales, _ = lapack.dsytrd(matrix, lower=1, lwork=size, overwrite_a=1)
        return cls(diagonal, beside, reflections, scales)

    def rotate(self, columns: Targets) -> Targets:
        """Q' times columns."""
        return self._apply(columns, "T")

    def rotate_back(self, columns: Targets) -> Targets:
        """Q times columns."""
        return self._apply(columns, "N")

    def _apply(self, columns: Targets, transposed: str) -> Targets:
        if len(self.diagonal) == 1:
            return columns.copy()
        turned = np.array(columns, dtype=float, order="F")
        below = self._reflections[1:, :-1]  # Q is 1 on the first coordinate, reflections on the others
        part = np.asfortranarray(turned[1:])
        size = int(lapack.dormqr("L", transposed, below, self._scales, part, -1)[1][0])
        turned[1:] = lapack.dormqr("L", transposed, below, self._scales, part, size, overwrite_c=1)[0]
        return turned

    def solve(self, rotated: Targets, ridge: float) -> Targets:
        """(T + ridge I)^-1 times columns; T + ridge I must be positive definite."""
        if len(self.diagonal) == 1:
            return rotated / (self.diagonal[0] + ridge)
        bands = np.stack([self.diagonal + ridge, np.append(self.beside, 0.0)])
        return solveh_banded(bands, rotated, lower=True, check_finite=False)

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue."""
        if len(self.diagonal) == 1:
            return float(self.diagonal[0]), float(self.diagonal[0])
        ends = (0, 0), (len(self.diagonal) - 1,) * 2
        low, high = (eigvalsh_tridiagonal(self.diagonal, self.beside, select="i", select_range=e)[0] for e in ends)
        return float(low), float(high)

    @cached_property
    def eigenvalues(self) -> Float[np.ndarray, " n"]:
        """All eigenvalues, from the smallest up."""
        if len(self.diagonal) == 1:
            return self.diagonal
        return eigvalsh_tridiagonal(self.diagonal, self.beside)

    def inverse_diagonals(self, ridges: PerRidge) -> Float[np.ndarray, "r n"]:
        """The diagonals of (K + ridge I)^-1, from the eigenvectors: sum_j V_ij^2 / (w_j + ridge)."""
        n = len(self.diagonal)
        require_memory(24 * n * n, f"The eigenvectors of {n} x {n}", "Choose the ridge on held-out data instead.")
        values, vectors = eigh_tridiagonal(self.diagonal, self.beside) if n > 1 else (self.diagonal, np.ones((1, 1)))
        squared = self.rotate_back(vectors) ** 2
        return (squared @ (1.0 / (values[:, None] + ridges))).T


@dataclass(frozen=True)
class Banded:
    """K = Q B Q'. Q is kept as products of reflections, I - V T V' for each step of some columns."""

    bands: Float[np.ndarray, "b n"]  # row i is the diagonal i below the main one, filled up with zeros
    _reflections: Square
    _triangles: list[np.ndarray]

    @classmethod
    def of(cls, gram: Square) -> "Banded":
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

    def rotate(self, columns: Targets) -> Targets:
        """Q' times columns."""
        return self._apply(columns, [(start, V, T.T) for start, V, T in self._steps()])

    def rotate_back(self, columns: Targets) -> Targets:
        """Q times columns."""
        return self._apply(columns, reversed(list(self._steps())))

    def _steps(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        width = len(self.bands) - 1
        for i, triangle in enumerate(self._triangles):
            start = (i + 1) * width
            yield start, self._reflections[start:, start - width : start], triangle

    @staticmethod
    def _apply(columns: Targets, steps: Iterable[tuple[int, np.ndarray, np.ndarray]]) -> Targets:
        parts = [columns[:, i : i + COLUMNS].copy() for i in range(0, columns.shape[1], COLUMNS)]
        for start, packed, triangle in steps:
            V = _reflections(packed)
            for part in parts:
                part[start:] -= V @ (triangle @ (V.T @ part[start:]))
        return np.concatenate(parts, axis=1)

    def solve(self, rotated: Targets, ridge: float) -> Targets:
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


def _reflect_both_sides(gram: Square, start: int, V: np.ndarray, triangle: np.ndarray) -> None:
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
