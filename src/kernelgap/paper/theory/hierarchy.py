"""Hierarchical learning (sec. 2.1): what out1 knows of F, what the rest knows of alpha G(F), and when.

out = out1 + rest, and the second block can give away a linear part of out1 as well as take one: out1 = F and
rest = alpha G(F) is one split of H among many (footnote 4 of the paper). So each distance is taken twice: as it is, and
``up to`` the best affine map of out1, which asks what out1 and the rest have learned whoever carries the linear part.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from kernelgap.networks import Network, Params
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

    def as_dict(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in NAMES}


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
    def of(cls, seen: Sequence[tuple[int, Distances]]) -> "Course":
        return cls(
            tuple(time for time, _ in seen),
            {name: tuple(getattr(d, name) for _, d in seen) for name in NAMES},
        )

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
    seen: list[list[tuple[int, Distances]]] = [[] for _ in rates]

    def watch(epoch: int, member: Callable[[int], Predictor]) -> None:
        for i, course in enumerate(seen):
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
    return Course.of(seen[int(grid.final("validation").argmin())])


def _residual(out1: Float[np.ndarray, "n k"], target: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """What of the target no affine function of out1 gives."""
    inputs = np.hstack([out1, np.ones((len(out1), 1))])
    return target - inputs @ np.linalg.lstsq(inputs, target, rcond=None)[0]


def _mean_square(values: Float[np.ndarray, "n k"]) -> float:
    return float(np.mean(np.sum(values**2, axis=1)))
