"""One ridge alone: (K + ridge I) a = Y by Cholesky, a quarter of the work of a factorisation for every ridge."""

from contextlib import suppress

import numpy as np
from jaxtyping import Float
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelgap.errors import InputError
from kernelgap.regression.factorisation import as_factorisable
from kernelgap.regression.ridge import check_ridges, check_targets, ridge_path
from kernelgap.regression.spectrum import EPS, MOST_ROUNDING


def solve_ridge(gram: Float[np.ndarray, "n n"], Y: Float[np.ndarray, "n k"], ridge: float) -> Float[np.ndarray, "n k"]:
    """The coefficients for one ridge. Nothing is learned of the spectrum on the way.

    Where K + ridge I is not positive definite, or the ridge so small that rounding might hide it or show in the
    predictions, they are those of ``ridge_path``, with what it warns of and adds.
    """
    ridges = check_ridges(ridge)
    if len(ridges) != 1:
        raise InputError(f"One ridge is solved for at a time, not {len(ridges)}: take ridge_path.")
    gram = as_factorisable(gram, copies=1)
    targets = check_targets(Y, len(gram))
    if ridges[0] >= max(3 * len(gram), 1 / MOST_ROUNDING) * EPS * np.trace(gram):
        shifted = gram.copy().T  # symmetric; transposed, so that LAPACK needs no copy of its own
        shifted[np.diag_indices_from(shifted)] += ridges[0]
        with suppress(LinAlgError):
            factor = cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
            return cho_solve(factor, targets, check_finite=False)
    return ridge_path(gram, targets, ridges).coefficients[0]
