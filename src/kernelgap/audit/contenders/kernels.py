"""Ridge regression with kernels: those of the package, and a network's own at its start.

A Gram matrix is factorised where it has room; otherwise regression is over Nystroem features. Ridges are shares of the
mean of K(x,x) over the training rows.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from kernelgap import kernels
from kernelgap.audit.contenders.network import start
from kernelgap.audit.contenders.view import (
    Outputs,
    ProgressCallback,
    Records,
    Rows,
    Setting,
    SettingErrors,
    View,
    spread,
)
from kernelgap.kernels import Kernel
from kernelgap.kernels.empirical.kernel import Empirical
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.models import KernelModel, TangentModel
from kernelgap.regression import Nystroem, default_ridges, nystroem_features, nystroem_path
from kernelgap.regression.selection import solve_quietly
from kernelgap.seeds import stream

BANDWIDTHS = (1 / 8, 16.0)
PARTS = {"ntk": "all", "last": "last"}

Ridges = Float[np.ndarray, " r"]


@dataclass(frozen=True)
class KernelRidge:
    """Each bandwidth is a fit, with the whole path of ridges.

    For kernels of distances it is a share of the median distance. The others see (x / bandwidth, 1), with the bias
    coordinate, and it is a share of the root of mean |x|^2: a wide one is all but linear, a narrow one sees directions.
    """

    name: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        records = Records(view.search_budget.fits, on_progress)
        for bandwidth in spread(*BANDWIDTHS, view.search_budget.fits):
            kernel, scale = self._at(bandwidth, view.X)
            ridges, errors = _validation_errors(kernel, view, scale)
            records.add({"bandwidth": bandwidth, "ridge": ridges}, errors)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> KernelModel:
        sample = view.train_plus_validation
        kernel, scale = self._at(setting["bandwidth"], sample.X)
        return KernelModel(kernel, *_solve(kernel, sample, setting["ridge"], scale), sample.offset, scale)

    def cross_gram(self, view: View, setting: Setting, X: Rows) -> Float[np.ndarray, "n p"]:
        """K(X, the whole sample), with the setting's bandwidth."""
        sample = view.train_plus_validation.X
        kernel, scale = self._at(setting["bandwidth"], sample)
        return np.asarray(kernel(X / scale, sample / scale))

    def _at(self, bandwidth: float, X: Rows) -> tuple[Kernel, float]:
        """The kernel, and the divisor of its inputs."""
        kernel = kernels.get(self.name)
        if isinstance(kernel, DistanceKernel):
            return replace(kernel, factor=bandwidth).fit(X), 1.0
        size = float(np.sqrt(np.mean(np.sum(X**2, axis=1)))) or 1.0
        return kernels.get(f"{self.name}(bias=True)"), bandwidth * size


@dataclass(frozen=True)
class FrozenNetworkKernel:
    """A network's tangent kernel or last layer, frozen at its random start; ``name`` is as in 3resnet(ntk).

    Ridge regression with it is where training the linearised network, or its last layer, would end, for every ridge at
    once. What the network does better it owes to features that it learned. There is one fit: the kernel has no
    bandwidth.
    """

    name: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        records = Records(1, on_progress)
        ridges, errors = _validation_errors(self._kernel(view), view)
        records.add({"ridge": ridges}, errors)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> TangentModel:
        kernel, sample = self._kernel(view), view.train_plus_validation
        return TangentModel(kernel, *_solve(kernel, sample, setting["ridge"]), sample.offset)

    def _kernel(self, view: View) -> Empirical:
        name, _, part = self.name.removesuffix(")").partition("(")
        network, params = start(name, view)
        return Empirical(network, {name: np.asarray(weight) for name, weight in params.items()}, PARTS[part])


def _validation_errors(kernel: Kernel, view: View, scale: float = 1.0) -> tuple[Ridges, Ridges]:
    """The default path of ridges, and the validation error of each; inputs are divided by ``scale``."""
    X, X_val = view.X / scale, view.X_val / scale
    shares = default_ridges(1.0, len(X) + len(X_val))
    size = _size(kernel, X)
    if view.search_budget.landmarks is None:
        path = solve_quietly(kernel(X), view.centred, shares * size)
        return shares, path.errors(kernel(X_val, X), view.centred_val) / view.divisor
    reduced = nystroem_path(_features(kernel, X, view), X, view.centred, shares * size)
    return shares, reduced.errors(X_val, view.centred_val) / view.divisor


def _solve(kernel: Kernel, view: View, ridge: float, scale: float = 1.0) -> tuple[Rows, Outputs]:
    """Points and coefficients: all training rows, or the landmarks."""
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
