"""Kernel ridge regression: bandwidths, and for each the whole path of ridges."""

from dataclasses import replace

import numpy as np

from kernelgap import kernels
from kernelgap.audit.contenders.ridges import solve_path
from kernelgap.audit.contenders.view import Rows, Search, Tell, Tuned, View, spread
from kernelgap.audit.models import KernelModel
from kernelgap.kernels import Kernel
from kernelgap.kernels.distance_kernel import DistanceKernel

FACTORS = (1 / 8, 16.0)  # of the median distance, or of the root mean square of |x|


def tune_kernel(name: str, view: View, tell: Tell) -> Tuned:
    """Each bandwidth is a fit.

    For kernels of distances it multiplies the median distance. The others see (x / bandwidth, 1), with the bias
    coordinate: a wide one is all but linear, a narrow one sees directions alone; it multiplies the root mean |x|^2.
    """
    search = Search(view.effort.fits, tell)
    for factor in spread(*FACTORS, view.effort.fits):
        kernel, scale = _at_bandwidth(name, factor, view.X)
        path = solve_path(kernel, view.X / scale, view.centred, view)
        errors = path.errors(view.X_val / scale, view.centred_val)
        best = path.best(errors)
        bandwidth = kernel.length if isinstance(kernel, DistanceKernel) else scale
        setting = {"bandwidth": bandwidth, "ridge": float(path.ridges[best]), **path.note}
        search.add(
            setting,
            float(errors[best]) / view.divisor,
            lambda path=path, best=best, kernel=kernel, scale=scale: KernelModel(  # type: ignore[misc]
                kernel, path.points, path.solution(best), view.offset, scale
            ),
        )
    return search.result()


def _at_bandwidth(name: str, factor: float, X: Rows) -> tuple[Kernel, float]:
    """The kernel, and what inputs are divided by before it sees them."""
    kernel = kernels.get(name)
    if isinstance(kernel, DistanceKernel):
        return replace(kernel, factor=factor).fit(X), 1.0
    size = float(np.sqrt(np.mean(np.sum(X**2, axis=1)))) or 1.0
    return kernels.get(f"{name}(bias=True)"), factor * size
