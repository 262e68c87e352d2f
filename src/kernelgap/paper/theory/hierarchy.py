"""What is learned, and when: by out1 of F, by the rest of alpha G(F) (sec. 2.1), and how many fresh samples it takes.

out = out1 + rest, and the second block can give away a linear part of out1 as well as take one: out1 = F and
rest = alpha G(F) is one split of H among many (footnote 4 of the paper). So each distance is taken twice: as it is, and
``up to`` the best affine map of out1, which asks what out1 and the rest have learned whoever carries the linear part.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.networks import Initialisation, Network, Params, resnet
from kernelgap.paper.algorithms import Online, algorithm1
from kernelgap.paper.algorithms.online import Weights
from kernelgap.problems import Problem
from kernelgap.training import Predictor, Schedule, get_model, train_grid

NAMES = ("base", "base_up_to", "composite", "composite_up_to", "risk")


@dataclass(frozen=True)
class Distances:
    """Means over inputs of squared distances, summed over outputs.

    ``base``: |out1 - beta F|^2, ``base_up_to``: min over M, c of |M out1 + c - beta F|^2; ``composite``:
    |(out - out1) - alpha G(F)|^2, ``composite_up_to``: min over M, c of |(out - out1) + M out1 + c - alpha G(F)|^2;
    ``risk``: |out - H|^2.
    """

    base: float
    base_up_to: float
    composite: float
    composite_up_to: float
    risk: float


def distances(network: Network, params: Params, problem: Problem, X: Float[np.ndarray, "n d"]) -> Distances:
    """All distances of a network at the inputs X. One without a second block is its own first block."""
    rows = jnp.asarray(X, dtype=jnp.float32)
    first_output = network.first_output or network.apply
    out, out1 = (np.asarray(f(params, rows), dtype=float) for f in (network.apply, first_output))
    base, composite = problem.base(X), problem.composite(X)
    return Distances(
        base=_mean_square(out1 - base),
        base_up_to=_mean_square(_residual(out1, base)),
        composite=_mean_square(out - out1 - composite),
        composite_up_to=_mean_square(_residual(out1, composite - (out - out1))),
        risk=_mean_square(out - base - composite),
    )


@dataclass(frozen=True)
class Course:
    """Distances over training, at ``times`` (epochs or steps)."""

    times: tuple[int, ...]
    values: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(cls, distances: Sequence[tuple[int, Distances]]) -> "Course":
        times, each = zip(*distances, strict=True)
        return cls(times, {name: tuple(getattr(d, name) for d in each) for name in NAMES})

    def falls_below(self, name: str, level: float) -> float | None:
        """When a distance first falls below a level, between the times by straight lines; None if it does not."""
        values = self.values[name]
        for i, value in enumerate(values):
            if value < level:
                if i == 0:
                    return float(self.times[0])
                share = (values[i - 1] - level) / (values[i - 1] - value)
                return self.times[i - 1] + share * (self.times[i] - self.times[i - 1])
        return None


def follow_passes(
    network: Network,
    problem: Problem,
    *,
    width: int,
    samples: int,
    rates: Sequence[float],
    decay: float,
    schedule: Schedule,
    epochs: Sequence[int],
    seed: int,
    mode: str = "all",
    held_out: int = 4000,
) -> Course:
    """Multi-pass SGD on one sample at each rate; the course of the one that ends best on a validation sample."""
    params = network.init(jax.random.key(seed), inputs=problem.d, outputs=problem.outputs, width=width)
    train, validation = problem.sample(samples, [seed, 0]), problem.sample(held_out, [seed, 1])
    X, _ = problem.sample(held_out, [seed, 2])
    courses: list[list[tuple[int, Distances]]] = [[] for _ in rates]

    def watch(epoch: int, member: Callable[[int], Predictor]) -> None:
        for i, course in enumerate(courses):
            one = member(i)
            course.append((epoch, distances(network, {**one.frozen, **one.trained}, problem, X)))

    grid = train_grid(
        get_model(network, mode),
        params,
        rates,
        [decay] * len(rates),
        train,
        schedule=schedule,
        seed=[seed, 3],
        evaluate={"validation": validation},
        epochs=epochs,
        watch=watch,
    )
    return Course.of(courses[int(grid.final("validation").argmin())])


def follow_online(
    problem: Problem,
    *,
    width: int,
    steps: int,
    rates: tuple[float, ...],
    times: Sequence[int],
    seeds: Sequence[int],
    initialisation: Initialisation | None = None,
    held_out: int = 4000,
) -> list[Course]:
    """The course of Algorithm 1 from each start, over steps."""
    seen: list[tuple[int, Weights]] = []
    run = algorithm1(
        problem,
        width=width,
        steps=steps,
        rates=[rates],
        seeds=seeds,
        times=times,
        initialisation=initialisation,
        watch=lambda step, weights: seen.append((step, weights)),
    )
    courses = []
    for s, seed in enumerate(seeds):
        X, _ = problem.sample(held_out, [seed, 2])
        fixed = {name: w[s] for name, w in run.frozen.items()}
        then = [(step, {**fixed, **{name: w[s, 0] for name, w in weights.items()}}) for step, weights in seen]
        courses.append(Course.of([(step, distances(resnet, params, problem, X)) for step, params in then]))
    return courses


FIRST_LOOK, LOOK_RATIO = 8, 1.15  # after the start itself, which is looked at too


def samples_needed(run: Online, level: float, setting: int = 0) -> list[float | None]:
    """For each start the samples after which its held-out risk first falls below a level; None if it does not.

    Between the steps at which errors were taken the risk is followed along straight lines on a log-log scale (from
    step 0 on, along a straight line).

    Raises
    ------
    InputError
        If a start is below the level at the first look, which is not step 0: nobody knows since when.
    """
    return [_crossing(run.times, risk, level) for risk in run.errors["risk"][:, setting]]


def sample_need(
    problem: Problem,
    *,
    level: float,
    width: int,
    rates: tuple[float, ...],
    seeds: Sequence[int],
    most: int,
    initialisation: Initialisation | None = None,
    held_out: int = 2000,
    samples: int | None = None,
) -> list[float | None]:
    """``samples_needed`` of Algorithm 1, which ends once all starts are below the level.

    Its risk is looked at before the first step, after ``FIRST_LOOK`` steps, and at equal ratios from there up to
    ``most``. With ``samples`` it passes over so many again and again, and the numbers count steps.
    """
    count = max(2, round(np.log(most / FIRST_LOOK) / np.log(LOOK_RATIO)))
    times = sorted({0, *(round(t) for t in np.geomspace(FIRST_LOOK, most, count))})
    options: dict[str, Any] = {"times": times, "initialisation": initialisation, "held_out": held_out}
    run = algorithm1(
        problem, width=width, steps=most, rates=[rates], seeds=seeds, until=level, samples=samples, **options
    )
    return samples_needed(run, level)


def left_by_base(problem: Problem, *, seed: int, n: int = 20_000) -> float:
    """The least risk of H - F - (an affine function of F): what knowing F leaves, its constant and linear part aside.

    For parities it is E |alpha G(F)|^2, the threshold. For a smooth G it is less, as the part of G(F) that is
    linear in F needs no second layer.
    """
    X = problem.inputs(np.random.default_rng(seed), n)
    return _mean_square(_residual(problem.base(X), problem.composite(X)))


def _crossing(times: np.ndarray, risk: Float[np.ndarray, " times"], level: float) -> float | None:
    below = np.flatnonzero(risk < level)
    if not below.size:
        return None
    i = int(below[0])
    if i == 0:
        if times[0] > 0:
            raise InputError(f"The risk is below {level:.4g} at step {times[0]}, the first look: look earlier.")
        return 0.0
    if times[i - 1] == 0:
        return float(times[i] * (risk[i - 1] - level) / (risk[i - 1] - risk[i]))
    share = np.log(risk[i - 1] / level) / np.log(risk[i - 1] / risk[i])
    return float(times[i - 1] * (times[i] / times[i - 1]) ** share)


def _residual(out1: Float[np.ndarray, "n k"], target: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """What of the target no affine function of out1 gives."""
    inputs = np.hstack([out1, np.ones((len(out1), 1))])
    return target - inputs @ np.linalg.lstsq(inputs, target, rcond=None)[0]


def _mean_square(values: Float[np.ndarray, "n k"]) -> float:
    return float(np.mean(np.sum(values**2, axis=1)))
