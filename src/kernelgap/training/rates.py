"""A learning rate for inputs of any size."""

import jax.numpy as jnp
import numpy as np

from kernelgap.errors import InputError
from kernelgap.networks import Params
from kernelgap.training.curvature import curvature
from kernelgap.training.modes import Model

# On section 8.1 (|x|^2 = 30) the ResNet learns the composite signal best at a rate just under 0.1 with all layers
# trained and between 0.5 and 1 with hidden layers; gradients grow like 1 + |x|^2, so rates shrink like it.
REFERENCE_RATE = {"all": 3.0, "hidden": 22.0}
# Steps with momentum 0.9 on a quadratic of curvature c are stable up to the rate 2 (1 + 0.9) / c. Networks flatten
# while the rate warms up, so they take most of that; linear modes stay on their quadratic and take less than half.
STABLE = {"all": 3.0, "hidden": 3.0}
LINEAR_STABLE = 1.5
ROWS = 256  # rows on which the curvature is measured


def default_rate(model: Model, mode: str, params: Params, X: np.ndarray) -> float:
    """The reference rate for inputs of this size, but no more than 3 / curvature at the start.

    The linear modes (last, ntk) have no reference: they take 1.5 / curvature itself.
    """
    trained, frozen = model.split(params)
    some = X[np.arange(ROWS) % len(X)]  # always as many, so that samples of any size share a compiled program
    x = model.prepare(frozen, jnp.asarray(some, dtype=jnp.float32))
    steep = float(curvature(model, trained, frozen, x))
    safe = STABLE.get(mode, LINEAR_STABLE) / max(steep, 1e-12)
    reference = REFERENCE_RATE.get(mode, np.inf) / (1.0 + float(np.mean(np.sum(X**2, axis=1))))
    rate = min(reference, safe)
    if not (np.isfinite(rate) and rate > 0):
        raise InputError("No learning rate suits inputs of this size: scale them, for example with StandardScaler.")
    return rate
