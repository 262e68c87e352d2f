"""Corollary 7.1

To learn the hard instance of eq. 7.1 (k hidden coordinates of d, and their product) well below the risk of knowing F
alone, the ResNet needs a number of samples that grows about linearly with d; any kernel fixed beforehand needs a
share of binom(d, k)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from kernelgap import problems
from kernelgap.certificates import any_kernel
from kernelgap.networks import Theory
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import exponent, interval
from kernelgap.paper.theory.hierarchy import sample_need

K, ALPHA = 3, 0.3
RATES = (1.0, 0.1)
SHARE = 0.25  # of the threshold: the risk to be reached
PER_INPUT = 60  # samples for each of the d inputs, at most
SIZES: dict[str, tuple[tuple[int, ...], int, int]] = {  # every d, width, starts
    "quick": ((32, 64, 128, 256, 512), 100, 3),
    "full": ((32, 64, 128, 256, 512, 1024, 2048), 400, 8),
}


def measure(scale: str, seed: int) -> Numbers:
    dimensions, width, starts = SIZES[scale]
    need = partial(sample_need, width=width, rates=RATES, seeds=range(seed, seed + starts), initialisation=Theory())
    rows: list[Numbers] = []
    for d in dimensions:
        problem = problems.hard(d=d, k=K, alpha=ALPHA, seed=seed)
        level = SHARE * problem.threshold
        needed = need(problem, level=level, most=PER_INPUT * d)
        floor = any_kernel(problem, n=0).samples_for(level)
        rows.append({"d": d, "needed": needed, "any_kernel": floor, "most": PER_INPUT * d})
    numbers: Numbers = {"k": K, "alpha": ALPHA, "share": SHARE, "width": width, "rows": rows}
    if all(n is not None for row in rows for n in row["needed"]):
        numbers["exponent"] = exponent(dimensions, [row["needed"] for row in rows])
        numbers["exponent_any_kernel"] = exponent(dimensions, [row["any_kernel"] for row in rows])
    return numbers


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    if "exponent" not in numbers:
        missed = [row["d"] for row in rows if None in row["needed"]]
        reason = f"At d = {missed} some start did not reach the risk in {PER_INPUT} samples an input."
        return Verdict("undecided", "", reason)
    e, kernel = numbers["exponent"], numbers["exponent_any_kernel"]
    last = rows[-1]
    needed = sum(last["needed"]) / len(last["needed"])
    measured = (
        f"exponent {interval(e)}; at d = {last['d']}: {needed:.0f} samples, "
        f"any scalar kernel fixed beforehand at least {last['any_kernel']}"
    )
    slope = f"that floor grows as d^{kernel['value']:.2f}"
    if e["low"] > 1:
        return Verdict("fails", measured, f"The network's samples grow faster than linearly; {slope}.")
    share = f"{numbers['share']:g} of the risk that knowing F alone leaves"
    how = f"To {share}, at one width and one pair of rates; {slope}."
    if e["high"] < 1:
        reason = (
            "Not more than linearly, which is what the corollary promises; but less, so that linear growth is not "
            f"seen at these d: from d = {rows[-2]['d']} to {last['d']} the exponent is {_latest(rows):.2f}. {how}"
        )
        return Verdict("undecided", measured, reason)
    return Verdict("holds", measured, how)


def _latest(rows: Sequence[Mapping[str, Any]]) -> float:
    """The exponent between the two largest d."""
    before, after = rows[-2:]
    return float(np.log(np.mean(after["needed"]) / np.mean(before["needed"])) / np.log(after["d"] / before["d"]))


def picture(numbers: Numbers) -> Picture:
    rows = [row for row in numbers["rows"] if None not in row["needed"]]
    lines = [
        Line.of_repeats("three-layer ResNet, Algorithm 1", [row["d"] for row in rows], [row["needed"] for row in rows]),
        Line.of_rows("any scalar kernel, at least", rows, "d", "any_kernel"),
    ]
    return Picture("d", "samples", lines, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "thm1.samples", "exponent 1", measure, judge, picture, seconds=40)
