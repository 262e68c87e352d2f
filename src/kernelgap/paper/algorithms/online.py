"""Online training: fresh samples in every step, compiled; many starts and settings, and what was learned on the way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Int

from kernelgap.errors import InputError
from kernelgap.networks import Initialisation, Network, Params
from kernelgap.problems import Problem
from kernelgap.training.modes import Layers, TrainableModel
from kernelgap.training.schedule import data_orders, evaluation_times
from kernelgap.training.sgd import ROWS, ArrayLike

BLOCK = 2**13  # fresh samples handed to the compiled loop at once
HELD_OUT = 2000
STREAM = 4  # fresh samples of start s come from the seeds [s, STREAM, 0], [s, STREAM, 1], ...
Weights = dict[str, np.ndarray]
Setting = Mapping[str, float]  # the numbers that a rule takes: rates, decays, ...


@dataclass(frozen=True)
class Descent:
    """w <- w - eta d/dw |y - out(x)|^2 / 2, averaged over the batch; a setting has the rate of each trained weight."""

    batch: int = 1

    def update(
        self,
        model: TrainableModel,
        trained: Params,
        frozen: Params,
        setting: Params,
        x: Float[Array, "batch d"],
        y: Float[Array, "batch k"],
        key: jax.Array,
    ) -> tuple[Params, Float[Array, "batch k"]]:
        """The weights after one step on a batch of fresh samples, and out(x) before it."""

        def objective(w: Params) -> tuple[Array, Array]:  # eq. 6.1
            out = model.predict(w, frozen, model.prepare(frozen, x))
            return 0.5 * jnp.sum((y - out) ** 2) / x.shape[0], out

        gradient, out = jax.grad(objective, has_aux=True)(trained)
        return self.moved(trained, gradient, setting, x, key), out

    def moved(self, trained: Params, gradient: Params, setting: Params, x: Array, key: jax.Array) -> Params:
        """The trained weights after a step along the gradient."""
        return {name: w - setting[name] * gradient[name] for name, w in trained.items()}


class Fresh(NamedTuple):
    """Samples in the order in which they are seen: inputs, labels, and the target H without the labels' noise."""

    x: Float32[ArrayLike, "*seeds n d"]
    y: Float32[ArrayLike, "*seeds n k"]
    target: Float32[ArrayLike, "*seeds n k"]


@dataclass(frozen=True)
class Online:
    """What came of each start (``seeds``) with each setting. A run that overflowed has infinite errors.

    Attributes
    ----------
    steps
        How many steps T each run has.
    averaged_risk
        (1/T) sum_t |H(x_t) - out_t(x_t)|^2. As x_t is fresh when it is met, its expectation is the averaged population
        risk of Theorem 1. (With several passes over a sample it is a training error.)
    ends, passing_risk
        The same mean over each stretch that ends at ``ends``.
    times, errors, standard_errors
        Means over held-out inputs at these steps: ``risk`` is |out - H|^2 and, where the network has a first block,
        ``base`` is |out1 - beta F|^2 and ``composite`` |(out - out1) - alpha G(F)|^2.
    model
        What was trained.
    start, trained, frozen
        Trained weights at the start and at the end, and the weights that stay at their start.
    """

    steps: int
    averaged_risk: Float[np.ndarray, "seeds settings"]
    ends: Int[np.ndarray, " stretches"]
    passing_risk: Float[np.ndarray, "seeds settings stretches"]
    times: Int[np.ndarray, " times"]
    errors: dict[str, Float[np.ndarray, "seeds settings times"]]
    standard_errors: dict[str, Float[np.ndarray, "seeds settings times"]]
    model: TrainableModel
    start: Weights
    trained: Weights
    frozen: Weights

    def params(self, seed: int, setting: int) -> Weights:
        """All weights of one run at its end."""
        own = {name: w[seed, setting] for name, w in self.trained.items()}
        return {**{name: w[seed] for name, w in self.frozen.items()}, **own}

    def final(self, name: str = "risk") -> Float[np.ndarray, "seeds settings"]:
        return self.errors[name][..., -1]


