"""section 7.2

On the hard instance of eq. 7.1, linear regression over features that reaches the network's risk needs so many features
that storing and multiplying them once costs more memory and time than the network's whole training."""

from math import comb

import numpy as np
from scipy import stats

from kernelgap import problems
from kernelgap.certificates import any_kernel
from kernelgap.networks import TheoremStart
from kernelgap.paper.algorithms import algorithm1
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict

D, K, ALPHA = 256, 5, 0.3
WIDTH, RATES = 100, (1.0, 0.1)
SIZES = {"quick": (25_000, 5), "full": (50_000, 10)}  # steps, each with a fresh sample; starts
LEVEL = 0.95  # of the interval of the mean risk, whose upper end is what the features have to reach


def measure(scale: str, seed: int) -> Numbers:
    steps, starts = SIZES[scale]
    problem = problems.hard(d=D, k=K, alpha=ALPHA, seed=seed)
    seeds = range(seed, seed + starts)
    run = algorithm1(problem, width=WIDTH, steps=steps, rates=[RATES], seeds=seeds, initialisation=TheoremStart())
    risks = [float(risk) for risk in run.final()[:, 0]]
    learned = bool(np.isfinite(risks).all())
    mean = float(np.mean(risks)) if learned else None
    high = None if mean is None else mean + float(stats.t.ppf((1 + LEVEL) / 2, starts - 1) * stats.sem(risks))
    weights = WIDTH * (D + 1 + K + 1 + K)
    return {
        "d": D,
        "k": K,
        "threshold": problem.threshold,
        "risks": risks if learned else [],
        "mean": mean,
        "high": high,
        "features": 0 if high is None else any_kernel(problem, n=0).samples_for(high),
        "steps": steps,
        "training_numbers": 2 * weights + D + 4 * WIDTH + 4 * K,  # weights, gradients, a sample, what layers give
        "training_multiplications": steps * step_multiplications(D, K, WIDTH),
    }


def step_multiplications(d: int, k: int, width: int) -> int:
    """Of one step of Algorithm 1 on out = out1 + A s(V out1 + b2), out1 = A s(W x + b1), by matrices.

    (W, b1) and (V, b2) are used forwards, in the gradient and in the step; A twice forwards and twice backwards, V once
    backwards.
    """
    first, second, output = width * (d + 1), width * (k + 1), width * k
    return 3 * first + 3 * second + 5 * output


def judge(numbers: Numbers) -> Verdict:
    """D numbers to store and to multiply, against what the network's training stores and multiplies."""
    if numbers["high"] is None or numbers["high"] >= numbers["threshold"]:
        return Verdict("undecided", "", "The network itself did not get under the risk of knowing F alone.")
    features, memory, work = numbers["features"], numbers["training_numbers"], numbers["training_multiplications"]
    risk = f"mean risk {numbers['mean']:.2g} (at most {numbers['high']:.2g}) over {len(numbers['risks'])} seeds"
    measured = f"{risk}: D >= {features:.3g}; network {memory:,} numbers, {work:.2g} multiplications"
    how = (
        f"hard(d={numbers['d']}, k={numbers['k']}), {numbers['steps']:,} steps of Algorithm 1 at rates that were set "
        "beforehand; no search of rates and no held-out errors are counted."
    )
    if features <= memory:
        reason = f"The network keeps more numbers than the features that the floor asks for. {how}"
        return Verdict("fails", measured, reason)
    fewer = f"The network keeps {features / memory:,.0f} times fewer numbers while it trains."
    if features <= work:
        return Verdict("undecided", measured, f"{fewer} In time the statement is about larger d. {_crossing(numbers)}")
    once = f"Using D features once takes {features / work:.1f} times the multiplications of its whole training."
    return Verdict("holds", measured, f"{fewer} {once} {how}")


def _crossing(numbers: Numbers) -> str:
    """Where D would exceed the multiplications, both rising from here: D like binom(d, k), training like d^2."""
    d, k, start = numbers["d"], numbers["k"], numbers["d"]
    behind = numbers["training_multiplications"] / numbers["features"]
    while comb(d, k) / comb(start, k) <= behind * (d / start) ** 2:
        d += 1
    return f"D multiplications are fewer than the training took; they would be more from d = {d} on."


STATED = "more than the whole training, in memory and in time"
claim = Claim.of(__doc__, "thm3.cost", STATED, measure, judge, seconds=4)
