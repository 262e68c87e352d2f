"""sec. 2.1

Trained together, the first block comes to know F first, and only then the second block learns alpha G(F) with its
help (on the target of sec. 8.1). A linear part can be carried by either block, so both distances are taken as they
stand and up to an affine map of out1."""

from functools import partial

from kernelgap import networks, problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.spread import median_and_range
from kernelgap.paper.theory.hierarchy import NAMES, follow_passes
from kernelgap.training import Schedule

FRACTION = 0.5  # of what each distance starts with
SIZES = {"quick": (100, 1000, 200, 5), "full": (500, 1000, 800, 5)}  # width, samples, epochs, starts


def measure(scale: str, seed: int) -> Numbers:
    width, samples, epochs, starts = SIZES[scale]
    problem = problems.sec8()
    moments = sorted({*range(12), *range(12, 40, 2), *range(40, epochs, 10)})
    follow = partial(follow_passes, networks.resnet, problem, width=width, samples=samples, epochs=moments)
    rows = []
    for start in range(seed, seed + starts):
        course = follow(rates=(0.05, 0.09), decay=0.005, schedule=Schedule(epochs=epochs), seed=start)
        halved = {name: course.falls_below(name, FRACTION * course.values[name][0]) for name in NAMES}
        values = {name: list(course.values[name]) for name in NAMES}
        rows.append({"times": list(course.times), **values, "halved": halved})
    return {"threshold": problem.threshold, "fraction": FRACTION, "rows": rows}


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    learned = [row for row in rows if row["risk"][-1] < numbers["threshold"]]
    if not learned:
        reason = "Nothing of alpha G(F) was learned, so nothing has an order."
        return Verdict("undecided", "no start got under the threshold", reason)
    halves = [(row["halved"]["base_up_to"], row["halved"]["composite_up_to"]) for row in learned]
    literal = [(row["halved"]["base"], row["halved"]["composite"]) for row in learned]
    measured = (
        f"F at epoch {_medians(halves, 0)}, alpha G(F) at {_medians(halves, 1)}, {len(learned)} of {len(rows)} starts"
    )
    in_order = all(first is not None and (then is None or first < then) for first, then in [*halves, *literal])
    ends = max(row["composite_up_to"][-1] for row in learned)
    reason = (
        "Epochs at which half is learned, up to the linear part that the blocks share freely; the second distance ends "
        f"at {ends:.2g} or less of {numbers['threshold']:.3g}. As they stand, the two distances are halved at "
        f"{_medians(literal, 0)} and {_medians(literal, 1)}."
    )
    if not in_order:
        return Verdict("fails", measured, f"In some start alpha G(F) was not learned after F. {reason}")
    if len(learned) < len(rows):
        return Verdict("undecided", measured, f"Some start did not get under the threshold. {reason}")
    return Verdict("holds", measured, reason)


def _medians(halves: list[tuple[float | None, float | None]], which: int) -> str:
    """Median and range of the times of F (0) or of alpha G(F) (1); one that never comes is beyond all."""
    return median_and_range([pair[which] for pair in halves], ".1f").replace("diverged", "never")


def picture(numbers: Numbers) -> Picture:
    row = numbers["rows"][0]
    titles = {"base_up_to": "out1 from F, up to a linear map", "composite_up_to": "the rest from alpha G(F), likewise"}
    names = {**titles, "risk": "out from H", "base": "out1 from F, as it is", "composite": "the rest, as it is"}
    lines = [Line(title, row["times"], row[name]) for name, title in names.items()]
    return Picture("epoch", "mean squared distance", lines, (("threshold", numbers["threshold"]),), y_axis="log")


claim = Claim.of(__doc__, "hier.forward", "F before alpha G(F)", measure, judge, picture, seconds=5)
