"""One factorisation for every ridge: K = Q T Q' with T tridiagonal.

K + ridge I = Q (T + ridge I) Q', and a tridiagonal system is solved in O(n). So a whole path of ridges costs little
more than the factorisation, which costs about 4/3 n^3: a third of an eigendecomposition.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigh_tridiagonal, eigvalsh_tridiagonal, lapack, solveh_banded

from kernelgap.errors import InputError
from kernelgap.machine import available_memory, require_memory
from kernelgap.rows import check_finite

Columns = Float[np.ndarray, "n k"]
SYMMETRY_ROWS = 256  # compared at a time


def as_factorisable(matrix: object, *, copies: int) -> Float[np.ndarray, "n n"]:
    """In float64, square, finite, symmetric, and with memory left for so many more of its size."""
    try:
        gram = np.asarray(matrix, dtype=float)
    except (TypeError, ValueError):
        raise InputError("A Gram matrix must be a table of numbers.") from None
    n = len(gram)
    if gram.shape != (n, n) or n == 0:
        raise InputError(f"A Gram matrix of the training samples is square, not of the shape {gram.shape}.")
    require_memory(
        8 * n * n * copies,
        f"Factorising a Gram matrix of {n} x {n}",
        f"Take fewer samples (up to about {int((available_memory() / 16) ** 0.5)} fit).",
    )
    check_finite(gram, "The Gram matrix")
    enough = 1e-8 * float(np.max(np.abs(gram)))
    for i in range(0, n, SYMMETRY_ROWS):
        apart = np.abs(gram[i : i + SYMMETRY_ROWS] - gram[:, i : i + SYMMETRY_ROWS].T)
        if np.max(apart) > enough:
            row, column = np.unravel_index(np.argmax(apart), apart.shape)
            where = f"entries ({i + row}, {column}) and ({column}, {i + row}) differ"
            raise InputError(f"A Gram matrix is symmetric, but {where} (counted from 0).")
    return gram


@dataclass(frozen=True)
class Tridiagonal:
    """K = Q T Q'. Q is kept as the reflections that it is a product of."""

    diagonal: Float[np.ndarray, " n"]
    beside: Float[np.ndarray, " n-1"]
    _reflections: Float[np.ndarray, "n n"]
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

    def rotate(self, columns: Columns) -> Columns:
        """Q' times columns."""
        return self._apply(columns, "T")

    def rotate_back(self, columns: Columns) -> Columns:
        """Q times columns."""
        return self._apply(columns, "N")

    def _apply(self, columns: Columns, transposed: str) -> Columns:
        if len(self.diagonal) == 1:
            return columns.copy()
        turned = np.array(columns, dtype=float, order="F")
        below = self._reflections[1:, :-1]  # Q is 1 on the first coordinate, reflections on the others
        part = np.asfortranarray(turned[1:])
        size = int(lapack.dormqr("L", transposed, below, self._scales, part, -1)[1][0])
        turned[1:] = lapack.dormqr("L", transposed, below, self._scales, part, size, overwrite_c=1)[0]
        return turned

    def solve(self, rotated: Columns, ridge: float) -> Columns:
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
        last = len(self.diagonal) - 1
        ends = [eigvalsh_tridiagonal(self.diagonal, self.beside, select="i", select_range=(i, i))[0] for i in (0, last)]
        return float(ends[0]), float(ends[1])

    @cached_property
    def eigenvalues(self) -> Float[np.ndarray, " n"]:
        """All eigenvalues, from the smallest up."""
        if len(self.diagonal) == 1:
            return self.diagonal
        return eigvalsh_tridiagonal(self.diagonal, self.beside)

    def inverse_diagonals(self, ridges: Float[np.ndarray, " r"]) -> Float[np.ndarray, "r n"]:
        """The diagonals of (K + ridge I)^-1, from the eigenvectors: sum_j V_ij^2 / (w_j + ridge)."""
        n = len(self.diagonal)
        require_memory(24 * n * n, f"The eigenvectors of {n} x {n}", "Choose the ridge on held-out data instead.")
        values, vectors = eigh_tridiagonal(self.diagonal, self.beside) if n > 1 else (self.diagonal, np.ones((1, 1)))
        squared = self.rotate_back(vectors) ** 2
        return (squared @ (1.0 / (values[:, None] + ridges))).T
