r"""Gradient descent on the whole population with normal noise on each gradient: w <- w - eta (grad E loss + sigma xi).

Each loss is linear in the label y, up to what does not depend on the weights: the gradient for a target y differs from
that without a signal (y = 0) by a factor times E y(x) grad f(x).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.networks import Network, Params

Loss = Literal["half-square", "square", "correlation", "logistic"]
LOSSES: dict[str, Callable[[Array, Array], Array]] = {
    "half-square": lambda f, y: (f - y) ** 2 / 2,
    "square": lambda f, y: (f - y) ** 2,
    "correlation": lambda f, y: -y * f,
    # the mean of log(1 + exp(-+ f)) over labels of +-1 whose mean is y
    "logistic": lambda f, y: jax.nn.softplus(f) - (1 + y) * f / 2,
}
POINTS_AT_ONCE = 256  # whose gradients are held


@dataclass(frozen=True)
class PopulationRuns:
    """What came of each run.

    Attributes
    ----------
    outputs
        f(x) at the end, at every point.
    norms
        sqrt(E |grad_w f(x)|^2) before each step, where it was asked for.
    """

    outputs: Float[np.ndarray, "runs points"]
    norms: Float[np.ndarray, "runs steps"] | None


def descend(
    network: Network,
    params: Params,
    X: Float[np.ndarray, "points d"],
    targets: Float[np.ndarray, "runs points"],
    *,
    steps: int,
    rate: float,
    noise: float,
    seed: int,
    loss: Loss = "half-square",
    with_norms: bool = False,
) -> PopulationRuns:
    """Train all weights of a network of one output, for each target from the same start and with the same noise.

    Parameters
    ----------
    network, params
        The network, and the weights at the start.
    X
        The population: all points count equally.
    targets
        y(x) at every point, for each run; 0 for a run without a signal.
    steps, rate
        The number of steps, and eta.
    noise
        sigma, the standard deviation of the noise on each coordinate of each gradient.
    seed
        Draws the noise.
    loss
        What is averaged over the population: (f - y)^2 / 2, (f - y)^2, -y f, or log(1 + exp(-y f)).
    with_norms
        Whether norms of gradients are taken.
    """
    rng = np.random.default_rng(seed)
    points, y = (jnp.asarray(values, dtype=jnp.float32) for values in (X, targets))
    weights = {name: jnp.broadcast_to(each, (len(targets), *each.shape)) for name, each in params.items()}
    norms = []
    for _ in range(steps):
        if with_norms:
            norms.append(_norms(weights, points, network))
        drawn = {name: noise * rng.standard_normal(params[name].shape, dtype=np.float32) for name in sorted(params)}
        weights = _step(weights, points, y, drawn, jnp.float32(rate), network=network, loss=loss)
    outputs = np.asarray(jax.vmap(lambda w: network.apply(w, points)[:, 0])(weights), dtype=float)
    return PopulationRuns(outputs, np.stack(norms, axis=1) if with_norms else None)


@partial(jax.jit, static_argnames=("network", "loss"))
def _step(
    weights: Params,
    points: Float[Array, "points d"],
    targets: Float[Array, "runs points"],
    noise: Params,
    rate: Float[Array, ""],
    *,
    network: Network,
    loss: Loss,
) -> Params:
    def mean_loss(w: Params, y: Array) -> Array:
        return LOSSES[loss](network.apply(w, points)[:, 0], y).mean()

    gradient = jax.vmap(jax.grad(mean_loss))(weights, targets)
    return {name: each - rate * (gradient[name] + noise[name]) for name, each in weights.items()}


def _norms(weights: Params, points: Float[Array, "points d"], network: Network) -> Float[np.ndarray, " runs"]:
    """sqrt(E |grad_w f(x)|^2) for each run."""
    starts = range(0, len(points), POINTS_AT_ONCE)
    sums = [_squared_norms(weights, points[start : start + POINTS_AT_ONCE], network=network) for start in starts]
    return np.sqrt(np.sum(sums, axis=0, dtype=float) / len(points))


@partial(jax.jit, static_argnames="network")
def _squared_norms(weights: Params, points: Float[Array, "points d"], *, network: Network) -> Float[Array, " runs"]:
    """|grad_w f(x)|^2, summed over points."""
    at_each = jax.vmap(jax.grad(lambda w, x: network.apply(w, x[None])[0, 0]), in_axes=(None, 0))
    gradients = jax.vmap(at_each, in_axes=(0, None))(weights, points)
    return sum(((g**2).sum(axis=tuple(range(1, g.ndim))) for g in gradients.values()), start=jnp.zeros(()))
