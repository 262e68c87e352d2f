"""Which ridge: by held-out data, by folds, by leave-one-out or by generalised cross-validation."""

import warnings
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError, unknown
from kernelgap.regression.ridge import check_ridges, default_ridges, ridge_path
from kernelgap.regression.spectrum import NotPositiveWarning, Spectrum

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
    weighted = [len(part) * _held_out_errors(gram, Y, ridges, part) for part in splits]
    errors = np.sum(weighted, axis=0) / sum(map(len, splits))
    best = int(np.argmin(errors))
    final = ridge_path(gram, Y, ridges[best])
    return Choice(float(ridges[best]), ridges, errors, final.coefficients[0], final.spectrum)


def _held_out_errors(
    gram: Float[np.ndarray, "n n"], Y: Float[np.ndarray, "n k"], ridges: Float[np.ndarray, " r"], out: np.ndarray
) -> Float[np.ndarray, " r"]:
    kept = np.setdiff1d(np.arange(len(gram)), out)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotPositiveWarning)  # the fit on all samples will say it
        path = ridge_path(gram[np.ix_(kept, kept)], Y[kept], ridges, overwrite=True)
    return path.errors(gram[np.ix_(out, kept)], Y[out])
