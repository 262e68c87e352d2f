"""Regression with a kernel: exactly where the Gram matrix has room, else over Nystroem features."""

import numpy as np
from jaxtyping import Float

from kernelgap.audit.contenders.view import Outputs, Rows, View
from kernelgap.kernels import Kernel
from kernelgap.regression import Nystroem, default_ridges, nystroem_features, nystroem_path
from kernelgap.regression.selection import best_ridge, solve_quietly

Ridges = Float[np.ndarray, " r"]


def judge_ridges(kernel: Kernel, view: View, scale: float = 1.0) -> tuple[float, float]:
    """The ridge of least validation error on the default path, and that error; inputs are divided by ``scale``."""
    X, X_val = view.X / scale, view.X_val / scale
    if _exact(view):
        gram = kernel(X)
        ridges = default_ridges(float(np.mean(np.diagonal(gram))), len(X))
        path = solve_quietly(gram, view.centred, ridges)
        errors, spectrum = path.errors(kernel(X_val, X), view.centred_val), path.spectrum
    else:
        reduced = nystroem_path(_features(kernel, X, view), X, view.centred)
        ridges, errors = reduced.ridges, reduced.errors(X_val, view.centred_val)
        assert reduced.path.spectrum is not None
        spectrum = reduced.path.spectrum
    best = best_ridge(errors, ridges, spectrum)
    return float(ridges[best]), float(errors[best]) / view.divisor


def solve_whole(kernel: Kernel, view: View, ridge: float, scale: float = 1.0) -> tuple[Rows, Outputs]:
    """Points and coefficients for the whole sample: all its rows, or the landmarks."""
    X, Y = view.whole[0] / scale, view.whole[1]
    if _exact(view):
        return X, solve_quietly(kernel(X), Y, np.array([ridge])).coefficients[0]
    reduced = nystroem_path(_features(kernel, X, view), X, Y, [ridge])
    return reduced.features.landmarks, reduced.coefficients[0]


def about_landmarks(view: View) -> dict[str, int]:
    """What a setting says of Nystroem features."""
    return {} if _exact(view) else {"landmarks": int(view.effort.landmarks or 0)}


def _exact(view: View) -> bool:
    return view.effort.landmarks is None


def _features(kernel: Kernel, X: Rows, view: View) -> Nystroem:
    assert view.effort.landmarks is not None
    return nystroem_features(kernel, X, view.effort.landmarks, rng=np.random.default_rng([view.seed, 4]))
