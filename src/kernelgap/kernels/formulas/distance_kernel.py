"""Kernels of |x - z| over a bandwidth, which is the median distance between inputs where none is given.

A kernel in a metric of its own, K_M(x,z) = kappa(sqrt((x - z)' M (x - z))) with M positive semi-definite, is
kappa(|Rx - Rz|) with R = M^(1/2): a Gaussian or Laplace kernel of the inputs Rx. A function
f(x) = sum_j a_j K_M(x, z_j) has the gradient  M sum_j a_j slope(x, z_j) (z_j - x),  with slope = -kappa'(r) / r.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_number
from kernelgap.kernels.kernel import FormulaKernel, Gram, Kernel, check_overflow, evaluate
from kernelgap.kernels.pairs import Others, Pairs, Rows, UpperPairs, Value
from kernelgap.rows import check_rows

Metric = Float[np.ndarray, "d d"]
BLOCK = 2**22  # slopes, or entries of gradients, that are held at a time: 32 MiB
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

    def _gram(self, X: Rows, Z: Others) -> Gram:
        return self._centred(self.value, X, Z)

    @abstractmethod
    def slope(self, pairs: Pairs) -> Value:
        """-kappa'(r) / r at r = |x - z|, where K(x,z) = kappa(r): the gradient of K(x,z) in x is slope (z - x)."""

    def slopes(self, X: Rows, Z: Others) -> Gram:
        """The slope of each row of X with each of Z."""
        with np.errstate(all="ignore"):
            slopes = self._centred(self.slope, X, Z)
            check_overflow(slopes, self.spec)
        return slopes

    @staticmethod
    def _centred(formula: Callable[[Pairs], Value], X: Rows, Z: Others) -> Gram:
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


@dataclass(frozen=True, repr=False, eq=False)
class Mahalanobis(Kernel):
    """``base``, Gaussian or Laplace, of M^(1/2) x in place of x."""

    base: DistanceKernel
    metric: Metric

    def __post_init__(self) -> None:
        if not isinstance(self.base, DistanceKernel):
            raise InputError("A metric belongs to a Gaussian or a Laplace kernel, which see distances alone.")
        metric = check_rows(self.metric, "The metric")
        if metric.shape[0] != metric.shape[1] or not np.allclose(metric, metric.T, rtol=0, atol=1e-8 * _size(metric)):
            raise InputError(f"A metric is a symmetric matrix, not one of the shape {metric.shape} that is not.")
        if np.linalg.eigvalsh(metric)[0] < -1e-8 * _size(metric):
            raise InputError("A metric has no eigenvalue below 0, and this one does.")
        object.__setattr__(self, "metric", metric)

    @cached_property
    def root(self) -> Metric:
        """M^(1/2)."""
        if not np.any(self.metric - np.diag(np.diag(self.metric))):
            return np.diag(np.sqrt(np.maximum(np.diag(self.metric), 0.0)))
        values, vectors = np.linalg.eigh(self.metric)
        return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T

    def transform(self, X: Rows) -> Rows:
        """M^(1/2) x for each row."""
        if X.shape[1] != len(self.metric):
            raise InputError(f"The inputs have {X.shape[1]} columns, and the metric is for {len(self.metric)}.")
        return X @ self.root

    def _gram(self, X: Rows, Z: Others) -> Gram:
        first = self.transform(X)
        return self.base._gram(first, first if Z is X else self.transform(Z))

    def _diagonal(self, X: Rows) -> Float[np.ndarray, " n"]:
        return self.base._diagonal(X)

    def fit(self, X: object) -> Self:
        return self if self.is_fitted else replace(self, base=self.base.fit(self.transform(check_rows(X))))

    @property
    def is_fitted(self) -> bool:
        return self.base.is_fitted

    @property
    def spec(self) -> str:
        return f"mahalanobis({self.base.spec}, {len(self.metric)} x {len(self.metric)})"

    def gradients(self, X: Rows, Z: Others, coefficients: Float[np.ndarray, "m k"]) -> Float[np.ndarray, "n k d"]:
        """The gradient at each row of X of each function sum_j a_j K(., z_j), a the columns of ``coefficients``.

        At a row of Z itself, where the Laplace kernel has a tip, that row counts as level.
        """
        inner = self._inner_gradients(X - Z.mean(axis=0), Z - Z.mean(axis=0), coefficients)
        return inner @ self.root

    def gradient_products(self, X: Rows, Z: Others, coefficients: Float[np.ndarray, "m k"]) -> Metric:
        """The mean over the rows of X of grad f grad f', summed over the functions f: (d, d)."""
        centre = Z.mean(axis=0)
        X, Z = X - centre, Z - centre
        total = np.zeros_like(self.metric)
        step = max(1, BLOCK // max(len(Z), coefficients.shape[1] * Z.shape[1]))
        for i in range(0, len(X), step):
            inner = self._inner_gradients(X[i : i + step], Z, coefficients).reshape(-1, Z.shape[1])
            total += inner.T @ inner
        return self.root @ (total / len(X)) @ self.root

    def _inner_gradients(self, X: Rows, Z: Others, a: Float[np.ndarray, "m k"]) -> Float[np.ndarray, "n k d"]:
        """The same with respect to u = Rx: sum_j a_j slope (u_j - u)."""
        u, v = self.transform(X), self.transform(Z)
        slopes = self.base.slopes(u, v)
        gradients = np.empty((len(X), a.shape[1], X.shape[1]))
        for c in range(a.shape[1]):
            gradients[:, c] = slopes @ (a[:, c : c + 1] * v) - (slopes @ a[:, c])[:, None] * u
        return gradients


def _size(metric: Metric) -> float:
    return float(np.max(np.abs(metric), initial=0.0))
