"""Online SGD: one fresh sample a step, compiled; many starts and rates, and what was learned along the way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Int

from kernelgap.errors import InputError
from kernelgap.networks import Params
from kernelgap.problems import Problem
from kernelgap.training.modes import Model
from kernelgap.training.sgd import ROWS, ArrayLike

BLOCK = 2**13  # fresh samples handed to the compiled loop at once
HELD_OUT = 2000
STREAM = 4  # fresh samples of start s come from the seeds [s, STREAM, 0], [s, STREAM, 1], ...
Weights = dict[str, np.ndarray]
Rates = Mapping[str, float]  # one for each trained weight


class Fresh(NamedTuple):
    """Samples in the order in which they are seen: inputs, labels, and the target H without the labels' noise."""

    x: Float32[ArrayLike, "*seeds n d"]
    y: Float32[ArrayLike, "*seeds n k"]
    target: Float32[ArrayLike, "*seeds n k"]


@dataclass(frozen=True)
class Online:
    """What came of each start (``seeds``) at each pair of rates.

    ``averaged_risk`` is (1/T) sum_t |H(x_t) - out_t(x_t)|^2. As x_t is fresh when it is met, its expectation is the
    averaged population risk of Theorem 1. ``passing_risk`` is the same mean over each stretch that ends at ``ends``.
    ``errors`` are means over held-out inputs at the steps ``times``, with their standard errors: ``risk`` is
    |out - H|^2 and, where the network has a first block, ``base`` is |out1 - beta F|^2 and ``composite``
    |(out - out1) - alpha G(F)|^2. A run that overflowed has infinite errors.
    """

    steps: int
    averaged_risk: Float[np.ndarray, "seeds rates"]
    ends: Int[np.ndarray, " stretches"]
    passing_risk: Float[np.ndarray, "seeds rates stretches"]
    times: Int[np.ndarray, " times"]
    errors: dict[str, Float[np.ndarray, "seeds rates times"]]
    standard_errors: dict[str, Float[np.ndarray, "seeds rates times"]]
    model: Model
    start: Weights
    trained: Weights
    frozen: Weights

    def params(self, seed: int, rate: int) -> Weights:
        """All weights of one run at its end."""
        own = {name: w[seed, rate] for name, w in self.trained.items()}
        return {**{name: w[seed] for name, w in self.frozen.items()}, **own}

    def final(self, name: str = "risk") -> Float[np.ndarray, "seeds rates"]:
        return self.errors[name][..., -1]


