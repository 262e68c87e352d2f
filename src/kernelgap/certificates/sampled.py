"""An estimate of the oracle risk where neither formula nor enumeration reaches: more than 20 dimensions, any kernel.

The best weights for a sample of points leave too little on that sample: on average no more than the oracle risk. The
same weights, on points that they have not seen, leave too much: no less than it. The truth lies between, up to the
spread of the two means, which the interval adds.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from scipy.stats import norm

from kernelgap.machine import require_memory
from kernelgap.problems import Problem
from kernelgap.problems.problem import Seed

CONFIDENCE = 0.99
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
    times = float(norm.ppf(0.5 + CONFIDENCE / 2)) / points**0.5
    low = max(0.0, float(seen.mean() - times * seen.std()))
    high = float(unseen.mean() + times * unseen.std())
    return float(seen.mean() + unseen.mean()) / 2, (low, high), 2 * points
