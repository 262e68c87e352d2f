"""Kernels of |x - z| over a bandwidth, which the data set if nobody else does."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_number
from kernelgap.kernels.formulas.bandwidth import Bandwidth, check_bandwidth, median_distance
from kernelgap.kernels.gram import check_overflow, evaluate
from kernelgap.kernels.kernel import FormulaKernel, Gram
from kernelgap.kernels.pairs import Pairs, Rows, Value
from kernelgap.rows import check_rows


@dataclass(frozen=True, repr=False)
class DistanceKernel(FormulaKernel):
    """``bandwidth`` "median" is the median distance between points, times ``factor``; ``fit`` settles it on data.

    Before ``fit``, each call takes the median over all the points that it is given.
    """

    bandwidth: Bandwidth = "median"
    factor: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "bandwidth", check_bandwidth(self.bandwidth))
        object.__setattr__(self, "factor", check_number(self.factor, "factor", positive=True))

    @property
    def length(self) -> float:
        """The number that distances are divided by."""
        if self.bandwidth == "median":
            raise InputError(f"The bandwidth of {self.spec} comes from data: call fit(X) first, or give a number.")
        return self.bandwidth * self.factor

    def fit(self, X: object) -> Self:
        if self.bandwidth != "median":
            return self
        return replace(self, bandwidth=median_distance(check_rows(X)) * self.factor, factor=1.0)

    @property
    def is_fitted(self) -> bool:
        return self.bandwidth != "median"

    def _gram(self, X: Rows, Z: Rows) -> Gram:
        return self._centred(self.value, X, Z)

    @abstractmethod
    def slope(self, pairs: Pairs) -> Value:
        """-kappa'(r) / r at r = |x - z|, where K(x,z) = kappa(r): the gradient of K(x,z) in x is slope (z - x)."""

    def slopes(self, X: Rows, Z: Rows) -> Gram:
        """The slope of each row of X with each of Z."""
        with np.errstate(all="ignore"):
            found = self._centred(self.slope, X, Z)
            check_overflow(found, self.spec)
        return found

    @staticmethod
    def _centred(formula: Callable[[Pairs], Value], X: Rows, Z: Rows) -> Gram:
        """A formula in |x - z|: distances do not change if both are moved, but keep more digits."""
        if not len(X):
            return np.empty((0, len(Z)))
        centre = X.mean(axis=0)
        first = X - centre
        return evaluate(formula, first, first if Z is X else Z - centre)

    def _diagonal(self, X: Rows) -> np.ndarray:
        return np.ones(len(X))
