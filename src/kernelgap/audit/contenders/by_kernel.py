"""Kernel ridge regression: bandwidths, and for each the whole path of ridges."""

from dataclasses import replace

import numpy as np

from kernelgap import kernels
from kernelgap.audit.contenders.ridges import about_landmarks, judge_ridges, solve_whole
from kernelgap.audit.contenders.view import Rows, Search, Tell, Tuned, View, spread
from kernelgap.audit.models import KernelModel
from kernelgap.kernels import Kernel
from kernelgap.kernels.distance_kernel import DistanceKernel

FACTORS = (1 / 8, 16.0)  # of the median distance, or of the root of the mean |x|^2


def tune_kernel(name: str, view: View, tell: Tell) -> Tuned:
    """Each bandwidth is a fit.

    For kernels of distances it multiplies the median distance. The others see (x / bandwidth, 1), with the bias
    coordinate: a wide one is all but linear, a narrow one sees directions alone; it multiplies the root of mean |x|^2.
    """
    search = Search(view.effort.fits, tell)
    for factor in spread(*FACTORS, view.effort.fits):
        kernel, scale = _at_bandwidth(name, factor, view.X)
        ridge, error = judge_ridges(kernel, view, scale)
        bandwidth = kernel.length if isinstance(kernel, DistanceKernel) else scale
        search.add(
            {"bandwidth": bandwidth, "ridge": ridge, **about_landmarks(view)},
            error,
            lambda k=kernel, r=ridge, s=scale: KernelModel(k, *solve_whole(k, view, r, s), view.whole_offset, s),  # type: ignore[misc]
        )
    return search.result()


def _at_bandwidth(name: str, factor: float, X: Rows) -> tuple[Kernel, float]:
    """The kernel, and what inputs are divided by before it sees them."""
    kernel = kernels.get(name)
    if isinstance(kernel, DistanceKernel):
        return replace(kernel, factor=factor).fit(X), 1.0
    size = float(np.sqrt(np.mean(np.sum(X**2, axis=1)))) or 1.0
    return kernels.get(f"{name}(bias=True)"), factor * size
