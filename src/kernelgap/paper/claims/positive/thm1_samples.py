"""Corollary 7.1: the ResNet's samples grow linearly with d, where any scalar kernel's grow like d^k."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kernelgap import problems
from kernelgap.certificates import any_kernel
from kernelgap.networks import Theory
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict
from kernelgap.paper.claims.picture import Line, Picture
from kernelgap.paper.theory.exponents import fit_exponent
from kernelgap.paper.theory.hierarchy import sample_need

K, ALPHA = 3, 0.3
RATES = (1.0, 0.1)
SHARE = 0.25  # of the threshold: the risk to be reached
PER_INPUT = 60  # samples for each of the d inputs, at most
SIZES: dict[str, tuple[tuple[int, ...], int, int]] = {  # every d, width, starts
    "quick": ((32, 64, 128, 256, 512), 100, 3),
    "full": ((32, 64, 128, 256, 512, 1024, 2048), 400, 8),
}


def measure(scale: str, seed: int) -> dict[str, Any]:
    dimensions, width, starts = SIZES[scale]
    rows: list[dict[str, Any]] = []
    for d in dimensions:
        problem = problems.hard(d=d, k=K, alpha=ALPHA, seed=seed)
        level = SHARE * problem.threshold
        needed = sample_need(
            problem,
            level=level,
            width=width,
            rates=RATES,
            seeds=range(seed, seed + starts),
            most=PER_INPUT * d,
            initialisation=Theory(),
        )
        floor = any_kernel(problem, n=0).samples_for(level)
        rows.append({"d": d, "needed": needed, "any_kernel": floor, "most": PER_INPUT * d})
    numbers: dict[str, Any] = {"k": K, "alpha": ALPHA, "share": SHARE, "width": width, "rows": rows}
    if all(n is not None for row in rows for n in row["needed"]):
        numbers["exponent"] = fit_exponent(dimensions, np.array([row["needed"] for row in rows])).as_dict()
        numbers["exponent_any_kernel"] = fit_exponent(
            dimensions, np.array([row["any_kernel"] for row in rows])
        ).as_dict()
    return numbers


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    if "exponent" not in numbers:
        missed = [row["d"] for row in rows if None in row["needed"]]
        return Verdict(
            "undecided", "", f"At d = {missed} some start did not reach the risk in {PER_INPUT} samples an input."
        )
    e, kernel = numbers["exponent"], numbers["exponent_any_kernel"]
    last = rows[-1]
    needed = sum(last["needed"]) / len(last["needed"])
    measured = (
        f"exponent {e['value']:.2f} [{e['low']:.2f}, {e['high']:.2f}]; at d = {last['d']}: {needed:.0f} samples, "
        f"any scalar kernel fixed beforehand at least {last['any_kernel']}"
    )
    slope = f"that floor grows as d^{kernel['value']:.2f}"
    if e["low"] > 1:
        return Verdict("fails", measured, f"The network's samples grow faster than linearly; {slope}.")
    how = (
        f"To {numbers['share']:g} of the risk that knowing F alone leaves, at one width and one pair of rates; {slope}."
    )
    if e["high"] < 1:
        return Verdict(
            "undecided",
            measured,
            "Not more than linearly, which is what the corollary promises; but less, so that linear growth is not "
            f"seen at these d: from d = {rows[-2]['d']} to {last['d']} the exponent is {_latest(rows):.2f}. {how}",
        )
    return Verdict("holds", measured, how)


def _latest(rows: Sequence[Mapping[str, Any]]) -> float:
    """The exponent between the two largest d."""
    before, after = rows[-2:]
    return float(np.log(np.mean(after["needed"]) / np.mean(before["needed"])) / np.log(after["d"] / before["d"]))


def picture(numbers: Numbers) -> Picture:
    rows = [row for row in numbers["rows"] if None not in row["needed"]]
    d = [row["d"] for row in rows]
    lines = [
        Line(
            "three-layer ResNet, Algorithm 1",
            d,
            [sum(row["needed"]) / len(row["needed"]) for row in rows],
            low=[min(row["needed"]) for row in rows],
            high=[max(row["needed"]) for row in rows],
        ),
        Line("any scalar kernel, at least", d, [row["any_kernel"] for row in rows]),
    ]
    return Picture("d", "samples", lines, x_axis="log", y_axis="log")


claim = Claim(
    id="thm1.samples",
    source="Corollary 7.1",
    statement=(
        "To learn the hard instance of eq. 7.1 (k hidden coordinates of d, and their product) well below the risk of "
        "knowing F alone, the ResNet needs a number of samples that grows about linearly with d; any "
        "kernel fixed beforehand needs a share of binom(d, k)."
    ),
    stated="exponent 1",
    seconds=40,
    measure=measure,
    judge=judge,
    picture=picture,
)
