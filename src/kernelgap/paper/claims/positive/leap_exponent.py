"""ours

For targets of equal degree, the samples that plain online SGD needs grow with d no faster than d^max(leap, 2), and
faster the greater the leap; a kernel of <x,z> needs about d^degree, whatever the leap."""

from collections.abc import Sequence

import numpy as np

from kernelgap import problems
from kernelgap.curves import need
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import at_most, exponent, interval, listed, together
from kernelgap.paper.claims.spread import median, median_and_range
from kernelgap.paper.theory.plain_sgd import PlainSgd

DEGREE, LEAPS = 3, (1, 2, 3)
SHARE = 0.25  # of the composite signal's variance: the risk to be reached
KERNEL = "ntk2(bias=True)"  # the network's tangent kernel, infinitely wide
# every d, width, starts that are judged, starts that rates are tuned with, samples at most
SIZES: dict[str, tuple[tuple[int, ...], int, int, int, int]] = {
    "quick": ((24, 32, 48, 64, 96, 128), 64, 7, 5, 1_000_000),
    "full": ((24, 32, 48, 64, 96, 128, 192, 256), 128, 9, 7, 10_000_000),
}
FIRST_RATE = 0.25
TUNING = 9000  # added to seeds
FRESH = 4000  # likewise, for those that are judged; sizes were settled after others had been seen


def measure(scale: str, seed: int) -> Numbers:
    return {"share": SHARE, "degree": DEGREE, "cases": [_case(leap, scale, seed) for leap in LEAPS]}


def _case(leap: int, scale: str, seed: int) -> Numbers:
    dimensions, width, starts, tuning, most = SIZES[scale]
    trainer, rate = PlainSgd(width=width, most=most), FIRST_RATE
    rows: list[Numbers] = []
    for d in dimensions:
        problem = problems.leaps(d=d, leap=leap, degree=DEGREE)
        level = SHARE * problem.threshold
        tuned = trainer.tuned_rate(problem, level, range(seed + TUNING, seed + TUNING + tuning), rate)
        rate = rate if tuned is None else tuned
        needed = trainer.needed(problem, level, rate, range(seed + FRESH, seed + FRESH + starts))
        of_kernel = need(problem, KERNEL, level)
        rows.append({"d": d, "rate": tuned, "needed": needed, "kernel": of_kernel.samples, "floor": of_kernel.floor})
    numbers: Numbers = {"leap": leap, "theory": problem.staircase().sgd_exponent, "rows": rows}
    medians = [median(row["needed"]) for row in rows]
    if np.isfinite(medians).all():
        numbers["exponent"] = exponent(dimensions, medians)
    numbers["exponent_kernel"] = exponent(dimensions, [row["kernel"] for row in rows])
    return numbers


def judge(numbers: Numbers) -> Verdict:
    cases = numbers["cases"]
    missed = [f"leap {case['leap']}" for case in cases if "exponent" not in case]
    if missed:
        return Verdict("undecided", "", f"Half of the starts did not reach the risk at some d: {', '.join(missed)}.")
    measured = "; ".join(f"leap {case['leap']}: {interval(case['exponent'])}, d^{case['theory']}" for case in cases)
    parts = {f"leap {case['leap']}": at_most(case["exponent"], case["theory"]) for case in cases}
    least, greatest = cases[0]["exponent"], cases[-1]["exponent"]
    parts["faster with the leap"] = (
        "holds" if least["high"] < greatest["low"] else "fails" if greatest["high"] < least["low"] else "undecided"
    )
    last = "; ".join(
        f"leap {case['leap']}: {median_and_range(case['rows'][-1]['needed'], ',.0f')}, the kernel "
        f"{case['rows'][-1]['kernel']:,}"
        for case in cases
    )
    kernels = ", ".join(f"{case['exponent_kernel']['value']:.2f}" for case in cases)
    reason = (
        f"{listed(parts)}. To {numbers['share']:g} of the variance of the last step, degree {numbers['degree']}. "
        f"Medians at d = {cases[0]['rows'][-1]['d']}: {last} (predicted; exponents {kernels}). Rates are tuned for "
        "each d and leap, with seeds of their own."
    )
    return Verdict(together(parts.values()), measured, reason)


def picture(numbers: Numbers) -> Picture:
    lines: list[Line] = []
    for case in numbers["cases"]:
        rows = [row | _range(row["needed"]) for row in case["rows"] if np.isfinite(median(row["needed"]))]
        lines.append(Line.of_points(f"SGD, leap {case['leap']}", rows, "d"))
        if "exponent" in case:
            first, power = rows[0], case["theory"]
            theory = [first["median"] * (row["d"] / first["d"]) ** power for row in rows]
            lines.append(Line(f"d^{power}, leap {case['leap']}", [row["d"] for row in rows], theory))
    rows = numbers["cases"][-1]["rows"]
    lines.append(Line.of_rows(f"{KERNEL}, leap {numbers['cases'][-1]['leap']}, predicted", rows, "d", "kernel"))
    lines.append(Line.of_rows("any scalar kernel, at least", rows, "d", "floor"))
    return Picture("d", "samples", lines, x_axis="log", y_axis="log")


def _range(needed: Sequence[float | None]) -> dict[str, float]:
    """Of the starts that got there."""
    there = [n for n in needed if n is not None]
    return {"median": median(needed), "least": min(there), "greatest": max(there)}


claim = Claim.of(__doc__, "leap.exponent", "exponents <= max(leap, 2)", measure, judge, picture, seconds=40)
