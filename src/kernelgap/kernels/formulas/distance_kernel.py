"""Kernels of |x - z| over a bandwidth, which is the median distance between inputs where none is given."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_number
from kernelgap.kernels.gram import check_overflow, evaluate
from kernelgap.kernels.kernel import FormulaKernel, Gram
from kernelgap.kernels.pairs import Pairs, Rows, UpperPairs, Value
from kernelgap.rows import check_rows

Bandwidth = float | Literal["median"]
MOST_ROWS = 1000  # evenly spaced ones stand for all when a median distance is taken


@dataclass(frozen=True, repr=False)
class DistanceKernel(FormulaKernel):
    """A kernel of |x - z| over ``bandwidth`` times ``factor``.

    The bandwidth "median" is the median distance between points. ``fit`` takes it from data; before that, each call
    takes it from all the points that it is given.
    """

    bandwidth: Bandwidth = "median"
    factor: float = 1.0

    def __post_init__(self) -> None:
        if self.is_fitted:
            number = check_number(self.bandwidth, "bandwidth", positive=True, other="'median'")
            object.__setattr__(self, "bandwidth", number)
        object.__setattr__(self, "factor", check_number(self.factor, "factor", positive=True))

    @property
    def is_fitted(self) -> bool:
        return not (isinstance(self.bandwidth, str) and self.bandwidth == "median")

    @property
    def length(self) -> float:
        """The number that distances are divided by."""
        if isinstance(self.bandwidth, str):
            raise InputError(f"The bandwidth of {self.spec} comes from data: call fit(X) first, or give a number.")
        return self.bandwidth * self.factor

    def fit(self, X: object) -> Self:
        if self.is_fitted:
            return self
        return replace(self, bandwidth=median_distance(check_rows(X)) * self.factor, factor=1.0)

    def _gram(self, X: Rows, Z: Rows) -> Gram:
        return self._centred(self.value, X, Z)

    @abstractmethod
    def slope(self, pairs: Pairs) -> Value:
        """-kappa'(r) / r at r = |x - z|, where K(x,z) = kappa(r): the gradient of K(x,z) in x is slope (z - x)."""

    def slopes(self, X: Rows, Z: Rows) -> Gram:
        """The slope of each row of X with each of Z."""
        with np.errstate(all="ignore"):
            slopes = self._centred(self.slope, X, Z)
            check_overflow(slopes, self.spec)
        return slopes

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


@dataclass(frozen=True, repr=False)
class Gaussian(DistanceKernel):
    """exp(-|x - z|^2 / (2 h^2)), h the bandwidth times factor. The paper's h in sec. 3 is 2 h^2 here."""

    name = "gaussian"

    def value(self, pairs: Pairs) -> Value:
        return pairs.arithmetic.exp(pairs.squared_distance / (-2 * self.length * self.length))

    def slope(self, pairs: Pairs) -> Value:
        return self.value(pairs) / (self.length * self.length)


@dataclass(frozen=True, repr=False)
class Laplace(DistanceKernel):
    """exp(-|x - z| / h), with the Euclidean distance, h the bandwidth times factor."""

    name = "laplace"

    def value(self, pairs: Pairs) -> Value:
        math = pairs.arithmetic
        return math.exp(math.sqrt(pairs.squared_distance) / -self.length)

    def slope(self, pairs: Pairs) -> Value:
        """exp(-r / h) / (h r), and 0 at r = 0, where the kernel has a tip and no direction is steeper than another."""
        r = np.sqrt(np.maximum(pairs.squared_distance, 0.0))
        return np.divide(np.exp(r / -self.length), self.length * r, out=np.zeros_like(r), where=r > 0)


def median_distance(X: Rows) -> float:
    """The median of |x - z| over pairs of different points; 1 if all points are the same."""
    if not len(X):
        raise InputError("There are no rows to take the median distance of: give some, or give a bandwidth.")
    some = X[:: -(-len(X) // MOST_ROWS)]
    with np.errstate(all="ignore"):
        squared = UpperPairs(some).squared_distance
    if not np.isfinite(squared).all():
        raise InputError("The distances between these inputs overflow, and so does their median: rescale the inputs.")
    apart = squared[squared > 0]
    return float(np.sqrt(np.median(apart))) if len(apart) else 1.0
