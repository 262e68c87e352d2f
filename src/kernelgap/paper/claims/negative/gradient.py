"""ours

Gradient descent on the population with normal noise on each gradient, on a parity that is not known beforehand: after T
steps the mean advantage over a run without a signal is at most sqrt(T G^2 / (4 C sigma^2)), and no run measured has
more."""

from itertools import combinations, product
from math import sqrt

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import networks, problems
from kernelgap.certificates import any_gradient
from kernelgap.networks import FanInStart
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.training.population import descend

CASES = {  # network, d, k
    "quick": (("2layer", 6, 1), ("2layer", 6, 2), ("3layer", 6, 2), ("2layer", 7, 3)),
    "full": (
        ("2layer", 8, 1),
        ("2layer", 8, 2),
        ("3layer", 8, 2),
        ("3resnet", 8, 2),
        ("2layer", 8, 3),
        ("2layer", 10, 3),
    ),
}
SEEDS = {"quick": 8, "full": 20}
WIDTH, STEPS, RATE = 16, 30, 0.01
WANTED = (0.25, 0.5)  # noise is set so that the bound is about this
SPREADS = 3  # standard errors that a mean may be above the bound by chance


def measure(scale: str, seed: int) -> Numbers:
    seeds = range(seed, seed + SEEDS[scale])
    rows = [mean_advantage(name, d, k, wanted, seeds) for name, d, k in CASES[scale] for wanted in WANTED]
    return {"steps": STEPS, "seeds": len(seeds), "rows": rows}


def mean_advantage(name: str, d: int, k: int, wanted: float, seeds: range) -> Numbers:
    """Over all C targets and some seeds: how much oftener f - f_0 correlates with the target than without a signal."""
    X, chi = _parities(d, k)
    network, runs, norms, right, noise = networks.get(name), [], [], [], 0.0
    for seed in seeds:
        start = network.init(jax.random.key(seed), inputs=d, outputs=1, width=WIDTH, initialisation=FanInStart())
        first = descend(network, start, X, 0 * chi[:1], steps=1, rate=0.0, noise=0.0, seed=seed, with_norms=True)
        if not noise:
            assert first.norms is not None
            noise = float(first.norms[0, 0]) * sqrt(STEPS / (4 * len(chi))) / wanted
        before = first.outputs[0]  # one step at rate 0
        both = np.concatenate([0 * chi[:1], chi])
        null = descend(network, start, X, both[:1], steps=STEPS, rate=RATE, noise=noise, seed=seed, with_norms=True)
        found = descend(network, start, X, both, steps=STEPS, rate=RATE, noise=noise, seed=seed)
        likes = ((found.outputs[1:] - before) * chi).mean(axis=1) > 0
        without = ((found.outputs[0] - before) * chi).mean(axis=1) > 0
        runs.append(float(likes.mean() - without.mean()))
        right.append(float((np.sign(found.outputs[1:]) == chi).mean()))
        assert null.norms is not None
        norms.append(null.norms)
    norm = float(np.sqrt(np.mean(np.square(norms))))
    bound = any_gradient(problems.parity(d=d, k=k), STEPS, noise, norm)
    about = {"network": name, "d": d, "k": k, "family": len(chi), "noise": noise, "norm": norm}
    signs = {"signs": float(np.mean(right)), "most_signs": bound.accuracy}
    spread = float(np.std(runs, ddof=1)) / sqrt(len(runs))
    return {**about, "bound": bound.advantage, "mean": float(np.mean(runs)), "spread": spread, **signs}


def _parities(d: int, k: int) -> tuple[Float[np.ndarray, "points d"], Float[np.ndarray, "sets points"]]:
    """Every point of the cube, of length 1, and every parity of degree k there."""
    cube = np.array(list(product([-1.0, 1.0], repeat=d)))
    return cube / sqrt(d), np.stack([cube[:, list(s)].prod(axis=1) for s in combinations(range(d), k)])


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    nearest = max(rows, key=lambda row: row["mean"] / row["bound"])
    measured = f"at most {nearest['mean'] / nearest['bound']:.2g} of the bound, of {len(rows)} cases"
    over = [
        row for row in rows if row["mean"] - SPREADS * row["spread"] > row["bound"] or row["signs"] > row["most_signs"]
    ]
    if over:
        row = over[0]
        case = f"{row['network']} at d = {row['d']}, k = {row['k']}"
        return Verdict("fails", measured, f"{case} has {row['mean']:.3g}, the bound is {row['bound']:.3g}.")
    idle = [row for row in rows if row["bound"] >= 1]
    if idle:
        return Verdict("undecided", measured, f"{len(idle)} of the bounds are 1 and say nothing.")
    reason = (
        f"Means over all targets and {numbers['seeds']} starts, {numbers['steps']} steps on every point of the cube. "
        f"Nearest: {nearest['network']} at d = {nearest['d']}, k = {nearest['k']}. G is measured in the runs without a "
        "signal."
    )
    return Verdict("holds", measured, reason)


def picture(numbers: Numbers) -> Picture:
    rows = sorted(numbers["rows"], key=lambda row: row["bound"])
    lines = [
        Line.of_rows("measured", rows, "bound", "mean", points_only=True),
        Line.of_rows("bound", rows, "bound", "bound"),
    ]
    return Picture("sqrt(T G^2 / (4 C sigma^2))", "mean advantage over a run without a signal", lines)


claim = Claim.of(__doc__, "gradient.floor", "<= sqrt(T G^2 / (4 C sigma^2))", measure, judge, picture, seconds=20)
