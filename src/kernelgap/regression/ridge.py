"""Kernel ridge regression: (K + ridge I) a = Y for a whole path of ridges and all outputs from one factorisation."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.regression.band import Banded
from kernelgap.regression.factorisation import Tridiagonal
from kernelgap.regression.spectrum import Spectrum, with_jitter
from kernelgap.rows import check_finite


def default_ridges(mean_diagonal: float, samples: int) -> Float[np.ndarray, " r"]:
    """From interpolation to hardly anything learned, three a decade, relative to the mean of K(x,x).

    The smallest is 1e-9, or what rounding allows: an eigenvalue of n x n entries is uncertain by up to n^2 eps.
    """
    if not mean_diagonal > 0:
        raise InputError("The Gram matrix has no positive trace, so a path of ridges has no scale: give ridges.")
    least = max(1e-9, 4 * samples**2 * np.finfo(float).eps)
    steps = int(np.ceil(3 * np.log10(1e2 / least)))
    return mean_diagonal * np.geomspace(least, 1e2, steps + 1)


@dataclass(frozen=True)
class Solved:
    """The solutions for each of ``ridges`` (in their order). ``spectrum`` says how healthy the Gram matrix is."""

    ridges: Float[np.ndarray, " r"]
    spectrum: Spectrum
    _factors: Tridiagonal | Banded
    _rotated: Float[np.ndarray, "n k"]

    @cached_property
    def coefficients(self) -> Float[np.ndarray, "r n k"]:
        """a = (K + ridge I)^-1 Y for each ridge."""
        return self._by_ridge(self._factors.rotate_back(self._solutions))

    def predict(self, cross: Float[np.ndarray, "t n"]) -> Float[np.ndarray, "r t k"]:
        """Predictions for new samples, given their Gram matrix with the training samples."""
        solutions = self._solutions  # Q' a for every ridge: what is fewer, these or the new samples, is rotated
        if len(cross) < solutions.shape[1]:
            return self._by_ridge(self._factors.rotate(cross.T).T @ solutions)
        return self._by_ridge(cross @ self._factors.rotate_back(solutions))

    @cached_property
    def _solutions(self) -> Float[np.ndarray, "n rk"]:
        """(B + ridge I)^-1 Q' Y for each ridge, side by side."""
        total = self.ridges + self.spectrum.jitter
        return np.concatenate([self._factors.solve(self._rotated, ridge) for ridge in total], axis=1)

    def _by_ridge(self, together: Float[np.ndarray, "t rk"]) -> Float[np.ndarray, "r t k"]:
        parts = together.reshape(len(together), len(self.ridges), -1)
        return np.ascontiguousarray(parts.transpose(1, 0, 2))

    def errors(self, cross: Float[np.ndarray, "t n"], Y: Float[np.ndarray, "t k"]) -> Float[np.ndarray, " r"]:
        """The mean over samples of |prediction - y|^2, for each ridge."""
        return np.mean(np.sum((self.predict(cross) - Y) ** 2, axis=2), axis=1)

    @cached_property
    def training_errors(self) -> Float[np.ndarray, " r"]:
        """The same on the training samples: y - K a = ridge a."""
        total = (self.ridges + self.spectrum.jitter)[:, None, None]
        return np.mean(np.sum((total * self.coefficients) ** 2, axis=2), axis=1)


@dataclass(frozen=True)
class RidgePath(Solved):
    """With errors in closed form, too, which need the whole spectrum."""

    _factors: Tridiagonal

    @cached_property
    def leave_one_out(self) -> Float[np.ndarray, " r"]:
        """The mean of |y_i - prediction of y_i from the other samples|^2, in closed form: a_i / (K + ridge I)^-1_ii."""
        inverse = self._factors.inverse_diagonals(self.ridges + self.spectrum.jitter)
        return np.mean(np.sum((self.coefficients / inverse[:, :, None]) ** 2, axis=2), axis=1)

    @cached_property
    def gcv(self) -> Float[np.ndarray, " r"]:
        """Generalised cross-validation: leave-one-out with the mean of that diagonal in place of each entry."""
        ridges = self.ridges + self.spectrum.jitter
        inverse = np.mean(1.0 / (self._factors.eigenvalues[:, None] + ridges), axis=0)
        return np.mean(np.sum(self.coefficients**2, axis=2), axis=1) / inverse**2


def ridge_path(
    gram: Float[np.ndarray, "n n"],
    Y: Float[np.ndarray, "n k"],
    ridges: object = None,
    *,
    overwrite: bool = False,
) -> RidgePath:
    """Solve for every ridge; the default path spans from interpolation to hardly anything learned.

    ``ridges`` are on the scale of K itself, as scikit-learn's ``alpha``. With ``overwrite`` the Gram matrix is used up.
    """
    targets = check_targets(Y, len(gram))
    chosen = default_ridges(float(np.mean(np.diagonal(gram))), len(gram)) if ridges is None else check_ridges(ridges)
    factors = Tridiagonal.of(gram, overwrite=overwrite)
    spectrum = with_jitter(*factors.extremes, len(targets), float(chosen.min()))
    return RidgePath(chosen, spectrum, factors, factors.rotate(targets))


def check_targets(Y: object, samples: int) -> Float[np.ndarray, "n k"]:
    """One row of finite numbers for each sample."""
    targets = np.asarray(Y, dtype=float)
    if targets.ndim != 2 or len(targets) != samples:
        raise InputError(f"Y must have one row for each of the {samples} samples, not the shape {targets.shape}.")
    check_finite(targets, "Y")
    return targets


def check_ridges(ridges: object) -> Float[np.ndarray, " r"]:
    """One or more numbers of at least 0."""
    try:
        values = np.atleast_1d(np.asarray(ridges, dtype=float))
    except (TypeError, ValueError):
        raise InputError(f"Ridges must be numbers of at least 0, not {ridges!r}.") from None
    if values.ndim != 1 or len(values) == 0 or not np.all(np.isfinite(values)) or np.any(values < 0):
        raise InputError(f"Ridges must be finite numbers of at least 0, not {ridges!r}.")
    return values