def train_online(
    rule: Descent,
    network: Network,
    settings: Sequence[Setting],
    problem: Problem,
    *,
    width: int,
    steps: int,
    seeds: Sequence[int],
    times: Sequence[int] = (),
    initialisation: Initialisation | None = None,
    held_out: int = HELD_OUT,
    watch: Callable[[int, Weights], None] | None = None,
    until: float | None = None,
    samples: int | None = None,
    with_output: bool = False,
) -> Online:
    """Train the hidden layers of a network on fresh samples; A stays at its start, unless it is trained too.

    Parameters
    ----------
    rule, settings
        A step, and the numbers that it takes. All settings of one start see the same samples.
    seeds
        Starts: each has weights, samples and held-out inputs of its own.
    times
        Steps at which held-out errors are taken, beside the last.
    watch
        Takes these steps with the trained weights (seeds, settings, ...).
    until
        Training ends at the first of these steps at which every held-out risk is below this.
    samples
        If given, as many samples are drawn for each start, and met again in a new order in every pass over them.
    with_output
        Whether A is trained too.
    """
    if samples is not None and samples < 1:
        raise InputError(f"Passes need a sample of at least one row, not {samples}.")
    model = Layers(network, with_output=with_output)
    sizes = {"inputs": problem.d, "outputs": problem.outputs, "width": width}
    each = [network.init(jax.random.key(seed), **sizes, initialisation=initialisation) for seed in seeds]
    params: Params = {name: jnp.stack([one[name] for one in each]) for name in each[0]}
    if steps < 1:
        raise InputError(f"Training needs at least one step, not {steps}.")
    times = evaluation_times(times, steps, "Errors can be taken at steps")
    trained, frozen = jax.vmap(model.split)(params)
    start = _on_host(trained)
    now: Params = {name: jnp.repeat(jnp.asarray(w)[:, None], len(settings), axis=1) for name, w in trained.items()}
    columns = {name: jnp.asarray([setting[name] for setting in settings], jnp.float32) for name in settings[0]}
    keys = jax.vmap(lambda seed: jax.random.fold_in(jax.random.key(seed), STREAM))(jnp.asarray(seeds))
    test = _HeldOut(model, frozen, problem, seeds, held_out)
    ends: list[int] = []
    passing: list[np.ndarray] = []

    def look(step: int) -> bool:
        """Take errors if it is time; whether training may end."""
        if step not in times:
            return False
        test.measure(now)
        if watch is not None:
            watch(step, _on_host(now))
        return until is not None and bool(np.all(test.errors["risk"][-1][0] < until))

    enough, done = look(0), 0
    for fresh, offset, stop in _stretches(problem, seeds, times, steps, rule.batch, samples):
        if enough:
            break
        now, total = _advance(rule, model, now, frozen, columns, fresh, keys, offset, done, stop)
        ends.append(stop)
        passing.append(np.asarray(total, dtype=float) / (stop - done))
        done = stop
        enough = look(stop)
    passing_risk = _finite(np.stack(passing, axis=-1))
    lengths = np.diff([0, *ends])
    return Online(
        steps=done,
        averaged_risk=passing_risk @ lengths / done,
        ends=np.array(ends),
        passing_risk=passing_risk,
        times=np.array([t for t in times if t <= done]),
        errors={name: _finite(np.stack([e for e, _ in each], axis=-1)) for name, each in test.errors.items()},
        standard_errors={name: _finite(np.stack([s for _, s in each], axis=-1)) for name, each in test.errors.items()},
        model=model,
        start=start,
        trained=_on_host(now),
        frozen=_on_host(frozen),
    )


def _stretches(
    problem: Problem, seeds: Sequence[int], times: Sequence[int], steps: int, batch: int, samples: int | None
) -> Iterator[tuple[Fresh, int, int]]:
    """Blocks of samples, the step with which each begins, and the steps up to which training goes on in one piece."""
    per_block = BLOCK // batch
    for block, offset in enumerate(range(0, steps, per_block)):
        last = min(steps, offset + per_block)
        fresh = draw(problem, seeds, block, batch * (last - offset), samples)
        for stop in [*(t for t in times if offset < t < last), last]:
            yield fresh, offset, stop


def draw(problem: Problem, seeds: Sequence[int], block: int, n: int, samples: int | None = None) -> Fresh:
    """The first n samples of a block, for each start its own; filled up with zeros to the length of a block."""
    parts: tuple[list[np.ndarray], ...] = ([], [], [])
    for seed in seeds:
        if samples is None:
            X, Y = problem.sample(n, [seed, STREAM, block])
        else:
            X, Y = _again(problem, seed, range(block * BLOCK, block * BLOCK + n), samples)
        for part, values in zip(parts, (X, Y, problem.target(X) if problem.noise > 0 else Y), strict=True):
            part.append(np.pad(values.astype(np.float32), ((0, BLOCK - n), (0, 0))))
    return Fresh(*(np.stack(part) for part in parts))


