"""Runs of Algorithm 1 at growing width, watched step by step, which several claims share."""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from kernelgap.paper.claims.claim import Numbers
from kernelgap.paper.claims.growth import means
from kernelgap.paper.theory.complexity import PLAIN
from kernelgap.paper.theory.hypotheses import of_m
from kernelgap.paper.theory.theorem1 import quantities
from kernelgap.paper.theory.trajectory import Trajectory, bounds, watch
from kernelgap.problems import concept2
from kernelgap.problems.concept import ConceptProblem

D, K = 3, 2
SIGMA_W, SIGMA_V = of_m(-1 / 4), of_m(1 / 8)


@dataclass(frozen=True, eq=False)
class Series:
    """Runs on one member of Concept 2 at every width: log2 of the widths, runs at each, and steps, by scale."""

    member: dict[str, Any]
    eta_w: float
    sizes: dict[str, tuple[range, int, int]]


# F so small that W_t stays within Lemma C.1's range of tau_w at these widths
SMALL = Series(
    {"alpha": 0.03, "F": "0.8*sin(z)", "G": "sin(z)", "size": "none", "size_G": "none", "noise": 0.02},
    0.05,
    {"quick": (range(8, 13), 20, 400), "full": (range(8, 16), 40, 4000)},
)
# E |F|^2 = 1, the paper's size
UNIT = Series(
    {"alpha": 0.05, "F": "0.5 + sin(z)", "G": "sin(2z)", "size": "mean", "size_G": "mean", "noise": 0.05},
    0.03,
    {"quick": (range(8, 13), 8, 1200), "full": (range(8, 16), 20, 10_000)},
)
BLOCKS = 10
PARTS = ("first_leak", "built_first", "second_leak", "club", "built_second")  # of Err, in the proof of Claim C.6


def of_runs(series: Series, names: str, scale: str, seed: int) -> Numbers:
    """What one claim needs of the runs: for each run its width and these of its numbers."""
    numbers = _runs(series, scale, seed)
    return {**numbers, "runs": [{name: row[name] for name in ("m", *names.split())} for row in numbers["runs"]]}


@cache
def _runs(series: Series, scale: str, seed: int) -> Numbers:
    """Runs at each width, with sigma_w = m^(-1/4), sigma_v = m^(1/8)."""
    powers, repeats, steps = series.sizes[scale]
    problem = concept2(D, K, **series.member, seed=seed + 1)
    alpha_tilde = quantities(problem, PLAIN).alpha_tilde
    widths = [2**power for power in powers]
    run_of = partial(watch, problem, steps=steps, eta_w=series.eta_w, checks=BLOCKS, held_out=400)
    rows = []
    for m in widths:
        for repeat in range(repeats):
            run = run_of(width=m, sigma_w=SIGMA_W.at(m), sigma_v=SIGMA_V.at(m), seed=1000 * seed + repeat)
            rows.append({"m": m, **_summary(run, problem, alpha_tilde, seed)})
    about = {"problem": problem.spec, "threshold": problem.threshold, "alpha_tilde": alpha_tilde}
    return {**about, "steps": steps, "widths": widths, "runs": rows}


def _summary(run: Trajectory, problem: ConceptProblem, alpha_tilde: float, seed: int) -> Numbers:
    return {**_norms(run, problem, alpha_tilde, seed), **_errors(run, problem, alpha_tilde, seed), **_products(run)}


def _norms(run: Trajectory, problem: ConceptProblem, alpha_tilde: float, seed: int) -> Numbers:
    """Radii, and gradients beside the bounds of Claim C.5."""
    seen = run.steps
    made = bounds(problem, run, alpha_tilde, seed, built=False)
    by_w, by_v = made.gradients()
    by_w_seen, by_v_seen = (float((each / seen.residual).max()) for each in (seen.gradient_w, seen.gradient_v))
    return {
        "tau_w": made.tau_w,
        "tau_v": made.tau_v,
        "W": float(seen.W_norm.max()),
        "V": float(seen.V_norm.max()),
        "W_built": float(np.linalg.norm(run.built.W)),
        "V_built": float(np.linalg.norm(run.built.V)),
        "gradient_w": by_w_seen,
        "gradient_v": by_v_seen,
        "gradient_w_constant": by_w_seen / by_w,
        "gradient_v_constant": by_v_seen / by_v,
    }


def _errors(run: Trajectory, problem: ConceptProblem, alpha_tilde: float, seed: int) -> Numbers:
    """Err and out1 - F beside the bounds of Claims C.6 and C.7."""
    seen, held = run.steps, run.held
    near, wide = (bounds(problem, run, alpha_tilde, seed, built=built) for built in (False, True))
    return {
        "tau_w_built": wide.tau_w,
        "tau_v_built": wide.tau_v,
        "built_at_start": [float(held.built_first[0]), float(held.built_second[0])],
        "error": held.error.tolist(),
        "distance": held.distance.tolist(),
        "one_point": held.one_point.tolist(),
        "parts": {name: float(getattr(held, name).mean()) for name in ("error", *PARTS)},
        "matrix_leak": held.matrix_leak.tolist(),
        "error_constant": float((held.error / wide.error(held.distance)).max()),
        "error_over_tau_w": float(seen.error.max()) / wide.tau_w,
        "first_output_constant": float(held.largest_excess.max()) / near.first_output(),
        "first_distance": held.first_distance.tolist(),
    }


def _products(run: Trajectory) -> Numbers:
    """Xi_t beside its bound, and both sides of (C.4)."""
    seen = run.steps
    before, after = run.telescoped
    scale = float(np.abs(seen.xi).max())
    return {
        "times": run.times,
        "xi_least_gap": float((seen.xi - run.xi_bound).min()),
        "xi_largest": scale,
        "xi_two_ways": float(np.abs(seen.xi - seen.xi_by_error).max()) / scale,
        "xi_means": _block_means(seen.xi),
        "xi_bound_means": _block_means(run.xi_bound),
        "half_distance_means": _block_means(seen.distance**2 / 2),
        "heart_share": float((run.heart / seen.residual**2).max()),
        "telescoping": abs(float(seen.xi.sum()) - (float(run.heart.sum()) + before - after)) / abs(before),
        "left": float((seen.distance**2).sum()) / 4 + after,
        "right": float(2 * (seen.error**2).sum() + 4 * (seen.noise**2).sum()) + before,
    }


def _block_means(series: np.ndarray) -> list[float]:
    return means(np.array_split(series, BLOCKS))


def at_width(numbers: Numbers, m: int) -> list[Numbers]:
    return [row for row in numbers["runs"] if row["m"] == m]


def by_width(numbers: Numbers, name: str) -> list[list[float]]:
    """One of the numbers: a row for each width with a value for each run."""
    return [[row[name] for row in at_width(numbers, m)] for m in numbers["widths"]]
