"""The proof without a solve in ball arithmetic: weights by refinement, and a bound for what they miss.

Any weights w give |H|^2 - 2 b'w + w'Gw, a risk that is attained; with the residual r = b - Gw the least one is lower by
r' G^-1 r, which is at most |r|^2 over the smallest eigenvalue of G. The weights come from float64 and are refined with
residuals in ball arithmetic; risk and residual are enclosed. The smallest eigenvalue is bounded from below through the
part of G above some degree (what is left out is positive semi-definite): if a Cholesky factorisation of that part less
s times the identity runs to its end in floating point, no eigenvalue is below s by more than its rounding, for which
Rump (BIT 46, 2006) gives a bound that holds for any order of operations.
"""

from collections.abc import Callable

import numpy as np
from flint import arb, arb_mat
from jaxtyping import Float
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigvalsh

from kernelgap.certificates.floors.spectral import gram_above, most_apart, parities_up_to, uncertainty_above
from kernelgap.kernels.cube.spectrum import CubeSpectrum
from kernelgap.progress import Progress

ROUNDS = 12
UNIT = 2.0**-53
LEAST = 1e-250  # trace of a matrix in whose factorisation nothing underflows


def refine(
    spectrum: CubeSpectrum,
    signs: Float[np.ndarray, "n d"],
    gram: arb_mat,
    right: arb_mat,
    norm: arb,
    tight: arb,
    on_progress: Progress,
) -> arb | None:
    """A ball that contains norm - trace(right' gram^-1 right), no wider than ``tight``; None if this way is closed."""
    for degree in dict.fromkeys((most_apart(spectrum, len(signs)), -1)):
        on_progress(0.1, f"the smallest eigenvalue, above degree {degree}")
        high = gram_above(spectrum, signs, degree)
        smallest = smallest_eigenvalue(high, blurred=uncertainty_above(spectrum, degree))
        if smallest is None:
            continue
        try:
            solve = _solver(spectrum, signs, high, degree)
        except LinAlgError:
            continue
        weights = arb_mat(right.nrows(), right.ncols())
        residual = right
        before = None
        for i in range(ROUNDS):
            missed = _squares(residual) / smallest
            risk = norm - _inner(right, weights) - _inner(weights, residual)
            if missed.upper() + risk.rad() <= tight:
                return (risk - missed.upper()).lower().union(risk.upper())
            if before is not None and missed.upper() > before / 4:
                break  # refinement does not converge
            before = missed.upper()
            on_progress(0.2 + 0.8 * i / ROUNDS, f"refining {len(signs)} weights, {i + 1}")
            weights = _middle(weights + _solved(solve, residual))
            residual = right - gram * weights
    return None


def smallest_eigenvalue(matrix: Float[np.ndarray, "n n"], blurred: float = 0.0) -> arb | None:
    """A proved lower bound of the smallest eigenvalue of what ``matrix`` is the rounding of; None if none is found.

    Before rounding, each entry may have been off by ``blurred``.
    """
    n = len(matrix)
    try:
        guess = float(eigvalsh(matrix, subset_by_index=[0, 0])[0])
    except LinAlgError:
        return None
    trace, rows = float(np.trace(matrix)), float(np.abs(matrix).sum(axis=1).max())
    # Rump's bound with twice its constant, and the rounding of the entries themselves (a unit each, taken twice)
    lost = 4 * (n + 2) * UNIT * trace + 2 * UNIT * rows + 2 * n * blurred
    if trace < LEAST:
        return None
    for share in (0.9, 0.5):
        shift = share * guess
        if shift <= 2 * lost:
            return None
        try:
            cho_factor(matrix - shift * np.eye(n), lower=True)
        except LinAlgError:
            continue
        return arb(shift) - arb(lost) * 2
    return None


def _solver(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], high: Float[np.ndarray, "n n"], degree: int
) -> Callable[[np.ndarray], np.ndarray]:
    """Roughly G^-1 times a vector, in float64: G is ``high`` and the low parities, which Woodbury's formula adds."""
    factor = cho_factor(high, lower=True)
    low = parities_up_to(spectrum, signs, degree)
    if low.shape[1] == 0:
        return lambda v: np.asarray(cho_solve(factor, v))
    through = cho_solve(factor, low)
    inner = cho_factor(np.eye(low.shape[1]) + low.T @ through, lower=True)

    def solve(v: np.ndarray) -> np.ndarray:
        direct = cho_solve(factor, v)
        return np.asarray(direct - through @ cho_solve(inner, low.T @ direct))

    return solve


def _solved(solve: Callable[[np.ndarray], np.ndarray], residual: arb_mat) -> arb_mat:
    """The correction, scaled so that small residuals stay within float64's range."""
    largest = max(entry.abs_upper() for entry in residual.entries())
    if largest == 0:
        return arb_mat(residual.nrows(), residual.ncols())
    scaled = [float((entry / largest).mid()) for entry in residual.entries()]
    found = solve(np.array(scaled).reshape(residual.nrows(), residual.ncols()))
    return arb_mat([[arb(value) * largest.mid() for value in row] for row in found.tolist()])


def _middle(matrix: arb_mat) -> arb_mat:
    """The midpoints: exact numbers to go on with."""
    return arb_mat(matrix.nrows(), matrix.ncols(), [entry.mid() for entry in matrix.entries()])


def _inner(first: arb_mat, second: arb_mat) -> arb:
    return sum((a * b for a, b in zip(first.entries(), second.entries(), strict=True)), start=arb(0))


def _squares(matrix: arb_mat) -> arb:
    return _inner(matrix, matrix)
