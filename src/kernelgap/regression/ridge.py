"""Kernel ridge regression: (K + ridge I) a = Y for a whole path of ridges and all outputs from one factorisation."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.machine import require_memory
from kernelgap.regression.factorisation import Banded, Tridiagonal
from kernelgap.regression.spectrum import PerRidge, Spectrum, Targets, with_jitter
from kernelgap.rows import check_finite


def default_ridges(mean_diagonal: float, samples: int) -> PerRidge:
    """From 1e-9 to 100 times the mean of K(x,x): from near interpolation to hardly anything learned, three a decade.

    From 1,062 samples on the smallest is 4 n^2 eps instead, what rounding allows: an eigenvalue of n x n entries is
    uncertain by up to n^2 eps. With 10,000 samples that is 9e-8.

    Parameters
    ----------
    mean_diagonal
        The mean of K(x,x) over the samples.
    samples
        Their number n.

    Returns
    -------
    numpy.ndarray
        The ridges, from the smallest up.

    Raises
    ------
    InputError
        If the mean is not positive.
    """
    if not mean_diagonal > 0:
        raise InputError("The Gram matrix has no positive trace, so a path of ridges has no scale: give ridges.")
    least = max(1e-9, 4 * samples**2 * np.finfo(float).eps)
    steps = int(np.ceil(3 * np.log10(1e2 / least)))
    return mean_diagonal * np.geomspace(least, 1e2, steps + 1)


def ridges_or_default(ridges: object, gram: np.ndarray, samples: int) -> PerRidge:
    """The ridges checked; without any, the default path for a Gram matrix."""
    return default_ridges(float(np.mean(np.diagonal(gram))), samples) if ridges is None else check_ridges(ridges)


@dataclass(frozen=True)
class Solved:
    """The solutions for each of ``ridges``, in their order.

    Attributes
    ----------
    ridges
        As asked for, on the scale of K.
    added
        The ridges with what each needed on top: what was added to the diagonal in all.
    spectrum
        How healthy the Gram matrix is.
    """

    ridges: PerRidge
    added: PerRidge
    spectrum: Spectrum
    _factors: Tridiagonal | Banded
    _rotated: Targets

    @cached_property
    def coefficients(self) -> Float[np.ndarray, "r n k"]:
        """a = (K + ridge I)^-1 Y for each ridge."""
        solutions = self._solutions
        self._require(3 * solutions.size, "The coefficients")
        return self._by_ridge(self._factors.rotate_back(solutions))

    def predict(self, cross: np.ndarray) -> Float[np.ndarray, "r t k"]:
        """Predictions for t new samples, given their Gram matrix (t, n) with the training samples."""
        cross = np.asarray(cross, dtype=float)
        n = len(self._rotated)
        if cross.ndim != 2 or cross.shape[1] != n:
            what = f"K(new, train) with a column for each of the {n} training samples"
            raise InputError(f"Predictions need {what}, not the shape {cross.shape}.")
        solutions = self._solutions  # Q' a for every ridge: what is fewer, these or the new samples, is rotated
        fewer = min(len(cross), solutions.shape[1])
        self._require(2 * len(cross) * solutions.shape[1] + 2 * n * fewer, f"Predictions of {len(cross)} samples")
        if len(cross) < solutions.shape[1]:
            return self._by_ridge(self._factors.rotate(cross.T).T @ solutions)
        return self._by_ridge(cross @ self._factors.rotate_back(solutions))

    @cached_property
    def _solutions(self) -> Float[np.ndarray, "n rk"]:
        """(B + ridge I)^-1 Q' Y for each ridge, side by side."""
        self._require(2 * len(self.ridges) * self._rotated.size, "The coefficients")
        return np.concatenate([self._factors.solve(self._rotated, ridge) for ridge in self.added], axis=1)

    def _require(self, numbers: int, what: str) -> None:
        r, (n, k) = len(self.ridges), self._rotated.shape
        what = f"{what} for {r} ridges and {k} outputs with {n} training samples"
        require_memory(8 * numbers, what, "Take fewer ridges, outputs or new samples at a time.")

    def _by_ridge(self, together: Float[np.ndarray, "t rk"]) -> Float[np.ndarray, "r t k"]:
        parts = together.reshape(len(together), len(self.ridges), -1)
        return np.ascontiguousarray(parts.transpose(1, 0, 2))

    def only(self, place: int) -> "Solved":
        """The same for one of the ridges alone, by its place in the path."""
        one = slice(place, place + 1)
        return Solved(self.ridges[one], self.added[one], self.spectrum, self._factors, self._rotated)

    def errors(self, cross: np.ndarray, Y: object) -> PerRidge:
        """The mean over samples of |prediction - y|^2, for each ridge."""
        return mean_errors(self.predict(cross), Y)


