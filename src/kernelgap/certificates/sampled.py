"""An estimate of the oracle risk where neither formula nor enumeration reaches: more than 20 dimensions, any kernel.

The best weights for a sample of points leave too little on that sample: on average no more than the oracle risk. The
same weights, on points that they have not seen, leave too much: no less than it. The truth lies between, up to the
spread of the two means, which the interval adds.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.special import ndtri

from kernelgap.certificates.span import Bracket, function_span
from kernelgap.certificates.targets import Targets
from kernelgap.machine import require_memory
from kernelgap.problems import ParityProblem, Problem
from kernelgap.problems.problem import Seed

CONFIDENCE = 0.99
TIMES = float(ndtri(0.5 + CONFIDENCE / 2))  # standard errors in half an interval
EACH = 30  # points a function, at least: the two means then differ by about 2/30
LEAST = 20_000

Functions = Callable[[Float[np.ndarray, "points width"]], Float[np.ndarray, "points n"]]


def estimate(functions: Functions, problem: Problem, count: int, seed: Seed) -> tuple[float, tuple[float, float], int]:
    """The estimate, its 99% interval and the number of points that it took."""
    points = max(LEAST, EACH * count)
    require_memory(3 * 8 * points * count, f"An estimate from {points} points", "Take fewer training inputs.")
    rng_in, rng_out = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    inside, outside = problem.inputs(rng_in, points), problem.inputs(rng_out, points)
    values = functions(inside)
    target = problem.target(inside)
    weights, *_ = np.linalg.lstsq(values, target, rcond=None)
    seen = ((target - values @ weights) ** 2).sum(axis=1)
    unseen = ((problem.target(outside) - functions(outside) @ weights) ** 2).sum(axis=1)
    times = TIMES / points**0.5
    low = max(0.0, float(seen.mean() - times * seen.std()))
    high = float(unseen.mean() + times * unseen.std())
    return float(seen.mean() + unseen.mean()) / 2, (low, high), 2 * points


def estimate_many(
    functions: Functions, problem: ParityProblem, targets: Targets, count: int, seed: Seed
) -> tuple[Bracket, int]:
    """Risks of many targets on one sample of points, and the number of points.

    The lower end is what the best weights leave on the sample, on average no more than the truth; the upper end adds
    the sampling error of a mean whose terms spread like squares of normal numbers.
    """
    points = max(LEAST, EACH * count)
    require_memory(3 * 8 * points * count, f"An estimate from {points} points", "Take fewer training inputs.")
    X = problem.inputs(np.random.default_rng(seed), points)
    signs = np.sign(X[:, : problem.d1])
    values = functions(X)
    _, s, rows = np.linalg.svd(np.linalg.qr(values, mode="r") / points**0.5)

    def parities(sets: Int[np.ndarray, "sets size"]) -> Float[np.ndarray, "n sets"]:
        product = np.ones((points, len(sets)))
        for column in sets.T:
            product *= signs[:, column]
        return values.T @ product / points

    span = function_span(parities, s, rows)
    low, _ = span.risks(targets)
    energy = float(targets.energies(-1).sum())
    return Bracket(np.maximum(low, 0.0), np.maximum(low, 0.0) + TIMES * energy * (2 / points) ** 0.5), points
