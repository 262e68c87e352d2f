"""ours

Plain SGD learns a target only if its network's own tangent kernel has an edge on it at the start: over targets of one
degree and growing leap, the samples after which SGD has learned anything grow as a power of 1 / edge."""

from itertools import product

import numpy as np

from kernelgap import problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Outcome, Picture, Verdict
from kernelgap.paper.claims.growth import exponent, interval
from kernelgap.paper.claims.spread import median
from kernelgap.paper.theory.plain_sgd import PlainSgd, TwoLayer
from kernelgap.paper.theory.tangent_edge import tangent_edges
from kernelgap.problems import FourierProblem

DEGREE, LEAPS = 6, (1, 2, 3, 4, 5, 6)
SIZES = {"quick": (16, 200_000, 9), "full": (18, 1_000_000, 15)}  # d, samples at most, starts
WIDTH = 32
RATES = (0.1, 0.2, 0.4)  # each target is trained with all of them; the least median counts
SOMETHING = 0.9  # of E H^2: a risk below it is something learned
FRESH = 8300  # added to seeds: sizes were settled after others had been seen


def measure(scale: str, seed: int) -> Numbers:
    d, most, starts = SIZES[scale]
    seeds = range(seed + FRESH, seed + FRESH + starts)
    cube = np.array(list(product([-1.0, 1.0], repeat=d)))
    targets = [problems.leaps(d=d, leap=leap, degree=DEGREE) for leap in LEAPS]
    columns = np.concatenate([problem.target(cube) for problem in targets], axis=1)
    edges = [tangent_edges(TwoLayer.at_start(d, WIDTH, s), cube, columns) for s in seeds]
    rows = [
        {"leap": leap, "edges": own, "needed": _needed(problem, most, seeds)}
        for leap, problem, own in zip(LEAPS, targets, np.transpose(edges).tolist(), strict=True)
    ]
    return {"d": d, "degree": DEGREE, "most": most, "starts": starts, "rows": rows}


def _needed(problem: FourierProblem, most: int, seeds: range) -> list[float | None]:
    """The samples after which each start has learned something, with the best rate."""
    trainer, level = PlainSgd(width=WIDTH, most=most), SOMETHING * problem.target_fourier.squared_norm()
    return min((trainer.needed(problem, level, rate, seeds) for rate in RATES), key=median)


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    edges, needed = [float(np.median(row["edges"])) for row in rows], [median(row["needed"]) for row in rows]
    measured = "; ".join(
        f"leap {row['leap']}: edge {edge:.2g}, {samples:,.0f} samples"
        for row, edge, samples in zip(rows, edges, needed, strict=True)
    )
    about = (
        f"Degree {numbers['degree']}, d = {numbers['d']}; to {SOMETHING:g} of E H^2 at the best of {len(RATES)} rates; "
        f"medians over {numbers['starts']} starts. The edge is over all points of the cube, with bounded weights."
    )
    if not np.isfinite(needed).all():
        return Verdict("undecided", measured, f"Some target was not learned with {numbers['most']:,} samples. {about}")
    fit = exponent([1 / edge for edge in edges], needed)
    outcome: Outcome = "holds" if fit["low"] > 0 else "fails" if fit["high"] < 0 else "undecided"
    products = [edge * samples for edge, samples in zip(edges, needed, strict=True)]
    reason = f"Edge times samples is {min(products):.3g} to {max(products):.3g}. {about}"
    return Verdict(outcome, f"exponent {interval(fit)}; {measured}", reason)


def picture(numbers: Numbers) -> Picture:
    rows = [
        {"x": 1 / float(np.median(row["edges"])), "y": median(row["needed"])}
        for row in numbers["rows"]
        if np.isfinite(median(row["needed"]))
    ]
    lines = [Line.of_rows("SGD has learned something", sorted(rows, key=lambda row: row["x"]), "x", "y")]
    return Picture("1 / edge of the tangent kernel at the start", "samples", lines, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "tangent.edge", "no edge, nothing learned", measure, judge, picture, seconds=35)
