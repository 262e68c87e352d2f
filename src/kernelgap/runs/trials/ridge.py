"""Solve a chunk's path of ridges exactly: a kernel's, or that of a network's conjugate or tangent kernel."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import kernels, networks
from kernelgap.kernels.empirical.kernel import TangentAt, conjugate_features, empirical
from kernelgap.networks import Params
from kernelgap.regression import feature_path, ridge_path, ridge_path_by_products
from kernelgap.runs.trials.chunk import TrialResult
from kernelgap.runs.trials.samples import Samples, draw_samples, mean_errors
from kernelgap.runs.trials.trial import RidgeTrial

SCALE_ROWS = 32  # training samples over which a tangent kernel's mean K(x,x), the scale of its ridges, is taken
TOLERANCE = 1e-9  # of the tangent kernel's equations, relative to their right-hand side

Outputs = Float[np.ndarray, "n k"]


class Fitted(NamedTuple):
    """Predictions with one ridge on the training, validation and test inputs, and whether its equations are solved."""

    predictions: tuple[Outputs, Outputs, Outputs]
    solved: bool = True


def run_by_ridge(trials: Sequence[RidgeTrial], on_progress: Callable[[float], None]) -> list[TrialResult]:
    """Solve for every ridge and report each trial."""
    trial = trials[0]
    samples = draw_samples(trial)
    ridges = np.array([t.ridge for t in trials])
    if trial.kernel is not None:
        fits = _kernel_fits(trial.kernel, samples, ridges)
    elif trial.mode == "last":
        fits = _conjugate_fits(trial, samples, ridges)
    else:
        fits = _tangent_fits(trial, samples, ridges, on_progress)
    return [_result(t, fitted, samples) for t, fitted in zip(trials, fits, strict=True)]


def _kernel_fits(text: str, samples: Samples, ridges: Float[np.ndarray, " r"]) -> list[Fitted]:
    X, Y = samples.train
    kernel = kernels.get(text).fit(X)
    gram = kernel(X)
    path = ridge_path(gram, Y, ridges * float(np.mean(np.diagonal(gram))))
    blocks = (gram, kernel(samples.validation[0], X), kernel(samples.test[0], X))
    return [Fitted(outputs) for outputs in zip(*(path.predict(block) for block in blocks), strict=True)]


def _conjugate_fits(trial: RidgeTrial, samples: Samples, ridges: Float[np.ndarray, " r"]) -> list[Fitted]:
    network, params = _start(trial, samples)
    features = [conjugate_features(network, params, X) for X, _ in samples]
    scale = float(np.mean(np.sum(features[0] ** 2, axis=1)))
    path = feature_path(features[0], samples.train[1], ridges * scale)
    return [Fitted(outputs) for outputs in zip(*(path.predict(phi) for phi in features), strict=True)]


def _tangent_fits(
    trial: RidgeTrial, samples: Samples, ridges: Float[np.ndarray, " r"], on_progress: Callable[[float], None]
) -> list[Fitted]:
    """out0(x) + <d out0(x) / d weights, change>, with the smallest change for each ridge. All outputs are coupled.

    The full kernel is never formed: conjugate gradients solve its equations through products with it.
    """
    network, params = _start(trial, samples)
    X, Y = samples.train
    scale = float(np.mean(empirical(network, params).diagonal(X[:SCALE_ROWS])))
    with jax.enable_x64(True):
        at = TangentAt(network, params, "all")
        everything = np.concatenate([inputs for inputs, _ in samples])  # at once: one program to compile
        ends = np.cumsum([len(X), len(samples.validation[0])])
        start = at.outputs(everything)
        path = ridge_path_by_products(
            at.product(X), Y - start[: len(X)], ridges * scale, tolerance=TOLERANCE, on_progress=on_progress
        )
        fits = []  # a list, since 64 bits are for what happens in here alone
        for coefficients, residual in zip(path.coefficients, path.residuals, strict=True):
            outputs = start + at.change(everything, at.pull_back(X, coefficients))
            on_train, on_validation, on_test = np.split(outputs, ends)
            fits.append(Fitted((on_train, on_validation, on_test), solved=bool(residual <= 10 * TOLERANCE)))
        return fits


def _start(trial: RidgeTrial, samples: Samples) -> tuple[networks.Network, Params]:
    """The network and the weights that SGD would start from."""
    assert trial.network is not None
    assert trial.width is not None
    network = networks.get(trial.network)
    inputs, outputs = samples.train[0].shape[1], samples.train[1].shape[1]
    key = jax.random.key(trial.seed)
    return network, network.init(key, inputs=inputs, outputs=outputs, width=trial.width)


def _result(trial: RidgeTrial, fitted: Fitted, samples: Samples) -> TrialResult:
    if not fitted.solved:
        return TrialResult(trial.id, "unsolved", np.inf, np.inf, np.inf, np.inf)
    return TrialResult(trial.id, "done", *mean_errors(fitted.predictions, samples))
