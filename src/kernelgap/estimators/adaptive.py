"""The adaptive kernel, a recursive feature machine, as a scikit-learn regressor and classifier."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field
from sklearn.utils import check_random_state

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.estimators.base import Positive, Tables
from kernelgap.estimators.kernel_estimators import KernelClassifier, KernelEstimator, KernelFitted, KernelRegressor
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_flag, check_number
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.machine import available_memory, one_blas_thread, require_memory, threads
from kernelgap.models import AdaptiveModel
from kernelgap.regression import Round, adaptive_rounds, ridge_path
from kernelgap.regression.selection import held_out_rows

PARAMETERS = """
    The kernel is K(x,z) = kappa(sqrt((x - z)' M (x - z))). It starts at M = I, and after each round of ridge regression
    M becomes the average gradient outer product of the fitted function over the training inputs, scaled to the trace d.
    The bandwidth, round and ridge with the least error on a held-out part are used with all the samples. Floors that
    hold for every kernel do not bind it: its kernel depends on the labels.

    Parameters
    ----------
    kernel
        "laplace", "gaussian", either with arguments ("laplace(bandwidth=2.0)"), or such a kernel. A bandwidth "median",
        the default, is fitted anew in each round, on the inputs in that round's metric.
    rounds
        How often M is learned anew; with 0 it stays I, and this is ridge regression with a plain kernel.
    factors
        What the bandwidth is multiplied by; each of them goes through all the rounds.
    ridge
        A number, a list of numbers or "path", as for ``KernelRegressor``.
    diagonal
        True to keep M's diagonal only: a weight for each feature. Cheaper with thousands of features.
    validation_fraction
        Share of the samples that is held out to choose by.
    random_state
        Seed of the held-out part.

    Attributes
    ----------
    metric_
        M, (d, d), of trace d.
    kernel_, ridge_, round_, factor_
        What was used; the kernel with its metric and bandwidth.
    rounds_
        "factor", "round", "ridge" and "validation_error", for each round its best ridge.
    path_
        "ridge" and "validation_error" for each ridge tried, in the chosen round.
    spectrum_, dual_coef_, X_fit_
        As for ``KernelRegressor``.
"""


class AdaptiveFitted(KernelFitted):
    round: Annotated[int, Field(ge=0, strict=True)]
    factor: Positive


class Adaptive(KernelEstimator, abstract=True):
    """An adaptive kernel with any number of outputs."""

    model_: AdaptiveModel
    _models = (AdaptiveModel,)
    _tables: ClassVar[Tables] = {**KernelEstimator._tables, "rounds": ("factor", "round", "ridge", "validation_error")}
    _fitted = AdaptiveFitted

    def __init__(
        self,
        kernel: str | Kernel = "laplace",
        *,
        rounds: int = 5,
        factors: Any = (1.0, 4.0),
        ridge: Any = "path",
        diagonal: bool = False,
        validation_fraction: float = 0.2,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.rounds = rounds
        self.factors = factors
        self.ridge = ridge
        self.diagonal = diagonal
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def _fit(self, X: np.ndarray, Y: np.ndarray) -> None:
        """Choose bandwidth, round and ridge on held-out samples, then solve on all of them."""
        n = len(X)
        advice = "Take fewer, or a kernel that does not adapt, with Nystroem features (regression.nystroem_path)."
        require_memory(3 * 8 * n * n, f"An adaptive kernel on {n} samples", advice)
        (factor, best), tried = self._search(X, Y)
        self.ridge_, self.round_, self.factor_ = best.ridge, best.number, factor
        self.n_iter_ = None  # always solved directly
        self.path_ = {"ridge": best.ridges, "validation_error": best.errors}
        self.rounds_ = {
            "factor": np.array([f for f, _ in tried]),
            "round": np.array([float(r.number) for _, r in tried]),
            "ridge": np.array([r.ridge for _, r in tried]),
            "validation_error": np.array([r.error for _, r in tried]),
        }
        with one_blas_thread():
            path = ridge_path(best.kernel(X), Y, self.ridge_, overwrite=True)
        self.spectrum_ = path.spectrum
        self.model_ = AdaptiveModel(best.kernel, X, path.coefficients[0], np.zeros(Y.shape[1]))

    @property
    def metric_(self) -> np.ndarray:
        """M, (d, d), of trace d."""
        return self.model_.kernel.metric

    def _search(self, X: np.ndarray, Y: np.ndarray) -> tuple[tuple[float, Round], list[tuple[float, Round]]]:
        if len(X) < 2:
            raise InputError("Nothing can be held out of 1 sample to choose by: give more.")
        out = held_out_rows(check_random_state(self.random_state).permutation(len(X)), self.validation_fraction)[0]
        train = np.setdiff1d(np.arange(len(X)), out)
        base = kernels.get(self.kernel)
        check_flag(self.diagonal, "diagonal")
        factors = [check_number(f, "A factor", positive=True) for f in np.atleast_1d(self.factors).tolist()]
        if not factors:
            raise InputError("factors must name at least one number that the bandwidth is multiplied by.")
        options: dict[str, Any] = {"rounds": self.rounds, "ridges": self._ridges, "diagonal": bool(self.diagonal)}

        def rounds(factor: float) -> list[tuple[float, Round]]:
            scaled = replace(base, factor=base.factor * factor) if isinstance(base, DistanceKernel) else base
            fitted = adaptive_rounds(scaled, X[train], Y[train], (X[out], Y[out]), **options)
            return [(factor, replace(r, coefficients=np.empty((0, Y.shape[1])))) for r in fitted]  # they are not needed

        side_by_side = max(1, min(threads(), len(factors), available_memory() // (3 * 8 * len(X) ** 2)))
        with one_blas_thread(), ThreadPoolExecutor(side_by_side) as pool:
            tried = [each for of_factor in pool.map(rounds, factors) for each in of_factor]
        return min(tried, key=lambda each: each[1].error), tried


class AdaptiveKernelRegressor(Adaptive, KernelRegressor):
    __doc__ = f"""Ridge regression with a kernel whose metric is learned: the recursive feature machine.
{PARAMETERS}"""


class AdaptiveKernelClassifier(Adaptive, KernelClassifier):
    __doc__ = f"""Least squares on one-hot labels with a kernel whose metric is learned: the largest output's class.
{PARAMETERS}
    classes_
        The labels, in the order of the outputs.
"""
