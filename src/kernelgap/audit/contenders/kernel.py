"""Kernel ridge regression: bandwidths, and for each the whole path of ridges."""

from dataclasses import dataclass, replace

import numpy as np

from kernelgap import kernels
from kernelgap.audit.contenders.ridges import judge_ridges, solve
from kernelgap.audit.contenders.view import Judged, Records, Rows, Setting, Tell, View, spread
from kernelgap.kernels import Kernel
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.models import KernelModel

BANDWIDTHS = (1 / 8, 16.0)


@dataclass(frozen=True)
class KernelRidge:
    """Each bandwidth is a fit.

    For kernels of distances it is a share of the median distance. The others see (x / bandwidth, 1), with the bias
    coordinate, and it is a share of the root of mean |x|^2: a wide one is all but linear, a narrow one sees directions.
    """

    name: str

    def judge(self, view: View, tell: Tell) -> Judged:
        records = Records(view.search_budget.fits, tell)
        for bandwidth in spread(*BANDWIDTHS, view.search_budget.fits):
            kernel, scale = self._at(bandwidth, view.X)
            ridges, errors = judge_ridges(kernel, view, scale)
            records.add({"bandwidth": bandwidth, "ridge": ridges}, errors)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> KernelModel:
        whole = view.train_plus_validation
        kernel, scale = self._at(setting["bandwidth"], whole.X)
        return KernelModel(kernel, *solve(kernel, whole, setting["ridge"], scale), whole.offset, scale)

    def _at(self, bandwidth: float, X: Rows) -> tuple[Kernel, float]:
        """The kernel, and what inputs are divided by before it sees them."""
        kernel = kernels.get(self.name)
        if isinstance(kernel, DistanceKernel):
            return replace(kernel, factor=bandwidth).fit(X), 1.0
        size = float(np.sqrt(np.mean(np.sum(X**2, axis=1)))) or 1.0
        return kernels.get(f"{self.name}(bias=True)"), bandwidth * size
