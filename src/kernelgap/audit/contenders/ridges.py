"""Regression with a kernel: exactly where the Gram matrix has room, else over Nystroem features.

Ridges are shares of the mean of K(x,x) over the rows that are learned from.
"""

import numpy as np
from jaxtyping import Float

from kernelgap.audit.contenders.view import Outputs, Rows, View
from kernelgap.kernels import Kernel
from kernelgap.regression import Nystroem, default_ridges, nystroem_features, nystroem_path
from kernelgap.regression.selection import solve_quietly
from kernelgap.seeds import stream

Ridges = Float[np.ndarray, " r"]


def judge_ridges(kernel: Kernel, view: View, scale: float = 1.0) -> tuple[Ridges, Ridges]:
    """The default path of ridges, and the validation error of each; inputs are divided by ``scale``."""
    X, X_val = view.X / scale, view.X_val / scale
    shares = default_ridges(1.0, len(X) + len(X_val))
    size = _size(kernel, X)
    if view.search_budget.landmarks is None:
        path = solve_quietly(kernel(X), view.centred, shares * size)
        return shares, path.errors(kernel(X_val, X), view.centred_val) / view.divisor
    reduced = nystroem_path(_features(kernel, X, view), X, view.centred, shares * size)
    return shares, reduced.errors(X_val, view.centred_val) / view.divisor


def solve(kernel: Kernel, view: View, ridge: float, scale: float = 1.0) -> tuple[Rows, Outputs]:
    """Points and coefficients: all rows that are learned from, or the landmarks."""
    X = view.X / scale
    ridges = np.array([ridge * _size(kernel, X)])
    if view.search_budget.landmarks is None:
        return X, solve_quietly(kernel(X), view.centred, ridges).coefficients[0]
    reduced = nystroem_path(_features(kernel, X, view), X, view.centred, ridges)
    return reduced.features.landmarks, reduced.coefficients[0]


def _size(kernel: Kernel, X: Rows) -> float:
    return float(np.mean(kernel.diagonal(X))) or 1.0


def _features(kernel: Kernel, X: Rows, view: View) -> Nystroem:
    assert view.search_budget.landmarks is not None
    return nystroem_features(kernel, X, view.search_budget.landmarks, rng=stream(view.seed, "landmarks"))
