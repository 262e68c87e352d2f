"""Which ridge: by held-out data, by folds, by leave-one-out or by generalised cross-validation."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from kernelgap.errors import InputError, unknown
from kernelgap.machine import available_memory, one_blas_thread, threads
from kernelgap.regression.factorisation import Banded, as_factorisable
from kernelgap.regression.ridge import Solved, check_targets, ridge_path, ridges_or_default
from kernelgap.regression.spectrum import PerRidge, Spectrum, Square, Targets, with_jitter

SELECTIONS = ("holdout", "folds", "loo", "gcv")


@runtime_checkable
class SplitRandomness(Protocol):
    def permutation(self, x: int) -> np.ndarray: ...


class RidgeErrors(NamedTuple):
    """The ridge that did best on samples held out, of which ridges, and the error of each.

    Attributes
    ----------
    ridge
        The best one.
    ridges, errors
        The ridges tried, and the mean of |prediction - y|^2 with each.
    """

    ridge: float
    ridges: PerRidge
    errors: PerRidge


@dataclass(frozen=True)
class ChosenRidge:
    """The chosen ridge, the error that each ridge was judged by, and the coefficients on all the samples.

    Attributes
    ----------
    ridge
        The chosen one.
    ridges, errors
        The ridges tried, and the error that each was judged by.
    coefficients
        With the chosen ridge, from all samples: a row for each of them, or for each landmark of Nystroem features.
    spectrum
        How healthy the matrix is that was solved with the chosen ridge.
    """

    ridge: float
    ridges: PerRidge
    errors: PerRidge
    coefficients: Targets
    spectrum: Spectrum


def at_edge(ridge: float, ridges: PerRidge) -> str | None:
    """Whether a chosen ridge is the smallest or the largest of several: one beyond them may be better.

    Parameters
    ----------
    ridge
        The chosen one.
    ridges
        Those that it was chosen from.

    Returns
    -------
    str or None
        "smallest", "largest", or None: it lies between others, or there is only one.
    """
    if not ridges.min() < ridges.max():
        return None
    return "smallest" if ridge == ridges.min() else "largest" if ridge == ridges.max() else None


def choose_ridge(
    gram: np.ndarray,
    Y: object,
    ridges: object = None,
    *,
    by: str,
    rng: SplitRandomness,
    held_out: float = 0.2,
    folds: int = 5,
) -> ChosenRidge:
    """Judge every ridge, then solve for the best one on all the samples.

    Parameters
    ----------
    gram, Y
        The Gram matrix (n, n) and targets (n, k).
    ridges
        On the scale of K; by default ``default_ridges``.
    by
        "holdout" (2 factorisations), "folds" (one each and one of the whole), "loo" or "gcv" (a single one).
    rng
        Draws the holdout or the folds.
    held_out, folds
        The share that is held out, and the number of folds.

    Returns
    -------
    ChosenRidge
        The ridge, the errors of all ridges, and the coefficients on all samples.
    """
    if not isinstance(by, str) or by not in SELECTIONS:
        raise unknown("way to choose the ridge", by, SELECTIONS)
    n = len(gram)
    ridges = _ridges_to_judge(gram, ridges)
    if by in ("loo", "gcv"):
        path = ridge_path(gram, Y, ridges)
        errors = path.leave_one_out if by == "loo" else path.gcv
        best = best_ridge(errors, ridges, path.spectrum)
        spectrum = replace(path.spectrum, jitter=float(path.added[best] - ridges[best]))
        return ChosenRidge(float(ridges[best]), ridges, errors, path.coefficients[best], spectrum)
    splits = held_out_rows(rng.permutation(n), held_out) if by == "holdout" else _folds(rng.permutation(n), folds)
    gram = as_factorisable(gram, copies=2)
    Y = check_targets(Y, n)
    whole, weighted = _factorise_and_judge(gram, Y, ridges, splits)
    errors = np.sum(weighted, axis=0) / sum(map(len, splits))
    best = best_ridge(errors, ridges, Spectrum(n, *whole.extremes))
    chosen = ridges[best : best + 1]
    spectrum = with_jitter(*whole.extremes, n, chosen)
    final = Solved(chosen, spectrum.safe(chosen), spectrum, whole, whole.rotate(Y))
    return ChosenRidge(float(ridges[best]), ridges, errors, final.coefficients[0], spectrum)


def judge_ridges(
    gram: Square, Y: Targets, ridges: object = None, *, rng: SplitRandomness, held_out: float = 0.2
) -> RidgeErrors:
    """The ridge that ``choose_ridge`` takes by holdout, without the factorisation of the whole Gram matrix.

    It serves to compare kernels, or to go on with ``solve_ridge``. The matrix must be positive semi-definite.

    Parameters
    ----------
    gram, Y, ridges, rng, held_out
        As of ``choose_ridge``.

    Returns
    -------
    RidgeErrors
        The ridge with the least error on the holdout, and the errors of all ridges.
    """
    ridges = _ridges_to_judge(gram, ridges)
    gram = as_factorisable(gram, copies=1)
    Y = check_targets(Y, len(gram))
    (out,) = held_out_rows(rng.permutation(len(gram)), held_out)
    errors = _held_out_errors(gram, Y, ridges, out)
    taken_as_positive = Spectrum(len(gram), 0.0, float(np.trace(gram)))
    return RidgeErrors(float(ridges[best_ridge(errors, ridges, taken_as_positive)]), ridges, errors)


def _ridges_to_judge(gram: np.ndarray, ridges: object) -> PerRidge:
    chosen = ridges_or_default(ridges, gram, len(gram))
    if len(gram) < 2:
        raise InputError("A ridge cannot be chosen with 1 sample: give it as a number.")
    return chosen


def held_out_rows(order: np.ndarray, share: object) -> list[np.ndarray]:
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) < 1:
        raise InputError(f"The share held out must be a number between 0 and 1, not {share!r}.")
    n = len(order)
    return [order[: min(n - 1, max(1, round(float(share) * n)))]]


def _folds(order: np.ndarray, folds: object) -> list[np.ndarray]:
    n = len(order)
    if isinstance(folds, bool) or not isinstance(folds, Integral) or not 2 <= int(folds) <= n:
        raise InputError(f"There can be a whole number between 2 and {n} of folds of {n} samples, not {folds!r}.")
    return np.array_split(order, int(folds))


def best_ridge(errors: PerRidge, ridges: PerRidge, spectrum: Spectrum) -> int:
    """Where the error is smallest: if K is not positive, among the ridges that outweigh it.

    The others make K + ridge I all but singular on the whole sample, whatever they promised where they were judged.
    """
    if not np.any(np.isfinite(errors)):
        raise InputError("No ridge gives finite predictions: the kernel's values are too small or too large. Rescale.")
    outweigh = spectrum.safe(ridges) == ridges
    if not spectrum.positive and np.any(outweigh & np.isfinite(errors)):
        errors = np.where(outweigh, errors, np.inf)
    return int(np.nanargmin(errors))


def _factorise_and_judge(
    gram: Square, Y: Targets, ridges: PerRidge, splits: list[np.ndarray]
) -> tuple[Banded, list[np.ndarray]]:
    """The factors of the whole matrix, and for each part held out its errors, summed over samples.

    With a part for every thread they are done side by side, each by a single thread, as far as memory allows.
    """

    def judge(out: np.ndarray) -> PerRidge:
        return len(out) * _held_out_errors(gram, Y, ridges, out)

    matrices = available_memory() // gram.nbytes
    if 1 < threads() <= min(len(splits) + 1, matrices - 1):
        with one_blas_thread(), ThreadPoolExecutor(threads()) as pool:
            whole = pool.submit(lambda: Banded.of(gram.copy()))  # the longest first
            weighted = list(pool.map(judge, splits))
            return whole.result(), weighted
    weighted = [judge(part) for part in splits]
    return Banded.of(gram.copy()), weighted


def _held_out_errors(gram: Square, Y: Targets, ridges: PerRidge, out: np.ndarray) -> PerRidge:
    rest = np.setdiff1d(np.arange(len(gram)), out)
    path = solve_quietly(gram[np.ix_(rest, rest)], Y[rest], ridges)
    return path.errors(gram[np.ix_(out, rest)], Y[out])


def solve_quietly(gram: Square, Y: Targets, ridges: PerRidge) -> Solved:
    """Solve for every ridge on a part of the samples, using the matrix up; the fit on all of them will warn."""
    n = len(gram)
    factors = Banded.of(gram)
    spectrum = Spectrum(n, -factors.size, factors.size)  # bounds, which mostly do
    added = ridges
    if not factors.exceeds(2 * spectrum.rounding - float(ridges.min())):
        spectrum = with_jitter(*factors.extremes, n, ridges, quiet=True)
        added = spectrum.safe(ridges)
    return Solved(ridges, added, spectrum, factors, factors.rotate(Y))