@dataclass(frozen=True)
class RidgePath(Solved):
    """Solutions for each ridge, with errors in closed form, which need the whole spectrum.

    Attributes
    ----------
    leave_one_out, gcv
        The leave-one-out error of each ridge, and that of generalised cross-validation.
    """

    _factors: Tridiagonal

    @cached_property
    def leave_one_out(self) -> PerRidge:
        """The mean of |y_i - prediction of y_i from the other samples|^2, in closed form: a_i / (K + ridge I)^-1_ii."""
        inverse = self._factors.inverse_diagonals(self.added)
        return np.mean(np.sum((self.coefficients / inverse[:, :, None]) ** 2, axis=2), axis=1)

    @cached_property
    def gcv(self) -> PerRidge:
        """Generalised cross-validation: leave-one-out with the mean of that diagonal in place of each entry."""
        inverse = np.mean(1.0 / (self._factors.eigenvalues[:, None] + self.added), axis=0)
        return np.mean(np.sum(self.coefficients**2, axis=2), axis=1) / inverse**2


def ridge_path(gram: np.ndarray, Y: object, ridges: object = None, *, overwrite: bool = False) -> RidgePath:
    """Kernel ridge regression for every ridge, from one factorisation.

    Parameters
    ----------
    gram
        The Gram matrix of the n training samples.
    Y
        Targets (n, k).
    ridges
        On the scale of K itself, as scikit-learn's ``alpha``; by default ``default_ridges``.
    overwrite
        Whether the Gram matrix may be used up.

    Returns
    -------
    RidgePath
        Coefficients, predictions and errors for each ridge.
    """
    targets = check_targets(Y, len(gram))
    chosen = ridges_or_default(ridges, gram, len(gram))
    factors = Tridiagonal.of(gram, overwrite=overwrite)
    spectrum = with_jitter(*factors.extremes, len(targets), chosen)
    return RidgePath(chosen, spectrum.safe(chosen), spectrum, factors, factors.rotate(targets))


def mean_errors(predictions: Float[np.ndarray, "r t k"], Y: object) -> PerRidge:
    """The mean over samples of |prediction - y|^2, for each ridge."""
    _, samples, outputs = predictions.shape
    targets = check_targets(Y, samples)
    if targets.shape[1] != outputs:
        raise InputError(f"Y must have {outputs} columns, as in training, not {targets.shape[1]}.")
    return np.mean(np.sum((predictions - targets) ** 2, axis=2), axis=1)


def check_targets(Y: object, samples: int | None = None) -> Targets:
    """One row of finite numbers for each sample."""
    try:
        targets = np.asarray(Y, dtype=float)
    except (TypeError, ValueError):
        raise InputError("Y must be a table of numbers.") from None
    if targets.ndim != 2 or samples not in (None, len(targets)):
        which = "sample" if samples is None else f"of the {samples} samples"
        raise InputError(f"Y must have one row for each {which}, not the shape {targets.shape}.")
    check_finite(targets, "Y")
    return targets


def check_ridges(ridges: object) -> PerRidge:
    """One or more numbers of at least 0."""
    mistake = InputError(f"Ridges must be finite numbers of at least 0, not {ridges!r}.")
    try:
        values = np.atleast_1d(np.asarray(ridges))
    except ValueError:
        raise mistake from None
    if values.dtype.kind not in "iuf" or values.ndim != 1 or len(values) == 0:
        raise mistake
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise mistake
    return values.astype(float)


def one_ridge(ridge: object) -> PerRidge:
    """A single ridge, checked."""
    ridges = check_ridges(ridge)
    if len(ridges) != 1:
        raise InputError(f"One ridge is solved for at a time, not {len(ridges)}: take ridge_path.")
    return ridges
