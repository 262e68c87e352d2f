"""A kernel of distances in a metric of its own, K_M(x,z) = kappa(sqrt((x - z)' M (x - z))), M positive semi-definite.

With R = M^(1/2) it is kappa(|Rx - Rz|): a Gaussian or Laplace kernel of the inputs Rx. A function
f(x) = sum_j a_j K_M(x, z_j) has the gradient  M sum_j a_j slope(x, z_j) (z_j - x),  with slope = -kappa'(r) / r.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.kernel import Gram, Kernel
from kernelgap.kernels.pairs import Rows
from kernelgap.rows import check_rows

Metric = Float[np.ndarray, "d d"]
BLOCK = 2**22  # slopes, or entries of gradients, that are held at a time: 32 MiB


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

    def _gram(self, X: Rows, Z: Rows) -> Gram:
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

    def gradients(self, X: Rows, Z: Rows, coefficients: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "m k d"]:
        """The gradient at each row of X of each function sum_j a_j K(., z_j), a the columns of ``coefficients``.

        At a row of Z itself, where the Laplace kernel has a tip, that row counts as level.
        """
        inner = self._inner_gradients(X - Z.mean(axis=0), Z - Z.mean(axis=0), coefficients)
        return inner @ self.root

    def gradient_products(self, X: Rows, Z: Rows, coefficients: Float[np.ndarray, "n k"]) -> Metric:
        """The mean over the rows of X of grad f grad f', summed over the functions f: (d, d)."""
        centre = Z.mean(axis=0)
        X, Z = X - centre, Z - centre
        total = np.zeros_like(self.metric)
        step = max(1, BLOCK // max(len(Z), coefficients.shape[1] * Z.shape[1]))
        for i in range(0, len(X), step):
            inner = self._inner_gradients(X[i : i + step], Z, coefficients).reshape(-1, Z.shape[1])
            total += inner.T @ inner
        return self.root @ (total / len(X)) @ self.root

    def _inner_gradients(self, X: Rows, Z: Rows, a: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "m k d"]:
        """The same with respect to u = Rx: sum_j a_j slope (u_j - u)."""
        u, v = self.transform(X), self.transform(Z)
        slopes = self.base.slopes(u, v)
        found = np.empty((len(X), a.shape[1], X.shape[1]))
        for c in range(a.shape[1]):
            found[:, c] = slopes @ (a[:, c : c + 1] * v) - (slopes @ a[:, c])[:, None] * u
        return found


def _size(metric: Metric) -> float:
    return float(np.max(np.abs(metric), initial=0.0))
