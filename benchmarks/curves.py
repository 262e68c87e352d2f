"""Speed of predicted learning curves and of leaps, measured in one run.

Predictions for 10,000 numbers of samples, a curve to 10^12 samples with its spectrum, and a need are timed with ntk3 on
section 8.1's target; then predictions on pools of rows, and leaps of many targets. Each stands beside the same as one
would write it: one point after another with SciPy's root finder, one fit for each number of samples, and all orders of
the sets. The answers are compared. All times are processor times, so that other work beside it counts little.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import permutations

import numpy as np
from scipy.optimize import brentq

import contest
from kernelgap import console, curves, kernels, problems
from kernelgap.curves.theory import Groups
from kernelgap.machine import cores
from kernelgap.problems.leap import staircase_of

KERNEL, PROBLEM = "ntk3", "sec8"
POINTS, ONE_BY_ONE = 10_000, 100
POOLS = (500, 1000, 2000)
TARGETS, SETS, COORDINATES = 1000, 6, 20
SLOW = 20  # targets whose orders are all tried
AGREE = 1e-6


def timed(work: Callable[[], object], rounds: int) -> float:
    """The median of some rounds after a first one."""
    work()
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def points(ridge: float | str, rounds: int) -> dict:
    """10,000 numbers of samples at once, beside one after another."""
    problem, n = problems.get(PROBLEM), np.geomspace(10, 1e9, POINTS)
    seconds = timed(lambda: curves.predict(problem, KERNEL, n, ridge), rounds)
    found = {"what": f"{POINTS:,} points, ridge {ridge}", "seconds": seconds}
    if isinstance(ridge, str):
        return found
    groups = curves.predict(problem, KERNEL, 1)._groups
    some = n[:: POINTS // ONE_BY_ONE]
    single = timed(lambda: [by_root_finder(groups, each, ridge) for each in some], rounds) / len(some)
    check(curves.predict(problem, KERNEL, some, ridge).risk, [by_root_finder(groups, each, ridge) for each in some])
    return found | {"alone": single * POINTS}


def by_root_finder(groups: Groups, n: float, ridge: float) -> float:
    """The formulas of docs/curves.md as they stand there."""
    sizes, eigenvalues = np.exp(groups.log_sizes), np.exp(groups.log_eigenvalues)

    def above(log_kappa: float) -> float:
        kappa = np.exp(log_kappa)
        return float((sizes * eigenvalues / (eigenvalues + kappa)).sum() + ridge / kappa - n)

    kappa = np.exp(brentq(above, -80.0, 20.0, xtol=1e-12))
    learned = eigenvalues / (eigenvalues + kappa)
    return float(n / (n - (sizes * learned**2).sum()) * ((1 - learned) ** 2 @ groups.energies))


def whole_curve(rounds: int) -> dict:
    """1,000 points to 10^12 samples with the best ridge, the spectrum included."""
    problem, n = problems.get(PROBLEM), np.geomspace(10, 1e12, 1000)
    return {
        "what": "curve to 1e12, best ridge",
        "seconds": timed(lambda: curves.predict(problem, KERNEL, n, "best"), rounds),
    }


def need(rounds: int) -> dict:
    problem = problems.get(PROBLEM)
    return {"what": "need", "seconds": timed(lambda: curves.need(problem, KERNEL, 0.02), rounds)}


def pool(rows: int, rounds: int) -> dict:
    """A curve with a point for each number of rows, beside a fit for each of 20 of them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 20))
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(rows)
    kernel = kernels.get("laplace").fit(X)
    n = np.arange(1, rows + 1)
    seconds = timed(lambda: curves.predict_on_pool(X, y, kernel, n, "best", seed=0, check=()), rounds)
    few = np.unique(np.geomspace(10, rows // 2, 20).astype(int))

    def fits() -> None:
        gram = kernel(X, X)
        for size in few:
            a = np.linalg.solve(gram[:size, :size] + 1e-3 * np.eye(size), y[:size])
            float(np.mean((gram[size:, :size] @ a - y[size:]) ** 2))

    return {"what": f"pool of {rows:,} rows", "seconds": seconds, "alone": timed(fits, rounds) * rows / len(few)}


def leaps(rounds: int) -> dict:
    """Targets of 6 parities, beside all orders of the sets."""
    rng = np.random.default_rng(0)
    targets = [
        [tuple(sorted(rng.choice(COORDINATES, rng.integers(1, 7), replace=False).tolist())) for _ in range(SETS)]
        for _ in range(TARGETS)
    ]
    seconds = timed(lambda: [staircase_of(target).leap for target in targets], rounds)
    slow = timed(lambda: [by_all_orders(target) for target in targets[:SLOW]], rounds) / SLOW * TARGETS
    check([staircase_of(t).leap for t in targets[:SLOW]], [by_all_orders(t) for t in targets[:SLOW]])
    return {"what": f"{TARGETS:,} leaps of {SETS} parities", "seconds": seconds, "alone": slow}


def by_all_orders(target: list[tuple[int, ...]]) -> int:
    def leap(order: tuple[tuple[int, ...], ...]) -> int:
        known: set[int] = set()
        worst = 0
        for step in order:
            worst = max(worst, len(set(step) - known))
            known |= set(step)
        return worst

    return min(leap(order) for order in permutations(set(target)))


def check(ours: object, theirs: object) -> None:
    apart = float(np.max(np.abs(np.asarray(ours) / np.asarray(theirs) - 1)))
    if not apart < AGREE:
        raise SystemExit(f"The two answers differ by {apart:.1e} of their size.")


def rows(results: list[dict]) -> list[dict]:
    ratios = [
        contest.row(f"{r['what']}, to one by one", r["alone"] / r["seconds"], "ratio") for r in results if "alone" in r
    ]
    return ratios + [contest.row(r["what"], r["seconds"], "s", higher_is_better=False) for r in results]


def main() -> None:
    options = contest.arguments(__doc__, "curves", rounds=5).parse_args()
    jobs = {
        "points, a ridge": partial(points, 1e-3, options.rounds),
        "points, best ridge": partial(points, "best", options.rounds),
        "curve to 1e12": partial(whole_curve, options.rounds),
        "need": partial(need, options.rounds),
        **{f"pool of {rows} rows": partial(pool, rows, options.rounds) for rows in POOLS},
        "leaps": partial(leaps, options.rounds),
    }
    results = contest.measure_all(jobs, options.out, rows=rows)
    table = [
        [
            r["what"],
            f"{r['seconds']:.3f}",
            f"{r['alone']:.2f}" if "alone" in r else "",
            f"{r['alone'] / r['seconds']:.0f}x" if "alone" in r else "",
        ]
        for r in results
    ]
    title = f"Predicted curves, {KERNEL} on {PROBLEM}, {cores()} cores, median of {options.rounds} rounds"
    console.table(["what", "processor s", "one by one, s", "ratio"], table, title=title)


if __name__ == "__main__":
    main()
