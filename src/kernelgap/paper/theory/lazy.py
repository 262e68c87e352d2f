"""The lazy regime (slides): a wide two-layer network at a small rate stays close to its linearisation.

f(W; x) = sum_i a_i s(<w_i, (x, 1)>) with a_i ~ N(0, 1), w_i ~ N(0, 2/m) and only W trained. Its tangent model keeps the
gates of the start, f_0(W; x) = sum_i a_i 1[<w_i(0), (x, 1)> >= 0] <w_i, (x, 1)>. To fit, w_i has to move by about 1/m
while <w_i(0), x> is about 1/sqrt(m), so that a share of about m^(-1/2) of the gates turns over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.networks import two_layer
from kernelgap.networks.network import Layer, Params
from kernelgap.problems import Problem

KERNEL_RATE = 0.5  # in units of 1/m: small


@dataclass(frozen=True)
class TalkStart:
    """The talk's start, a ~ N(0, 1) and w ~ N(0, 2/m), with w ``scale`` times as large."""

    scale: float = 1.0

    def std(self, layer: Layer, width: int, fan_in: int = 0) -> float:
        return 1.0 if layer == "output" else self.scale * (2 / width) ** 0.5


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


def two_layer_beside_tangent(
    problem: Problem, *, width: int, samples: int, rates: Sequence[float], time: float, seed: int, held_out: int = 500
) -> Lazy:
    """Full-batch gradient descent of both from the same start on the same sample, eta = rate / m, time / rate steps."""
    data = _Data.of(problem, width, samples, held_out, seed, TalkStart())
    columns = [data.trained((rate, time), (rate, time)) for rate in rates]
    names = ("changed", "distance", "moved", "train_error")
    return Lazy(width, tuple(rates), *(np.array([getattr(column, name) for column in columns]) for name in names))


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
    """How far the network ends from its tangent kernel's own solution, whatever its width, start and rate.

    The kernel's solution is f_0 after gradient descent at a small rate; the network has its own. With one rate
    for both, a large one breaks f_0 first.

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
    data = _Data.of(problem, width, samples, held_out, seed, start or TalkStart())
    ended = data.trained((rate, time), (KERNEL_RATE, time))
    return Departure(ended.distance, ended.learned, ended.changed, ended.train_error)


def gates(params: Params, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
    return (x @ params["W"].T + params["b1"] >= 0).astype(x.dtype)


def tangent(params: Params, start_gates: Float[Array, "n m"], x: Float[Array, "n d"]) -> Float[Array, "n k"]:
    """f_0: linear in W and b1, as the gates are given."""
    return (start_gates * (x @ params["W"].T + params["b1"])) @ params["A"].T


class _Ended(NamedTuple):
    """Where a network and a tangent model are at the end, at held-out inputs."""

    distance: float
    learned: float  # by the tangent model
    moved: float  # by the network
    changed: float
    train_error: float


@dataclass(frozen=True)
class _Data:
    """A start, a sample and held-out inputs."""

    width: int
    params: Params
    x: Float[Array, "n d"]
    y: Float[Array, "n k"]
    test: Float[Array, "t d"]

    @classmethod
    def of(cls, problem: Problem, width: int, samples: int, held_out: int, seed: int, start: TalkStart) -> "_Data":
        sizes = {"inputs": problem.d, "outputs": problem.outputs, "width": width}
        params = two_layer.init(jax.random.key(seed), **sizes, initialisation=start)
        x, y = (jnp.asarray(a, jnp.float32) for a in problem.sample(samples, [seed, 0]))
        return cls(width, params, x, y, jnp.asarray(problem.sample(held_out, [seed, 2])[0], jnp.float32))

    def trained(self, network: tuple[float, float], kernel: tuple[float, float]) -> _Ended:
        """The network and the tangent model, each with a rate in units of 1/m and a time rate x steps."""
        rates = jnp.asarray([network[0] / self.width, kernel[0] / self.width], jnp.float32)
        steps = [round(time / rate) for rate, time in (network, kernel)]
        values = _train(self.params, self.x, self.y, self.test, rates, *steps)
        return _Ended(*(float(v) if np.isfinite(v) else np.inf for v in values))


@jax.jit
def _train(
    params: Params,
    x: Float[Array, "n d"],
    y: Float[Array, "n k"],
    test: Float[Array, "t d"],
    rates: Float[Array, " 2"],
    steps: int | Array,
    kernel_steps: int | Array,
) -> tuple[Array, Array, Array, Array, Array]:
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
        _root_mean_square(outputs - before),
        jnp.mean(jnp.abs(gates(trained, test) - gates(params, test))),
        jnp.sum((y - two_layer.apply(trained, x)) ** 2) / x.shape[0],
    )


def _root_mean_square(values: Float[Array, "n k"]) -> Array:
    return jnp.sqrt(jnp.mean(jnp.sum(values**2, axis=1)))
