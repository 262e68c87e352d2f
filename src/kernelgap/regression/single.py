"""One ridge alone: (K + ridge I) a = Y by Cholesky, a quarter of the work of a factorisation for every ridge.

The ends of the spectrum are found by Lanczos' method then, with products by K and by (K + ridge I)^-1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from kernelgap.errors import InputError
from kernelgap.regression.factorisation import as_factorisable
from kernelgap.regression.ridge import check_ridges, check_targets, ridge_path
from kernelgap.regression.spectrum import Spectrum

FEW = 300  # samples up to which a path takes no longer
ACCURACY = 1e-9  # of the ends of the spectrum
VECTORS, RESTARTS = 40, 3  # of Lanczos' method; what is not found then, is slow to find
START = 20190523  # of the vector that Lanczos' method starts with


@dataclass(frozen=True)
class Cholesky:
    """K + ridge I = L L'."""

    gram: Float[np.ndarray, "n n"]
    ridge: float
    _lower: Float[np.ndarray, "n n"]

    @classmethod
    def of(cls, gram: Float[np.ndarray, "n n"], ridge: float) -> "Cholesky | None":
        """None where K + ridge I is not positive definite, or the ridge so small that rounding might hide it."""
        if ridge < 3 * len(gram) * np.finfo(float).eps * np.trace(gram):
            return None
        shifted = gram.copy().T  # symmetric; transposed, so that LAPACK needs no copy of its own
        shifted[np.diag_indices_from(shifted)] += ridge
        try:
            lower, _ = cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        return cls(gram, ridge, lower)

    def solve(self, columns: np.ndarray) -> np.ndarray:
        return cho_solve((self._lower, True), columns, check_finite=False)

    @cached_property
    def spectrum(self) -> Spectrum | None:
        """The ends of the spectrum of K; None where they are not found to rounding.

        1 / (lambda + ridge) has its largest value at the smallest lambda, which is lost in rounding if the ridge is
        much larger than all of them.
        """
        n = len(self.gram)
        inverse = LinearOperator((n, n), matvec=self.solve, dtype=float)
        start = np.random.default_rng(START).standard_normal(n)
        effort = {"v0": start, "tol": ACCURACY, "ncv": VECTORS, "maxiter": RESTARTS}
        try:
            ends = [
                float(eigsh(matrix, k=1, which="LA", return_eigenvectors=False, **effort)[0])
                for matrix in (self.gram, inverse)
            ]
        except ArpackError:
            return None
        return None if self.ridge > ends[0] else Spectrum(n, 1 / ends[1] - self.ridge, ends[0])


def solve_ridge(gram: Float[np.ndarray, "n n"], Y: Float[np.ndarray, "n k"], ridge: float) -> Float[np.ndarray, "n k"]:
    """The coefficients for one ridge. Nothing is learned of the spectrum on the way.

    Where Cholesky's factorisation will not do they are those of ``ridge_path``, with what it warns of and adds.
    """
    gram, targets, ridges = _checked(gram, Y, ridge)
    factor = Cholesky.of(gram, float(ridges[0]))
    return ridge_path(gram, targets, ridges).coefficients[0] if factor is None else factor.solve(targets)


def solve_with_spectrum(
    gram: Float[np.ndarray, "n n"], Y: Float[np.ndarray, "n k"], ridge: float
) -> tuple[Float[np.ndarray, "n k"], Spectrum]:
    """The coefficients for one ridge, and how healthy the Gram matrix is; if it is not, by ``ridge_path``."""
    gram, targets, ridges = _checked(gram, Y, ridge)
    found = solve_if_healthy(gram, targets, ridges)
    if found is not None:
        return found
    path = ridge_path(gram, targets, ridges)
    return path.coefficients[0], path.spectrum


def solve_if_healthy(
    gram: Float[np.ndarray, "n n"], Y: Float[np.ndarray, "n k"], ridges: Float[np.ndarray, " 1"]
) -> tuple[Float[np.ndarray, "n k"], Spectrum] | None:
    """The same, and None where the matrix is not positive semi-definite, its ridge in need of more, or it is small."""
    factor = Cholesky.of(gram, float(ridges[0])) if len(gram) > FEW else None
    spectrum = None if factor is None else factor.spectrum
    if factor is None or spectrum is None or not spectrum.positive or spectrum.safe(ridges)[0] > ridges[0]:
        return None
    return factor.solve(Y), spectrum


def _checked(gram: object, Y: object, ridge: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ridges = check_ridges(ridge)
    if len(ridges) != 1:
        raise InputError(f"One ridge is solved for at a time, not {len(ridges)}: take ridge_path.")
    gram = as_factorisable(gram, copies=1)
    return gram, check_targets(Y, len(gram)), ridges
