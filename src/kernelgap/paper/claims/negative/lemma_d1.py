"""Lemma D.1

The squared distance of a function on the cube to x_i + alpha chi_S is a sum over its Fourier coefficients; so a
function within alpha^2/16 has at least 3/4 alpha on S and at most alpha^2/16 on the others of its size."""

import numpy as np

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if
from kernelgap.paper.theory.rank_argument import squared_distance, squared_distance_over_the_cube, subsets

SIZES = {"quick": (8, 60), "full": (11, 100)}  # d, number of functions


def measure(scale: str, seed: int) -> Numbers:
    d, count = SIZES[scale]
    rng = np.random.default_rng(seed)
    order = subsets(d)
    worst = 0.0
    near, small_weight, large_rest = 0, 0, 0
    for trial in range(count):
        k, alpha = int(rng.integers(2, d + 1)), float(rng.uniform(0.05, 1.0))
        S = tuple(sorted(rng.choice(d, size=k, replace=False).tolist()))
        i = int(rng.choice(S))
        f = rng.standard_normal(len(order)) * rng.exponential()
        if trial % 2:  # near the target: within alpha^2/16 of it, and as far in one direction as that allows
            f /= np.linalg.norm(f)
            f *= alpha / 4 * rng.uniform(0.9, 1.1)
            if trial % 4 == 3:
                f = np.zeros(len(order))
                f[order.index(S)] = -alpha / 4 * rng.uniform(0.99, 1.01)
            f[order.index((i,))] += 1.0
            f[order.index(S)] += alpha
        formula, brute = squared_distance(f, i, S, alpha), squared_distance_over_the_cube(f, i, S, alpha)
        # Each value is a sum of 2^d terms of size |coefficient|, each rounded; then a mean of squares over the cube.
        size = 1.0 + alpha + float(np.abs(f).sum())
        worst = max(worst, abs(formula - brute) / (size**2 * len(order) * float(np.finfo(float).eps)))
        if formula <= alpha**2 / 16:
            near += 1
            small_weight += f[order.index(S)] < 0.75 * alpha * (1 - 1e-12)
            rest = sum(f[n] ** 2 for n, T in enumerate(order) if len(T) == k and T != S)
            large_rest += rest > alpha**2 / 16 * (1 + 1e-12)
    return {
        "d": d,
        "functions": count,
        "worst_in_units_of_rounding": worst,
        "near": near,
        "small_weight": int(small_weight),
        "large_rest": int(large_rest),
    }


def judge(numbers: Numbers) -> Verdict:
    broken = numbers["small_weight"] + numbers["large_rest"]
    worst = numbers["worst_in_units_of_rounding"]
    measured = f"{worst:.2g} of the rounding bound; {broken} exceptions in {numbers['near']} near functions"
    if numbers["near"] == 0:
        return Verdict("undecided", measured, "No function came near the target.")
    return holds_if(
        worst <= 1 and broken == 0,
        measured,
        f"The identity against all 2^{numbers['d']} points for {numbers['functions']} functions; every function within "
        "alpha^2/16 of a target is looked at, half of them at the edge of it.",
    )


claim = Claim.of(__doc__, "lemma.d1", "equal to rounding; no exception", measure, judge, identity=True)
