"""Which ridge: by held-out data, by folds, by leave-one-out or by generalised cross-validation."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError, unknown
from kernelgap.machine import available_memory, one_blas_thread, threads
from kernelgap.regression.band import Banded
from kernelgap.regression.factorisation import as_factorisable
from kernelgap.regression.ridge import Solved, check_ridges, check_targets, default_ridges, ridge_path
from kernelgap.regression.spectrum import Spectrum, with_jitter

SELECTIONS = ("holdout", "folds", "loo", "gcv")


class SplitRandomness(Protocol):
    def permutation(self, x: int) -> np.ndarray: ...


@dataclass(frozen=True)
class Choice:
    """The chosen ridge, the error that each ridge was judged by, and the coefficients on all the samples."""

    ridge: float
    ridges: Float[np.ndarray, " r"]
    errors: Float[np.ndarray, " r"]
    coefficients: Float[np.ndarray, "n k"]
    spectrum: Spectrum


def choose_ridge(
    gram: Float[np.ndarray, "n n"],
    Y: Float[np.ndarray, "n k"],
    ridges: object = None,
    *,
    by: str,
    rng: SplitRandomness,
    held_out: float = 0.2,
    folds: int = 5,
) -> Choice:
    """Judge every ridge, then solve for the best one on all the samples."""
    if by not in SELECTIONS:
        raise unknown("way to choose the ridge", by, SELECTIONS)
    n = len(gram)
    ridges = default_ridges(float(np.mean(np.diagonal(gram))), n) if ridges is None else check_ridges(ridges)
    if n < 2:
        raise InputError("A ridge cannot be chosen with 1 sample: give it as a number.")
    if by in ("loo", "gcv"):
        path = ridge_path(gram, Y, ridges)
        errors = path.leave_one_out if by == "loo" else path.gcv
        best = int(np.argmin(errors))
        return Choice(float(ridges[best]), ridges, errors, path.coefficients[best], path.spectrum)
    order = rng.permutation(n)
    if by == "holdout":
        if not 0 < held_out < 1:
            raise InputError(f"The share held out must lie between 0 and 1, not be {held_out!r}.")
        splits = [order[: min(n - 1, max(1, round(held_out * n)))]]
    else:
        if not 2 <= folds <= n:
            raise InputError(f"There can be between 2 and {n} folds of {n} samples, not {folds!r}.")
        splits = np.array_split(order, folds)
    gram = as_factorisable(gram, copies=2)
    Y = check_targets(Y, n)
    whole, weighted = _factorise_and_judge(gram, Y, ridges, splits)
    errors = np.sum(weighted, axis=0) / sum(map(len, splits))
    if not np.any(np.isfinite(errors)):
        raise InputError("No ridge gives finite predictions: the kernel's values are too small or too large. Rescale.")
    best = int(np.nanargmin(errors))
    spectrum = with_jitter(*whole.extremes, n, float(ridges[best]))
    final = Solved(ridges[best : best + 1], spectrum, whole, whole.rotate(Y))
    return Choice(float(ridges[best]), ridges, errors, final.coefficients[0], spectrum)


def _factorise_and_judge(
    gram: Float[np.ndarray, "n n"],
    Y: Float[np.ndarray, "n k"],
    ridges: Float[np.ndarray, " r"],
    splits: list[np.ndarray],
) -> tuple[Banded, list[np.ndarray]]:
    """The factors of the whole matrix, and for each part held out its errors, summed over samples.

    With a part for every thread they are done side by side, each by a single thread, as far as memory allows.
    """

    def judge(out: np.ndarray) -> Float[np.ndarray, " r"]:
        return len(out) * _held_out_errors(gram, Y, ridges, out)

    matrices = available_memory() // gram.nbytes
    if 1 < threads() <= min(len(splits), matrices - 1):
        with one_blas_thread(), ThreadPoolExecutor(threads()) as pool:
            whole = pool.submit(lambda: Banded.of(gram.copy()))  # the longest first
            weighted = list(pool.map(judge, splits))
            return whole.result(), weighted
    weighted = [judge(part) for part in splits]
    return Banded.of(gram.copy()), weighted


def _held_out_errors(
    gram: Float[np.ndarray, "n n"], Y: Float[np.ndarray, "n k"], ridges: Float[np.ndarray, " r"], out: np.ndarray
) -> Float[np.ndarray, " r"]:
    kept = np.setdiff1d(np.arange(len(gram)), out)
    factors = Banded.of(gram[np.ix_(kept, kept)])
    spectrum = Spectrum(len(kept), -factors.size, factors.size)  # bounds, which mostly do
    least = float(ridges.min())
    if not factors.exceeds(2 * spectrum.rounding - least):
        spectrum = with_jitter(*factors.extremes, len(kept), least, quiet=True)  # the fit on all samples will say it
    path = Solved(ridges, spectrum, factors, factors.rotate(Y[kept]))
    return path.errors(gram[np.ix_(out, kept)], Y[out])
