"""slides

A two-layer network follows its tangent kernel where it is over-parameterised, starts at N(0, 2/m) and has a small rate.
Each of the three conditions broken alone, by too few neurons, too small a start or too large a rate, takes what it
learns away from what the kernel learns."""

import numpy as np

from kernelgap import problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.theory.lazy import KERNEL_RATE, TalkStart, departure

WIDTH, SAMPLES, TIME = 2048, 100, 200.0  # time: rate x steps
# Of each condition, from hardly to clearly broken. The last is judged.
WIDTHS, STARTS, RATES = (128, 16), (0.1, 0.01), (4.0, 8.0)  # rates in units of 1/m
MORE_WIDTHS, MORE_STARTS, MORE_RATES = (512, 128, 64, 32, 16), (0.3, 0.1, 0.03, 0.01), (2.0, 4.0, 6.0, 8.0)
SIZES = {"quick": (5, (WIDTHS, STARTS, RATES)), "full": (20, (MORE_WIDTHS, MORE_STARTS, MORE_RATES))}  # seeds
NEAR = 0.05  # of what the kernel learns: the network follows it
TIMES = 3.0  # as far away as with every condition kept: it has left it
KEPT = "kept"


def measure(scale: str, seed: int) -> Numbers:
    seeds, (widths, starts, rates) = SIZES[scale]
    settings: list[tuple[str, float, Numbers]] = [(KEPT, 0.0, {})]
    settings += [("width", float(m), {"width": m}) for m in widths]
    settings += [("start", scale, {"start": TalkStart(scale)}) for scale in starts]
    settings += [("rate", rate, {"rate": rate}) for rate in (*rates, WIDTH**0.5)]  # the last is the talk's 1/sqrt(m)
    rows = []
    for condition, value, changed in settings:
        for s in range(seed, seed + seeds):
            problem = problems.hard(d=10, k=2, alpha=0.3, seed=s)
            how = {"width": WIDTH, "rate": KERNEL_RATE, **changed}
            seen = departure(problem, samples=SAMPLES, time=TIME, seed=s, **how)
            about = {"condition": condition, "value": value, "seed": s}
            named = {"relative": seen.relative, "changed": seen.changed, "train_error": seen.train_error}
            rows.append(about | {name: x if np.isfinite(x) else None for name, x in named.items()})
    return {"width": WIDTH, "rows": rows, "judged": {"width": widths[-1], "start": starts[-1], "rate": rates[-1]}}


def values_of(numbers: Numbers, condition: str, value: float, name: str = "relative") -> list[float]:
    """The values by seed; infinite for a run that overflowed."""
    rows = [row for row in numbers["rows"] if row["condition"] == condition and row["value"] == value]
    return [np.inf if row[name] is None else row[name] for row in sorted(rows, key=lambda row: row["seed"])]


def judge(numbers: Numbers) -> Verdict:
    """Seed by seed: the farthest setting of each condition against all conditions kept."""
    kept = values_of(numbers, KEPT, 0.0)
    broken = {name: values_of(numbers, name, value) for name, value in numbers["judged"].items()}
    listed = ", ".join(
        f"{name} {numbers['judged'][name]:g}: {np.median(values):.2g} [{min(values):.2g}, {max(values):.2g}]"
        for name, values in broken.items()
    )
    measured = f"distance to the kernel's solution {np.median(kept):.2g} [{min(kept):.2g}, {max(kept):.2g}]; {listed}"
    if np.median(kept) > NEAR:
        return Verdict("undecided", measured, "With every condition kept the network does not follow its kernel.")
    left = {name: [b > TIMES * k for b, k in zip(values, kept, strict=True)] for name, values in broken.items()}
    stays = [name for name, values in left.items() if not any(values)]
    if stays:
        return Verdict("fails", measured, f"Breaking the {stays[0]} alone leaves it with its kernel, with every seed.")
    if unsure := [name for name, values in left.items() if not all(values)]:
        return Verdict("undecided", measured, f"Breaking the {unsure[0]} alone does so with some of the seeds.")

    def error(condition: str, value: float) -> str:
        return f"{np.median(values_of(numbers, condition, value, 'train_error')):.2g}"

    errors = ", ".join(error(name, value) for name, value in numbers["judged"].items())
    bound = error("rate", numbers["width"] ** 0.5)
    reason = (
        f"In units of how far the kernel's solution is from the start, over {len(kept)} seeds with ranges, each "
        f"at least {TIMES:g} times as far as with all kept (m = {numbers['width']}, rate {KERNEL_RATE:g}/m). They "
        f"learn all the same: training errors {error(KEPT, 0.0)}, then {errors}. Rates in units of 1/m: it leaves the "
        f"kernel long before the talk's 1/sqrt(m), at which the training error is {bound} (of 2.2 at 0)."
    )
    return Verdict("holds", measured, reason)


def picture(numbers: Numbers) -> Picture:
    """How far, against how large a share of the neurons' gates has changed."""
    lines = []
    for name in (KEPT, *numbers["judged"]):
        rows = [row for row in numbers["rows"] if row["condition"] == name and row["relative"] is not None]
        title = "all conditions kept" if name == KEPT else f"{name} broken"
        lines.append(Line.of_rows(title, rows, "changed", "relative", points_only=True))
    return Picture("share of changed gates", "distance to the kernel's solution", lines, (), "log", "log")


claim = Claim.of(__doc__, "talk.oops", "beyond the kernel when one is broken", measure, judge, picture, seconds=15)
