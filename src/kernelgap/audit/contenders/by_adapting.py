"""The rival that no floor for kernels binds: a Laplace kernel with a learned metric (recursive feature machine)."""

from math import isqrt

import numpy as np

from kernelgap.audit.contenders.view import Search, Tell, Tuned, View, spread
from kernelgap.audit.models import AdaptiveModel
from kernelgap.kernels.laplace import Laplace
from kernelgap.kernels.mahalanobis import Mahalanobis
from kernelgap.regression import adaptive_rounds
from kernelgap.regression.selection import solve_quietly

FACTORS = (0.5, 8.0)  # of the median distance
MOST_INPUTS = 1000  # with more, a weight for each input instead of a whole matrix


def tune_adaptive(name: str, view: View, tell: Tell) -> Tuned:
    """Each round of regression is a fit: as many bandwidths as rounds, the first of which has the plain kernel."""
    side = isqrt(view.effort.fits)
    rows = slice(0, view.effort.most_rows)
    search = Search(side * side, tell)
    for factor in spread(*FACTORS, side):
        rounds = adaptive_rounds(
            Laplace(factor=factor),
            view.X[rows],
            view.centred[rows],
            (view.X_val, view.centred_val),
            rounds=side - 1,
            diagonal=view.X.shape[1] > MOST_INPUTS,
        )
        for found in rounds:
            setting = {"bandwidth": found.kernel.base.length, "round": found.number, "ridge": found.ridge}
            if len(view.X) > view.effort.most_rows:
                setting["rows"] = view.effort.most_rows
            search.add(
                setting,
                found.error / view.divisor,
                lambda kernel=found.kernel, ridge=found.ridge: _refit(kernel, ridge, view),  # type: ignore[misc]
            )
    return search.result()


def _refit(kernel: Mahalanobis, ridge: float, view: View) -> AdaptiveModel:
    """With the metric that was learned, regression on the whole sample, as far as there is room."""
    X, Y = (part[-view.effort.most_rows :] for part in view.whole)
    coefficients = solve_quietly(kernel(X), Y, np.array([ridge])).coefficients[0]
    return AdaptiveModel(kernel.base, kernel.metric, X, coefficients, view.whole_offset)
