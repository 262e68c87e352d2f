"""An estimate of the oracle risk where neither formula nor enumeration reaches: more than 20 dimensions, any kernel.

The best weights for a sample of points leave too little on that sample: on average no more than the oracle risk. The
same weights, on points that they have not seen, leave too much: no less than it. The truth lies between, up to the
spread of the two means, which the interval adds. Where some of the functions are combinations of the others up to
rounding, the best weights are not found, and the lower end is 0.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.special import ndtri

from kernelgap.certificates.floors.span import Bracket, function_span
from kernelgap.certificates.floors.targets import Targets
from kernelgap.machine import require_memory
from kernelgap.problems import ParityProblem, Problem
from kernelgap.problems.problem import Seed

CONFIDENCE = 0.99
TIMES = float(ndtri(0.5 + CONFIDENCE / 2))  # standard errors in half an interval
EACH = 30  # points a function, at least: the two means then differ by about 2/30
LEAST = 20_000

Functions = Callable[[Float[np.ndarray, "points width"]], Float[np.ndarray, "points n"]]


def estimate(functions: Functions, problem: Problem, count: int, seed: Seed) -> tuple[float, tuple[float, float], str]:
    """The estimate, its 99% interval and a note on how it came about."""
    points = max(LEAST, EACH * count)
    require_memory(3 * 8 * points * count, f"An estimate from {points} points", "Take fewer training inputs.")
    rng_in, rng_out = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    inside, outside = problem.inputs(rng_in, points), problem.inputs(rng_out, points)
    values = functions(inside)
    target = problem.target(inside)
    weights, _, rank, _ = np.linalg.lstsq(values, target, rcond=None)
    seen = ((target - values @ weights) ** 2).sum(axis=1)
    unseen = ((problem.target(outside) - functions(outside) @ weights) ** 2).sum(axis=1)
    times = TIMES / points**0.5
    low = max(0.0, float(seen.mean() - times * seen.std())) if rank == count else 0.0
    high = float(unseen.mean() + times * unseen.std())
    return float(seen.mean() + unseen.mean()) / 2, (low, high), _note(2 * points, count - int(rank), count)


def estimate_many(functions: Functions, problem: ParityProblem, targets: Targets, count: int, seed: Seed) -> Bracket:
    """Risks of many targets on one sample of points.

    The best weights of n functions for m points leave on these about 1 - n/m of the truth, on others about 1 + n/m; to
    both ends comes the sampling error of a mean whose terms spread like squares of normal numbers.
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
    low, high = span.risks(targets)
    error = TIMES * float(targets.energies(-1).sum()) * (2 / points) ** 0.5
    low = np.zeros_like(low) if span.lost else np.maximum(low - error, 0.0)
    high = np.maximum(high, 0.0) * (points + count) / (points - count) + error
    return Bracket(low, high, _note(points, span.lost, count), given_away=span.lost > 0)


def _note(points: int, lost: int, count: int) -> str:
    note = f"Estimated from {points} points."
    if not lost:
        return note
    return f"{note} {lost} of {count} functions are combinations of the others up to rounding: the lower end is 0."
