"""Footnote 12

Theorem 1 also applies to training all layers, A too, with appropriately chosen start and rates. With careless ones
(one rate for all layers, a large start of W) training degenerates: as the network gets wider, it is as if only the last
layer were trained, which is a kernel method."""

from collections.abc import Sequence
from functools import partial

import jax.numpy as jnp
import numpy as np

from kernelgap import networks, problems
from kernelgap.networks import TheoremStart
from kernelgap.paper.algorithms import Online, algorithm1
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import at_most, exponent, interval
from kernelgap.paper.claims.spread import median, median_and_range
from kernelgap.problems import Problem

D, K, ALPHA, SHARE = 48, 3, 0.3, 0.25
CAREFUL = ((1.0, 0.1, 0.001), (1.0, 0.1, 0.0))  # with A, and with A as it starts
COMMON = 0.5  # times 1/m: one rate for all, near the largest that is stable
CAREFUL_WIDTH, STEPS = 100, 8000
SIZES = {
    "quick": ((100, 200, 400, 800, 1600), 5),
    "full": ((100, 200, 400, 800, 1600, 3200, 6400), 8),
}  # widths, starts


def measure(scale: str, seed: int) -> Numbers:
    widths, starts = SIZES[scale]
    problem = problems.hard(d=D, k=K, alpha=ALPHA, seed=seed)
    train = partial(algorithm1, problem, steps=STEPS, seeds=range(seed, seed + starts))
    careful = train(width=CAREFUL_WIDTH, rates=CAREFUL, initialisation=TheoremStart()).final()
    rows = []
    for m in widths:
        rate = COMMON / m
        # the largest sigma_w of Table 1, m^-0.01, and the smallest sigma_v
        large = TheoremStart(sigma_w=m**-0.0101, sigma_v=1.0)
        run = train(width=m, rates=[(rate, rate, rate), (0.0, 0.0, rate)], initialisation=large)
        rows.append({"width": m, **_compared(problem, run, seed)})
    numbers: Numbers = {"threshold": problem.threshold, "rows": rows}
    numbers |= {"careful": careful[:, 0].tolist(), "A fixed": careful[:, 1].tolist()}
    usable = all(np.isfinite(row[key]).all() for row in rows for key in ("distance", "moved"))
    fits = {key: exponent(widths, [row[key] for row in rows]) for key in ("distance", "moved")} if usable else None
    return numbers | {"exponents": fits}


def _compared(problem: Problem, run: Online, seed: int) -> Numbers:
    """All layers at one rate beside the last alone: their risks, how far apart, and how far W went from its start."""
    X = jnp.asarray(problem.sample(2000, [seed, 9])[0], jnp.float32)
    apart, moved = [], []
    for s in range(len(run.start["W"])):
        one, last = (np.asarray(networks.resnet.apply(run.params(s, i), X), float) for i in range(2))
        apart.append(float(np.mean(np.sum((one - last) ** 2, axis=1))))
        start = run.start["W"][s]
        moved.append(float(np.linalg.norm(run.trained["W"][s, 0] - start) / np.linalg.norm(start)))
    risks = {name: run.final()[:, i].tolist() for i, name in enumerate(("common", "last"))}
    return {"distance": apart, "moved": moved, **risks}


def judge(numbers: Numbers) -> Verdict:
    careful, fixed, level = numbers["careful"], numbers["A fixed"], SHARE * numbers["threshold"]
    fits, widest = numbers["exponents"], numbers["rows"][-1]
    measured = (
        f"careful: {median_and_range(careful)} of k alpha^2 = {numbers['threshold']:.2g} (A fixed {_brief(fixed)})"
    )
    if min(careful) > level:
        return Verdict("fails", measured, "With A trained too, no start learns the composite signal.")
    if fits is None:
        return Verdict("undecided", measured, "A run with one rate for all layers overflowed.")
    measured += f"; one rate for all: distance to the last layer alone ~ m^{interval(fits['distance'])}"
    outcomes = [at_most(fits[key], 0.0) for key in ("distance", "moved")]
    reason = (
        f"d = {D}, {STEPS} samples, {len(careful)} starts; careful: rates {CAREFUL[0]} for W, V, A. Careless: sigma_w "
        f"= m^-0.01, all rates {COMMON:g}/m: |W - W(0)| / |W(0)| ~ m^{interval(fits['moved'])}; at m = "
        f"{widest['width']} the risk is {median_and_range(widest['common'])}, of the last layer alone "
        f"{median_and_range(widest['last'])}, and the two functions are {median(widest['distance']):.2g} apart."
    )
    if "fails" in outcomes:
        return Verdict("fails", measured, f"Careless training does not come nearer to the last layer alone. {reason}")
    if "undecided" in outcomes or max(careful) > level:
        return Verdict("undecided", measured, f"Not in every start, or not clearly with the width. {reason}")
    return Verdict("holds", measured, reason)


def _brief(values: Sequence[float]) -> str:
    return f"{median(values):.2g}"


def picture(numbers: Numbers) -> Picture:
    widths = [row["width"] for row in numbers["rows"]]
    names = {
        "distance": "one rate for all layers, from the last alone",
        "moved": "how far W went",
        "common": "risk, one rate for all layers",
        "last": "risk, the last layer alone",
    }
    lines = [Line.of_repeats(name, widths, [row[key] for row in numbers["rows"]]) for key, name in names.items()]
    levels = (("k alpha^2", numbers["threshold"]), ("careful, m = 100", median(numbers["careful"])))
    return Picture("width m", "risk, distance", lines, levels, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "thm1.all_layers", "learns; carelessly, only A", measure, judge, picture, seconds=15)
