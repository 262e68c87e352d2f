"""Predicted learning curves on data: from the Gram matrix of a pool of rows, for as many samples as it has rows."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from kernelgap.curves.arguments import Predictions, check_asked, check_number, check_numbers, in_shape, one_ridge
from kernelgap.curves.calibration import Calibration, CheckedPoint
from kernelgap.curves.measured import coefficients
from kernelgap.curves.pool_spectrum import PoolSpectrum
from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_count
from kernelgap.kernels.registry import get as get_kernel
from kernelgap.regression import ConditionWarning, NotPositiveWarning
from kernelgap.regression.ridge import check_targets
from kernelgap.rows import check_rows
from kernelgap.seeds import stream

LEAST_ROWS = 10
CHECKED_SIZES = 3
CHECKED_RIDGES = 3


@dataclass(frozen=True)
class PoolCurve(Predictions):
    """What the theory says of a kernel on the rows of a pool, at each number of samples and ridge.

    Errors are means of |y - prediction|^2, summed over outputs.

    Attributes
    ----------
    pool
        Its size and digest.
    rows
        The number of rows of the pool: no prediction is for more samples.
    calibration
        How good the theory was on this pool; None if nothing was checked.
    """

    pool: str
    rows: int
    _spectrum: PoolSpectrum = field(repr=False)
    calibration: Calibration | None = field(default=None, repr=False)

    def samples_for(self, test_error: float) -> int | None:
        """The least number of samples whose predicted test error is no greater than this one.

        With one ridge, or with the best ridge at each number. It is None if all rows of the pool do not get there.
        """
        goal = check_number("test_error", test_error, least=0.0)
        ridge, n = one_ridge(self.asked_ridge), np.arange(1.0, self.rows + 1)
        best = self._spectrum.solve_best(n) if ridge is None else self._spectrum.solve(n, np.full(len(n), ridge))
        reached = np.flatnonzero(best.test_error <= goal)
        return int(n[reached[0]]) if len(reached) else None


def predict_on_pool(
    X: object,
    Y: object,
    kernel: Kernel | str,
    n: Any,
    ridge: Any = 0.0,
    *,
    seed: int,
    check: Sequence[float] | None = None,
    repeats: int = 5,
) -> PoolCurve:
    """What kernel ridge regression will reach with n rows like these, from the Gram matrix of the pool.

    Nothing is fitted with n rows, except for the checks. Label noise need not be known: it is in the pool.

    Parameters
    ----------
    X, Y
        The rows of the pool, and a target or several for each. Regression has no intercept: centre the targets.
    kernel
        A kernel or its name. A bandwidth "median" is the median distance between rows of the pool.
    n
        The number of samples, or many; at most the rows of the pool. With all of them the prediction is the
        leave-one-out error.
    ridge
        A number on the scale of K; or many; or "best", the one with the least predicted test error at each n.
    seed
        Draws the rows of the checks.
    check
        The numbers of samples, up to half of the pool, with which rows of the pool are learned from and the others
        predicted, to compare with the theory; by default three of those asked for. Empty for no checks.
    repeats
        The fits of each check.

    Returns
    -------
    PoolCurve
        With the shape of ``n`` and ``ridge`` broadcast against each other, and with its ``calibration``.

    Raises
    ------
    InputError
        If n is more than the pool has, the Gram matrix is not positive semi-definite, or a number makes no sense.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> curve = predict_on_pool(X, (y - y.mean()) / y.std(), "laplace", [50, 100, 200], ridge=1.0, seed=0)
    >>> curve.test_error.round(2), curve.calibration.median_error < 0.1
    (array([0.63, 0.56, 0.53]), True)
    """
    pool = _Pool.of(X, Y, kernel)
    samples = check_numbers("n", n, least=1.0)
    if samples.max() > len(pool.X):
        raise InputError(
            f"n must be at most {len(pool.X):,}, the rows of the pool, not {samples.max():g}: give more rows or fewer "
            "samples."
        )
    check_count(repeats, "repeats")
    asked, samples, ridges = check_asked(samples, ridge)
    flat = samples.ravel()
    sizes = _checked_sizes(flat, check, len(pool.X))
    greatest = 0.0 if ridges is None else float(ridges.max())
    spectrum = PoolSpectrum.of(pool.gram, pool.Y, greatest, pool.kernel.spec)
    solution = spectrum.solve_best(flat) if ridges is None else spectrum.solve(flat, ridges.ravel())

    return PoolCurve(
        pool=pool.text,
        kernel=pool.kernel.spec,
        rows=len(pool.X),
        _spectrum=spectrum,
        asked_ridge=asked,
        calibration=_calibration(pool, spectrum, sizes, asked, stream(seed, "rows of a check"), repeats),
        **in_shape(samples.shape, {"n": flat, **vars(solution)}),
    )


@dataclass(frozen=True)
class _Pool:
    X: Float[np.ndarray, "rows d"]
    Y: Float[np.ndarray, "rows outputs"]
    kernel: Kernel

    @classmethod
    def of(cls, X: object, Y: object, kernel: Kernel | str) -> "_Pool":
        inputs, targets = check_rows(X), np.asarray(Y)
        targets = check_targets(targets[:, None] if targets.ndim == 1 else targets, len(inputs))
        if len(inputs) < LEAST_ROWS:
            raise InputError(f"A pool needs at least {LEAST_ROWS} rows, not {len(inputs)}.")
        return cls(inputs, targets, get_kernel(kernel).fit(inputs))

    @property
    def text(self) -> str:
        outputs = f"{self.Y.shape[1]} output" + "s" * (self.Y.shape[1] != 1)
        digest = fingerprint(self.X, self.Y)[:12]
        return f"pool of {len(self.X):,} rows, {self.X.shape[1]:,} inputs and {outputs} ({digest})"

    @cached_property
    def gram(self) -> Float[np.ndarray, "rows rows"]:
        return self.kernel(self.X, self.X)

    def fitted(self, n: int, ridges: np.ndarray, rng: np.random.Generator) -> Float[np.ndarray, " r"]:
        """The errors on all other rows after learning from n rows, for each ridge."""
        order = rng.permutation(len(self.X))
        train, test = order[:n], order[n:]
        with warnings.catch_warnings():  # of rounding, with the smallest of the best ridges
            warnings.simplefilter("ignore", ConditionWarning)
            warnings.simplefilter("ignore", NotPositiveWarning)
            solutions = coefficients(self.gram[np.ix_(train, train)], self.Y[train], ridges)
        cross = self.gram[np.ix_(test, train)]
        return np.array([np.mean(np.sum((cross @ a - self.Y[test]) ** 2, axis=1)) for a in solutions])


def _checked_sizes(n: np.ndarray, check: Sequence[float] | None, rows: int) -> list[int]:
    """Numbers of samples that leave at least half of the pool to test on."""
    if check is None:
        some = np.unique(np.floor(n[n <= rows / 2]))
        chosen = some[np.linspace(0, len(some) - 1, CHECKED_SIZES).round().astype(int)] if len(some) else some
        return [int(size) for size in np.unique(chosen)]
    if len(check) and max(check_numbers("check", check, least=1.0)) > rows / 2:
        raise InputError(
            f"Checks leave half of the pool to test on: at most {rows // 2:,} samples, not {max(check):g}."
        )
    return [int(size) for size in check]


def _calibration(
    pool: _Pool, spectrum: PoolSpectrum, sizes: Sequence[int], asked: Any, rng: np.random.Generator, repeats: int
) -> Calibration | None:
    """Fits with these numbers of samples, each with a few of the ridges."""
    points = []
    for size in sizes:
        if isinstance(asked, str):
            at = spectrum.solve_best(np.array([float(size)]))
        else:
            ridges = np.unique(asked)
            ridges = np.unique(ridges[np.linspace(0, len(ridges) - 1, CHECKED_RIDGES).round().astype(int)])
            at = spectrum.solve(np.full(len(ridges), float(size)), ridges)
        fits = np.array([pool.fitted(size, at.ridge, rng) for _ in range(repeats)])
        for ridge, predicted, measured in zip(at.ridge, at.test_error, fits.T, strict=True):
            points.append(CheckedPoint(size, float(ridge), float(predicted), tuple(measured.tolist())))
    return Calibration(pool.kernel.spec, pool.text, tuple(points)) if points else None
