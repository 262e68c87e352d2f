"""A Laplace kernel with a learned metric (recursive feature machine): no floor for kernels binds it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

import numpy as np

from kernelgap.audit.contenders.view import ProgressCallback, Records, Setting, SettingErrors, View, spread
from kernelgap.kernels.formulas.distance_kernel import Laplace
from kernelgap.models import AdaptiveModel
from kernelgap.regression import Round, adaptive_rounds
from kernelgap.regression.selection import solve_quietly

BANDWIDTHS = (0.5, 8.0)  # of the median distance
MOST_INPUTS = 1000  # with more, a weight for each input instead of a whole matrix


@dataclass(frozen=True)
class RecursiveFeatureMachine:
    """Each round of regression is a fit: as many bandwidths as rounds, the first of which has the plain kernel."""

    name: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        side = isqrt(view.search_budget.fits)
        records = Records(side * side, on_progress)
        for bandwidth in spread(*BANDWIDTHS, side):
            for fitted in self._rounds(view, bandwidth, side - 1):
                setting = {"bandwidth": bandwidth, "round": fitted.number, "ridge": fitted.ridges}
                records.add(setting, fitted.errors / view.divisor)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> AdaptiveModel:
        """Learn the metric as in judging; with it, regress on the sample, as far as there is room."""
        *_, last = self._rounds(view, setting["bandwidth"], round(setting["round"]))
        kernel, sample = last.kernel, view.train_plus_validation
        some = slice(max(0, len(sample.X) - view.search_budget.most_rows), None)
        path = solve_quietly(kernel(sample.X[some]), sample.centred[some], np.array([setting["ridge"]]))
        return AdaptiveModel(kernel, sample.X[some], path.coefficients[0], sample.offset)

    def _rounds(self, view: View, bandwidth: float, rounds: int) -> Iterator[Round]:
        some = slice(0, view.search_budget.most_rows)
        return adaptive_rounds(
            Laplace(factor=bandwidth),
            view.X[some],
            view.centred[some],
            (view.X_val, view.centred_val),
            rounds=rounds,
            diagonal=view.X.shape[1] > MOST_INPUTS,
        )