def _again(problem: Problem, seed: int, steps: range, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """What these steps meet in passes over one sample, each in an order of its own."""
    X, Y = problem.sample(samples, [seed, STREAM, 0])
    passes = range(steps.start // samples, -(-steps.stop // samples))
    orders = data_orders([seed, STREAM], passes, samples, rows=len(passes)).ravel()
    first = passes.start * samples
    rows = orders[steps.start - first : steps.stop - first]
    return X[rows], Y[rows]


@partial(jax.jit, static_argnames=("rule", "model"))
def _advance(
    rule: Descent,
    model: TrainableModel,
    trained: Params,
    frozen: Params,
    settings: Params,
    fresh: Fresh,
    keys: jax.Array,
    offset: int | Array,
    first: int | Array,
    stop: int | Array,
) -> tuple[Params, Float[Array, "seeds settings"]]:
    """Steps first..stop-1 on samples that begin with step ``offset``, and the sum of |H - out|^2 before each.

    The runs go one after another, each through the whole stretch: its weights then stay in the cache.
    """

    def run(weights: Params, setting: Params, fixed: Params, data: Fresh, key: jax.Array) -> tuple[Params, Array]:
        def step(t: Array, state: tuple[Params, Array]) -> tuple[Params, Array]:
            x, y, target = (
                jax.lax.dynamic_slice_in_dim(a, (t - offset) * rule.batch, rule.batch) for a in map(jnp.asarray, data)
            )
            new, out = rule.update(model, state[0], fixed, setting, x, y, jax.random.fold_in(key, t))
            return new, state[1] + jnp.sum((target - out) ** 2) / rule.batch

        return jax.lax.fori_loop(first, stop, step, (weights, jnp.zeros((), jnp.float32)))

    def start(each: tuple[Params, Params, Fresh, jax.Array]) -> tuple[Params, Array]:
        weights, fixed, data, key = each
        return jax.lax.map(lambda one: run(one[0], one[1], fixed, data, key), (weights, settings))

    return jax.lax.map(start, (trained, frozen, fresh, keys))


class _HeldOut:
    """Errors on inputs that no step sees, the same for all runs of a start: means with their standard errors."""

    def __init__(self, model: TrainableModel, frozen: Params, problem: Problem, seeds: Sequence[int], n: int) -> None:
        self.model, self.frozen = model, frozen
        X = [problem.sample(n, [seed, 2])[0] for seed in seeds]
        self.inputs = jnp.asarray(np.stack(X), jnp.float32)
        self.base, self.composite = (np.stack([f(x) for x in X])[:, None] for f in (problem.base, problem.composite))
        self.errors: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}

    def measure(self, trained: Params) -> None:
        out, *first = (np.asarray(o, float) for o in _evaluate(self.model, trained, self.frozen, self.inputs))
        distances = {"risk": out - self.base - self.composite}
        for out1 in first:
            distances |= {"base": out1 - self.base, "composite": out - out1 - self.composite}
        for name, distance in distances.items():
            with np.errstate(over="ignore", invalid="ignore"):
                squares = np.sum(distance**2, axis=-1)
                deviation = squares.std(axis=-1, ddof=1) / np.sqrt(squares.shape[-1])
            self.errors.setdefault(name, []).append((squares.mean(axis=-1), deviation))


@partial(jax.jit, static_argnames=("model",))
def _evaluate(model: TrainableModel, trained: Params, frozen: Params, x: Array) -> tuple[Array, ...]:
    """out and, where the network has a first block, out1, for each seed, setting and row."""
    first_output = model.network.first_output

    def one(weights: Params, fixed: Params, rows: Array) -> tuple[Array, ...]:
        def some(row: Array) -> tuple[Array, ...]:
            out = model.predict(weights, fixed, model.prepare(fixed, row[None]))[0]
            return (out,) if first_output is None else (out, first_output({**fixed, **weights}, row[None])[0])

        return jax.lax.map(some, rows, batch_size=ROWS)

    def start(each: tuple[Params, Params, Array]) -> tuple[Array, ...]:
        return jax.lax.map(lambda weights: one(weights, each[1], each[2]), each[0])

    return jax.lax.map(start, (trained, frozen, x))


def _on_host(params: Params) -> Weights:
    return {name: np.asarray(w) for name, w in params.items()}


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.inf)
