"""The rival that no floor for kernels binds: a Laplace kernel with a learned metric (recursive feature machine)."""

from math import isqrt

import numpy as np

from kernelgap.audit.contenders.view import Search, Tell, Tuned, View, spread
from kernelgap.audit.models import AdaptiveModel
from kernelgap.kernels.laplace import Laplace
from kernelgap.regression import Round, adaptive_rounds

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
            search.add(setting, found.error / view.divisor, lambda f=found: _model(f, view.X[rows], view.offset))  # type: ignore[misc]
    return search.result()


def _model(found: Round, points: np.ndarray, offset: np.ndarray) -> AdaptiveModel:
    return AdaptiveModel(found.kernel.base, found.kernel.metric, points, found.coefficients, offset)
