"""A learning rate for inputs of any size, from the curvature of the objective at the start."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.errors import InputError
from kernelgap.networks import Params
from kernelgap.training.modes import TrainableModel

# On section 8.1 (|x|^2 = 30) the ResNet learns the composite signal best at a rate just under 0.1 with all layers
# trained and between 0.5 and 1 with hidden layers; gradients grow like 1 + |x|^2, so rates shrink like it.
REFERENCE_RATE = {"all": 3.0, "hidden": 22.0}
# Steps with momentum 0.9 on a quadratic of curvature c are stable up to the rate 2 (1 + 0.9) / c. Networks flatten
# while the rate warms up, so they take most of that; linear modes stay on their quadratic and take less than half.
STABLE = {"all": 3.0, "hidden": 3.0}
LINEAR_STABLE = 1.5
ROWS = 256  # rows on which the curvature is measured


@partial(jax.jit, static_argnames=("model", "steps"))
def curvature(
    model: TrainableModel, trained: Params, frozen: Params, x: Float[Array, "n _"], *, steps: int = 20
) -> Float[Array, ""]:
    """The largest eigenvalue of J'J / n, J the Jacobian of the outputs, by power iteration on J J' / n.

    ``x`` is as ``model.prepare`` gives it.

    Gradient descent on a quadratic of this curvature c is stable below the rate 2 / c, with momentum 0.9 below 3.8 / c.
    """

    def outputs(w: Params) -> Array:
        return model.predict(w, frozen, x)

    start, pull_back = jax.vjp(outputs, trained)

    def step(_: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        direction, _size = state
        (gradient,) = pull_back(direction)
        image = jax.jvp(outputs, (trained,), (gradient,))[1] / x.shape[0]
        size = jnp.linalg.norm(image)
        return image / jnp.maximum(size, 1e-30), size

    ones = jnp.ones_like(start) / jnp.sqrt(start.size)
    tilt = jnp.linspace(-1.0, 1.0, start.size).reshape(start.shape) / start.size  # no eigenvector is left out
    return jax.lax.fori_loop(0, steps, step, (ones + tilt, jnp.zeros(())))[1]


def default_rate(model: TrainableModel, mode: str, params: Params, X: np.ndarray) -> float:
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