def train_online(
    model: Model,
    params: Params,
    rates: Sequence[Rates],
    problem: Problem,
    *,
    seeds: Sequence[int],
    steps: int,
    times: Sequence[int] = (),
    held_out: int = HELD_OUT,
    first_block: int = 0,
    watch: Callable[[int, Weights], None] | None = None,
) -> Online:
    """``steps`` steps of SGD on fresh samples, from each of the starts in ``params`` (first axis: ``seeds``).

    All rates of one start see the same samples. Held-out errors are taken at ``times`` and at the end; ``watch`` hears
    these steps with the trained weights (seeds, rates, ...). ``first_block`` skips that many blocks of samples, for
    training that goes on where another has stopped.
    """
    times = _times(times, steps)
    trained, frozen = jax.vmap(model.split)(params)
    start = {name: np.asarray(w) for name, w in trained.items()}
    now = {name: jnp.repeat(jnp.asarray(w)[:, None], len(rates), axis=1) for name, w in trained.items()}
    by_weight = {name: jnp.asarray([rate[name] for rate in rates], jnp.float32) for name in trained}
    test = _HeldOut(model, frozen, problem, seeds, held_out)
    ends, passing = [], []
    if times[0] == 0:
        test.measure(now)
        if watch is not None:
            watch(0, _on_host(now))
    done = 0
    for block in range(-(-steps // BLOCK)):
        fresh = draw(problem, seeds, first_block + block, min(BLOCK, steps - block * BLOCK))
        last = min(steps, (block + 1) * BLOCK)
        for stop in [*(t for t in times if done < t < last), last]:
            offset = block * BLOCK
            now, total = _descend(model, now, frozen, by_weight, *fresh, done - offset, stop - offset)
            ends.append(stop)
            passing.append(np.asarray(total, dtype=float) / (stop - done))
            done = stop
            if stop in times:
                test.measure(now)
                if watch is not None:
                    watch(stop, _on_host(now))
    passing_risk = _finite(np.stack(passing, axis=-1))
    lengths = np.diff([0, *ends])
    return Online(
        steps=steps,
        averaged_risk=passing_risk @ lengths / steps,
        ends=np.array(ends),
        passing_risk=passing_risk,
        times=np.array(times),
        errors={name: _finite(np.stack(values, axis=-1)) for name, values in test.errors.items()},
        standard_errors={name: _finite(np.stack(v, axis=-1)) for name, v in test.standard_errors.items()},
        model=model,
        start=start,
        trained=_on_host(now),
        frozen=_on_host(frozen),
    )


def draw(problem: Problem, seeds: Sequence[int], block: int, n: int) -> Fresh:
    """The first n samples of a block, for each start its own; filled up with zeros to the length of a block."""
    parts: tuple[list[np.ndarray], ...] = ([], [], [])
    for seed in seeds:
        X, Y = problem.sample(n, [seed, STREAM, block])
        for part, values in zip(parts, (X, Y, problem.target(X) if problem.noise > 0 else Y), strict=True):
            part.append(np.pad(values.astype(np.float32), ((0, BLOCK - n), (0, 0))))
    return Fresh(*(np.stack(part) for part in parts))


@partial(jax.jit, static_argnames=("model",))
def _descend(
    model: Model,
    trained: Params,
    frozen: Params,
    rates: Params,
    x: Array,
    y: Array,
    target: Array,
    first: int | Array,
    stop: int | Array,
) -> tuple[Params, Float[Array, "seeds rates"]]:
    """Steps first..stop-1: w <- w - eta d/dw |y_t - out(x_t)|^2 / 2, and the sum of |H(x_t) - out(x_t)|^2 before each.

    The runs go one after another, each through the whole stretch: its weights then stay in the cache.
    """

    def step(t: Array, state: tuple[Params, Array], own: Params, fixed: Params, data: Fresh) -> tuple[Params, Array]:
        weights, total = state
        row = model.prepare(fixed, data.x[t][None])

        def objective(w: Params) -> tuple[Array, Array]:
            out = model.predict(w, fixed, row)[0]
            return 0.5 * jnp.sum((data.y[t] - out) ** 2), jnp.sum((data.target[t] - out) ** 2)

        gradient, error = jax.grad(objective, has_aux=True)(weights)
        return {name: w - own[name] * gradient[name] for name, w in weights.items()}, total + error

    def start(each: tuple[Params, Params, Fresh]) -> tuple[Params, Array]:
        weights, fixed, data = each
        zero = jnp.zeros((), jnp.float32)
        return jax.lax.map(
            lambda one: jax.lax.fori_loop(first, stop, lambda t, s: step(t, s, one[1], fixed, data), (one[0], zero)),
            (weights, rates),
        )

    return jax.lax.map(start, (trained, frozen, Fresh(x, y, target)))


class _HeldOut:
    """Errors on inputs that no step sees, the same for all runs of a start."""

    def __init__(self, model: Model, frozen: Params, problem: Problem, seeds: Sequence[int], n: int) -> None:
        self.model, self.frozen = model, frozen
        X = [problem.sample(n, [seed, 2])[0] for seed in seeds]
        self.inputs = jnp.asarray(np.stack(X), jnp.float32)
        self.base = np.stack([problem.base(x) for x in X])[:, None]
        self.composite = np.stack([problem.composite(x) for x in X])[:, None]
        self.errors: dict[str, list[np.ndarray]] = {}
        self.standard_errors: dict[str, list[np.ndarray]] = {}

    def measure(self, trained: Params) -> None:
        out, first = (
            None if o is None else np.asarray(o, float)
            for o in _evaluate(self.model, trained, self.frozen, self.inputs)
        )
        assert out is not None
        distances = {"risk": out - self.base - self.composite}
        if first is not None:
            distances |= {"base": first - self.base, "composite": out - first - self.composite}
        for name, distance in distances.items():
            with np.errstate(over="ignore", invalid="ignore"):
                squares = np.sum(distance**2, axis=-1)
                self.errors.setdefault(name, []).append(squares.mean(axis=-1))
                deviation = squares.std(axis=-1, ddof=1) / np.sqrt(squares.shape[-1])
            self.standard_errors.setdefault(name, []).append(deviation)


@partial(jax.jit, static_argnames=("model",))
def _evaluate(model: Model, trained: Params, frozen: Params, x: Array) -> tuple[Array, Array | None]:
    """out and out1 for each seed, rate and row."""
    first_output = model.network.first_output

    def one(weights: Params, fixed: Params, rows: Array) -> tuple[Array, Array | None]:
        def some(row: Array) -> tuple[Array, Array | None]:
            both = {**fixed, **weights}
            out1 = None if first_output is None else first_output(both, row[None])[0]
            return model.predict(weights, fixed, model.prepare(fixed, row[None]))[0], out1

        return jax.lax.map(some, rows, batch_size=ROWS)

    def start(each: tuple[Params, Params, Array]) -> tuple[Array, Array | None]:
        return jax.lax.map(lambda weights: one(weights, each[1], each[2]), each[0])

    return jax.lax.map(start, (trained, frozen, x))


def _times(times: Sequence[int], steps: int) -> list[int]:
    if steps < 1:
        raise InputError(f"Training needs at least one step, not {steps}.")
    if any(t < 0 or t > steps for t in times):
        raise InputError(f"Errors can be taken after 0 to {steps} steps, not after {sorted(times)}.")
    return sorted({steps, *times})


def _on_host(params: Params) -> Weights:
    return {name: np.asarray(w) for name, w in params.items()}


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.inf)
