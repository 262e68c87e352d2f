"""The lazy regime (slides): a wide two-layer network at a small rate stays close to its linearisation.

f(W; x) = sum_i a_i s(<w_i, (x, 1)>) with a_i ~ N(0, 1), w_i ~ N(0, 2/m) and only W trained. Its tangent model keeps the
gates of the start, f_0(W; x) = sum_i a_i 1[<w_i(0), (x, 1)> >= 0] <w_i, (x, 1)>. To fit, w_i has to move by about 1/m
while <w_i(0), x> is about 1/sqrt(m), so that a share of about m^(-1/2) of the gates turns over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.networks import two_layer
from kernelgap.networks.network import Layer, Params
from kernelgap.problems import Problem


@dataclass(frozen=True)
class Talk:
    """The talk's start: a ~ N(0, 1), w ~ N(0, 2/m)."""

    def std(self, layer: Layer, width: int, fan_in: int = 0) -> float:
        return 1.0 if layer == "output" else (2 / width) ** 0.5


@dataclass(frozen=True)
class Lazy:
    """For each rate (in units of 1/m) after the same time rate x steps, on inputs that were not trained on.

    ``changed``: share of (neuron, input) pairs whose gate differs from the start; ``distance``: root mean square of
    f - f_0, both trained alike; ``moved``: of f from its start. A run that overflowed has infinite values.
    """

    width: int
    rates: tuple[float, ...]
    changed: Float[np.ndarray, " rates"]
    distance: Float[np.ndarray, " rates"]
    moved: Float[np.ndarray, " rates"]
    train_error: Float[np.ndarray, " rates"]


def two_layer_beside_tangent(
    problem: Problem, *, width: int, samples: int, rates: Sequence[float], time: float, seed: int, held_out: int = 500
) -> Lazy:
    """Full-batch gradient descent of both from the same start on the same sample, eta = rate / m, time / rate steps."""
    params = two_layer.init(
        jax.random.key(seed), inputs=problem.d, outputs=problem.outputs, width=width, initialisation=Talk()
    )
    x, y = (jnp.asarray(a, jnp.float32) for a in problem.sample(samples, [seed, 0]))
    test = jnp.asarray(problem.sample(held_out, [seed, 2])[0], jnp.float32)
    columns = [_compare(params, x, y, test, rate / width, round(time / rate)) for rate in rates]
    values = np.array([[float(v) if np.isfinite(v) else np.inf for v in column] for column in columns]).T
    return Lazy(width, tuple(rates), *values)


def gates(params: Params, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
    return (x @ params["W"].T + params["b1"] >= 0).astype(x.dtype)


def tangent(params: Params, start_gates: Float[Array, "n m"], x: Float[Array, "n d"]) -> Float[Array, "n k"]:
    """f_0: linear in W and b1, as the gates are given."""
    return (start_gates * (x @ params["W"].T + params["b1"])) @ params["A"].T


@jax.jit
def _compare(
    params: Params,
    x: Float[Array, "n d"],
    y: Float[Array, "n k"],
    test: Float[Array, "t d"],
    rate: float | Array,
    steps: int | Array,
) -> tuple[Array, Array, Array, Array]:
    hidden = {name: jnp.asarray(params[name]) for name in ("W", "b1")}
    at_start = gates(params, x)

    def network(w: Params) -> Array:
        return two_layer.apply({**params, **w}, x)

    def linear(w: Params) -> Array:
        return tangent({**params, **w}, at_start, x)

    def step(w: Params, f: Callable[[Params], Array]) -> Params:
        gradient = jax.grad(lambda v: 0.5 * jnp.sum((y - f(v)) ** 2) / x.shape[0])(w)
        return {name: w[name] - rate * gradient[name] for name in w}

    def both(_: Array, state: tuple[Params, Params]) -> tuple[Params, Params]:
        return step(state[0], network), step(state[1], linear)

    trained, tangents = jax.lax.fori_loop(0, steps, both, (hidden, hidden))
    outputs = two_layer.apply({**params, **trained}, test)
    beside = tangent({**params, **tangents}, gates(params, test), test)
    return (
        jnp.mean(jnp.abs(gates({**params, **trained}, test) - gates(params, test))),
        _root_mean_square(outputs - beside),
        _root_mean_square(outputs - two_layer.apply(params, test)),
        jnp.sum((y - network(trained)) ** 2) / x.shape[0],
    )


def _root_mean_square(values: Float[Array, "n k"]) -> Array:
    return jnp.sqrt(jnp.mean(jnp.sum(values**2, axis=1)))
