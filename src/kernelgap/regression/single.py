"""One given ridge: (K + ridge I) a = Y by Cholesky, at a quarter of the cost of a factorisation for every ridge."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from kernelgap.regression.factorisation import as_factorisable
from kernelgap.regression.ridge import check_targets, one_ridge, ridge_path
from kernelgap.regression.spectrum import EPS, MOST_ROUNDING, Spectrum, Square, Targets, with_jitter

FEW, FEW_REFINED = 1500, 300  # samples for which the whole spectrum costs no more, or no more than a factor in float32
STEPS = 16  # dimensions of the Krylov space that the ends of a spectrum are found in, at most
GROWTH = 0.01  # share by which a step must raise an estimate for another step: then estimates are within 4% (measured)
NOTHING_NEW = 1e-6  # share of a product that, where no more of it is outside the space, adds nothing to that
MOST_REFINEMENTS = 12
TINY = float(np.finfo(float).tiny)


class Solution(NamedTuple):
    """What one ridge gives.

    Attributes
    ----------
    coefficients
        a with (K + ridge I) a = Y.
    spectrum
        How healthy the Gram matrix is. Above 300 samples its ends may be estimates from a Krylov space: the largest
        eigenvalue is no less, and the smallest no more, than the spectrum says, by some per cent.
    """

    coefficients: Targets
    spectrum: Spectrum


def solve_with_spectrum(gram: Square, Y: Targets, ridge: float, *, positive: bool = False) -> Solution:
    """The coefficients for one ridge, and the health of the Gram matrix.

    By Cholesky where K is positive semi-definite and the ridge so large that rounding does not show; else by
    ``ridge_path``, with what it warns of and adds.

    Parameters
    ----------
    gram, Y, ridge
        The Gram matrix (n, n), targets (n, k), and one ridge on the scale of K.
    positive
        Whether K is known to be positive semi-definite, as that of a kernel with a formula is. It is then not tested,
        and a factor in float32 serves, refined to float64, where K + ridge I is well enough conditioned.

    Returns
    -------
    Solution
    """
    ridges = one_ridge(ridge)
    gram = as_factorisable(gram, copies=1, known_symmetric=positive)
    targets = check_targets(Y, len(gram))
    safe = ridges[0] >= safe_ridge(gram)
    if positive and safe and len(gram) > FEW_REFINED:
        solution = _refined(gram, targets, float(ridges[0]))
        if solution is not None:
            return solution
    if safe and len(gram) > FEW:
        work = np.empty_like(gram, order="C")
        ends = _ends(gram, work)
        if ends is not None and _cholesky(gram, float(ridges[0]), work):
            spectrum = with_jitter(*ends, len(gram), ridges)
            return Solution(_solve(work, targets), spectrum)
    path = ridge_path(gram, targets, ridges)
    return Solution(path.coefficients[0], path.spectrum)


def solve_ridge(gram: Square, Y: Targets, ridge: float) -> Targets:
    """The coefficients for one ridge, by Cholesky: a quarter of the work of ``ridge_path``.

    Where K + ridge I is not positive definite, or the ridge so small that rounding might hide it or show in the
    predictions, they are those of ``ridge_path``, with what it warns of and adds.

    Parameters
    ----------
    gram, Y, ridge
        The Gram matrix (n, n), targets (n, k), and one ridge on the scale of K.

    Returns
    -------
    numpy.ndarray
        The coefficients (n, k).
    """
    ridges = one_ridge(ridge)
    gram = as_factorisable(gram, copies=1)
    targets = check_targets(Y, len(gram))
    if ridges[0] >= safe_ridge(gram):
        work = np.empty_like(gram, order="C")
        if _cholesky(gram, float(ridges[0]), work):
            return _solve(work, targets)
    return ridge_path(gram, targets, ridges).coefficients[0]


def safe_ridge(gram: Square) -> float:
    """Above this ridge no jitter is added and no warning is due: the trace bounds the largest eigenvalue."""
    return float(max(3 * len(gram), 1 / MOST_ROUNDING) * EPS * np.trace(gram))


def _cholesky(gram: Square, added: float, work: Square) -> bool:
    """Whether K + added I has a Cholesky factor, which then is in the lower half of ``work.T``."""
    np.copyto(work, gram)  # symmetric; transposed, so that LAPACK needs no copy of its own
    work[np.diag_indices_from(work)] += added
    return bool(lapack.dpotrf(work.T, lower=1, clean=0, overwrite_a=1)[1] == 0)


def _solve(work: Square, columns: Targets) -> Targets:
    """(L L')^-1 times columns, in the precision of the factor. LAPACK is slow where there is one column."""
    trsv, potrs = (blas.strsv, lapack.spotrs) if work.dtype == np.float32 else (blas.dtrsv, lapack.dpotrs)
    if columns.shape[1] == 1:
        return trsv(work.T, trsv(work.T, columns[:, 0], lower=1), lower=1, trans=1)[:, None]
    return potrs(work.T, columns, lower=1)[0]


def _refined(gram: Square, Y: Targets, ridge: float) -> Solution | None:
    """The solution with a Cholesky factor in float32 and residuals in float64; None if the steps do not converge."""
    work = gram.astype(np.float32, order="C")
    work[np.diag_indices_from(work)] += np.float32(ridge)
    if lapack.spotrf(work.T, lower=1, clean=0, overwrite_a=1)[1] != 0:
        return None

    def solve(columns: Targets) -> Targets:
        sizes = np.linalg.norm(columns, axis=0)
        sizes[sizes == 0] = 1.0
        return _solve(work, (columns / sizes).astype(np.float32)).astype(float) * sizes

    largest = _largest(partial(_product, gram), len(gram))
    coefficients, before = solve(Y), np.inf
    for _ in range(MOST_REFINEMENTS):
        residual = Y - _product(gram, coefficients) - ridge * coefficients
        # as small as rounding leaves it: |b - A x| <= n eps |A| |x|
        left = np.linalg.norm(residual) / (
            EPS * len(gram) ** 0.5 * (largest + ridge) * np.linalg.norm(coefficients) + TINY
        )
        if left <= 1:
            smallest = min(max(0.0, 1 / _largest(solve, len(gram)) - ridge), largest)
            return Solution(coefficients, with_jitter(smallest, largest, len(gram), np.array([ridge])))
        if not left < before / 2:
            return None
        coefficients, before = coefficients + solve(residual), left
    return None


def _ends(gram: Square, work: Square) -> tuple[float, float] | None:
    """About the smallest and the largest eigenvalue; None if K is not positive semi-definite."""
    largest = _largest(partial(_product, gram), len(gram))
    added = (len(gram) * EPS + 1e-12) * largest  # what ``Spectrum.positive`` allows
    if not _cholesky(gram, added, work):
        return None
    inverse = _largest(partial(_solve, work), len(gram))
    return 1 / inverse - added, largest


def _product(gram: Square, columns: Targets) -> Targets:
    """The product by SciPy's BLAS, as the factors: NumPy has threads of its own, and each set waits for the other."""
    if columns.shape[1] == 1:
        return blas.dsymv(1.0, gram.T, columns[:, 0], lower=1)[:, None]
    return blas.dgemm(1.0, gram.T, columns)


def _largest(product: Callable[[Targets], Targets], n: int) -> float:
    """The largest eigenvalue of a positive matrix, or a little less: the best over a Krylov space (Lanczos)."""
    basis = images = np.empty((n, 0))
    vector, largest = np.random.default_rng(0).standard_normal((n, 1)), 0.0
    for _ in range(min(STEPS, n)):
        length = float(np.linalg.norm(vector))
        for _ in range(2):  # once leaves what rounding left of it
            vector = vector - basis @ (basis.T @ vector)
        left = float(np.linalg.norm(vector))
        if not left > NOTHING_NEW * length:
            break
        vector = vector / left
        image = product(vector)
        basis, images = np.concatenate([basis, vector], axis=1), np.concatenate([images, image], axis=1)
        vector, before, projected = image, largest, basis.T @ images
        largest = float(np.linalg.eigvalsh((projected + projected.T) / 2)[-1])
        if before > 0 and not largest > (1 + GROWTH) * before:
            break
    return largest
