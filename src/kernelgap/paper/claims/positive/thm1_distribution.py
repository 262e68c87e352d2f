"""Theorem 1

The ResNet learns for any distribution of x: on eq. 7.1 whatever law the d - d1 coordinates have that carry no signal
(signs, zeros, one sign in all of them, normal numbers), it gets under the risk of knowing F alone."""

import numpy as np

from kernelgap import problems
from kernelgap.networks import TheoremStart
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.spread import median, median_and_range
from kernelgap.paper.theory.hierarchy import sample_need

ALPHA, K, RATES, SHARE = 0.3, 3, (1.0, 0.1), 0.25
BACKGROUNDS = ("uniform", "zero", "repeated", "gaussian")
MOST = 200_000
ALIKE = 2.0  # medians within this factor of the uniform law's
SIZES: dict[str, Numbers] = {  # d, the numbers of coordinates that may carry the signal, width, starts
    "quick": {"d": 64, "d1": (8, 32), "width": 100, "starts": 5},
    "full": {"d": 256, "d1": (16, 64, 128), "width": 400, "starts": 8},
}


def measure(scale: str, seed: int) -> Numbers:
    size = SIZES[scale]
    rows = []
    for d1 in size["d1"]:
        for background in BACKGROUNDS:
            problem = problems.hard(d=size["d"], k=K, alpha=ALPHA, d1=d1, background=background, seed=seed)
            needed = sample_need(
                problem,
                level=SHARE * problem.threshold,
                width=size["width"],
                rates=RATES,
                seeds=range(seed, seed + size["starts"]),
                most=MOST,
                initialisation=TheoremStart(),
            )
            length = np.linalg.norm(problem.sample(2000, seed)[0], axis=1)
            norm = [float(length.min()), float(length.max())]
            rows.append({"d1": d1, "background": background, "needed": needed, "norm": norm})
    return {"d": size["d"], "width": size["width"], "rows": rows}


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    measured = "; ".join(f"{_named(row)} {median_and_range(row['needed'], '.0f')}" for row in rows)
    how = (
        f"Samples to {SHARE:g} of k alpha^2, d = {numbers['d']}, k = {K}, alpha = {ALPHA:g}, width {numbers['width']}, "
        f"{len(rows[0]['needed'])} starts."
    )
    never = [_named(row) for row in rows if all(n is None for n in row["needed"])]
    if never:
        return Verdict("fails", measured, f"{how} In {MOST} samples no start learns it with: {', '.join(never)}.")
    missed = [_named(row) for row in rows if None in row["needed"]]
    if missed:
        return Verdict("undecided", measured, f"{how} In {MOST} samples some start did not with: {', '.join(missed)}.")
    uniform = {row["d1"]: median(row["needed"]) for row in rows if row["background"] == "uniform"}
    ratios = [median(row["needed"]) / uniform[row["d1"]] for row in rows]
    norms = [row["norm"] for row in rows]
    reason = (
        f"{how} Every start gets there with every law tried; medians are {min(ratios):.2f} to {max(ratios):.2f} times "
        f"the uniform law's. |x| lies in {min(low for low, _ in norms):.2f} to {max(high for _, high in norms):.2f}, "
        "so that unit length is not needed. Any distribution is more than can be tried."
    )
    if max(ratios) > ALIKE:
        return Verdict("undecided", measured, f"{reason} One of them needs more than {ALIKE:g} times as many.")
    return Verdict("holds", measured, reason)


def _named(row: Numbers) -> str:
    return f"{row['background']} (d1 = {row['d1']})"


def picture(numbers: Numbers) -> Picture:
    lines = []
    for d1 in dict.fromkeys(row["d1"] for row in numbers["rows"]):
        rows = [row for row in numbers["rows"] if row["d1"] == d1 and None not in row["needed"]]
        places = [BACKGROUNDS.index(row["background"]) for row in rows]
        medians = [median(row["needed"]) for row in rows]
        low, high = ([end(row["needed"]) for row in rows] for end in (min, max))
        lines.append(Line(f"d1 = {d1}", places, medians, low, high, points_only=True))
    return Picture("law of the other coordinates", "samples", lines, y_axis="log", categories=BACKGROUNDS)


claim = Claim.of(__doc__, "thm1.distribution", "learned, whatever the law", measure, judge, picture, seconds=4)
