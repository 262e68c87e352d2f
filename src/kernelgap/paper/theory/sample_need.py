"""How many fresh samples Algorithm 1 takes to a risk, and what risk is left to a learner that knows F alone."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from kernelgap.networks import Initialisation
from kernelgap.paper.algorithms import Online, algorithm1
from kernelgap.problems import Problem


def samples_needed(run: Online, level: float, setting: int = 0) -> list[float | None]:
    """For each start the samples after which its held-out risk first falls below a level; None if it does not.

    Between the steps at which errors were taken the risk is followed along straight lines on a log-log scale.
    """
    return [_crossing(run.times, risk, level) for risk in run.errors["risk"][:, setting]]


def sample_need(
    problem: Problem,
    *,
    level: float,
    width: int,
    rates: tuple[float, float],
    seeds: Sequence[int],
    most: int,
    initialisation: Initialisation | None = None,
    held_out: int = 2000,
    looks: int = 24,
) -> list[float | None]:
    """``samples_needed`` of Algorithm 1 on a problem, looked at ``looks`` times at equal ratios over most/32..most."""
    run = algorithm1(
        problem,
        width=width,
        steps=most,
        rates=[rates],
        seeds=seeds,
        times=sorted({round(t) for t in np.geomspace(most / 32, most, looks)}),
        initialisation=initialisation,
        held_out=held_out,
    )
    return samples_needed(run, level)


def left_by_base(problem: Problem, *, seed: int, n: int = 20_000) -> float:
    """The least risk of H - F - (an affine function of F): what knowing F leaves, its constant and linear part aside.

    For parities it is E |alpha G(F)|^2, the threshold. For a smooth G it is less, as the part of G(F) that is
    linear in F needs no second layer.
    """
    X = problem.inputs(np.random.default_rng(seed), n)
    base, composite = problem.base(X), problem.composite(X)
    inputs = np.hstack([base, np.ones((n, 1))])
    rest = composite - inputs @ np.linalg.lstsq(inputs, composite, rcond=None)[0]
    return float(np.mean(np.sum(rest**2, axis=1)))


def _crossing(times: np.ndarray, risk: Float[np.ndarray, " times"], level: float) -> float | None:
    below = np.flatnonzero(risk < level)
    if not below.size:
        return None
    i = int(below[0])
    if i == 0:
        return float(times[0])
    share = np.log(risk[i - 1] / level) / np.log(risk[i - 1] / risk[i])
    return float(times[i - 1] * (times[i] / times[i - 1]) ** share)
