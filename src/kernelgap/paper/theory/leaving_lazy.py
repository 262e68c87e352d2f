"""How far a two-layer network ends from its tangent kernel's own solution, whatever its width, start and rate.

The kernel's solution is f_0 of ``lazy`` after gradient descent at a small rate for the same time rate x steps; the
network may have a rate of its own. ``lazy`` trains both at the same rate, where a large one breaks f_0 first.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.networks import two_layer
from kernelgap.networks.network import Layer, Params
from kernelgap.paper.theory.lazy import gates, tangent
from kernelgap.problems import Problem

KERNEL_RATE = 0.5  # in units of 1/m: small


@dataclass(frozen=True)
class TalkStart:
    """The talk's start, a ~ N(0, 1) and w ~ N(0, 2/m), with w ``scale`` times as large."""

    scale: float = 1.0

    def std(self, layer: Layer, width: int, fan_in: int = 0) -> float:
        return 1.0 if layer == "output" else self.scale * (2 / width) ** 0.5


@dataclass(frozen=True)
class Departure:
    """At held-out inputs, as root mean squares; infinite for a run that overflowed.

    Attributes
    ----------
    distance
        Of the trained network from the kernel's solution.
    learned
        How far the kernel's solution is from the start: what distances are measured by.
    changed
        The share of (neuron, input) pairs whose gate differs from the start.
    train_error
        The mean of |y - f|^2 over the samples at the end.
    """

    distance: float
    learned: float
    changed: float
    train_error: float

    @property
    def relative(self) -> float:
        return self.distance / self.learned


def departure(
    problem: Problem,
    *,
    width: int,
    samples: int,
    rate: float,
    time: float,
    seed: int,
    start: TalkStart | None = None,
    held_out: int = 500,
) -> Departure:
    """Full-batch gradient descent on W with eta = rate / m, for time / rate steps.

    Parameters
    ----------
    problem, samples, held_out
        What is learned, from how many samples, and the number of held-out inputs.
    width, rate, start
        The three conditions of the lazy regime; the rate in units of 1/m.
    time
        Rate x steps, of the network and of its kernel.
    seed
        Of the start and of the samples.
    """
    start = start or TalkStart()
    sizes = {"inputs": problem.d, "outputs": problem.outputs, "width": width}
    params = two_layer.init(jax.random.key(seed), **sizes, initialisation=start)
    x, y = (jnp.asarray(a, jnp.float32) for a in problem.sample(samples, [seed, 0]))
    test = jnp.asarray(problem.sample(held_out, [seed, 2])[0], jnp.float32)
    rates = jnp.asarray([rate / width, KERNEL_RATE / width], jnp.float32)
    values = _train(params, x, y, test, rates, round(time / rate), round(time / KERNEL_RATE))
    return Departure(*(float(v) if np.isfinite(v) else np.inf for v in values))


@jax.jit
def _train(
    params: Params,
    x: Float[Array, "n d"],
    y: Float[Array, "n k"],
    test: Float[Array, "t d"],
    rates: Float[Array, " 2"],
    steps: int | Array,
    kernel_steps: int | Array,
) -> tuple[Array, Array, Array, Array]:
    hidden = {name: jnp.asarray(params[name]) for name in ("W", "b1")}
    at_start = gates(params, x)

    def network(w: Params) -> Array:
        return two_layer.apply({**params, **w}, x)

    def linear(w: Params) -> Array:
        return tangent({**params, **w}, at_start, x)

    def descend(f: Callable[[Params], Array], rate: Array, count: int | Array) -> Params:
        def step(_: Array, w: Params) -> Params:
            gradient = jax.grad(lambda v: 0.5 * jnp.sum((y - f(v)) ** 2) / x.shape[0])(w)
            return {name: w[name] - rate * gradient[name] for name in w}

        return dict(jax.lax.fori_loop(0, count, step, hidden))

    trained = {**params, **descend(network, rates[0], steps)}
    outputs, before = two_layer.apply(trained, test), two_layer.apply(params, test)
    kernel = tangent({**params, **descend(linear, rates[1], kernel_steps)}, gates(params, test), test)
    return (
        _root_mean_square(outputs - kernel),
        _root_mean_square(kernel - before),
        jnp.mean(jnp.abs(gates(trained, test) - gates(params, test))),
        jnp.sum((y - two_layer.apply(trained, x)) ** 2) / x.shape[0],
    )


def _root_mean_square(values: Float[Array, "n k"]) -> Array:
    return jnp.sqrt(jnp.mean(jnp.sum(values**2, axis=1)))
