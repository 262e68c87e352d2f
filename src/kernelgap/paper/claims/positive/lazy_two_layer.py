"""slides

A two-layer network trained at a small rate stays close to its linearisation: the share of neurons whose gate
changes, and the distance between the two trained functions, fall as the width grows and as the rate shrinks."""

from functools import partial

import numpy as np

from kernelgap import problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import at_most, exponent, interval, together
from kernelgap.paper.claims.spread import median_and_range
from kernelgap.paper.theory.lazy import two_layer_beside_tangent

RATES = (0.5, 2.0, 4.0, 8.0)  # in units of 1/m, all far below the talk's 1/sqrt(m)
TIME = 60.0  # rate x steps
SIZES = {"quick": ((64, 128, 256, 512, 1024, 2048), 5), "full": ((64, 128, 256, 512, 1024, 2048, 4096, 8192), 10)}


def measure(scale: str, seed: int) -> Numbers:
    widths, starts = SIZES[scale]
    problem = problems.hard(d=10, k=2, alpha=0.3, seed=seed)
    rows = []
    compare = partial(two_layer_beside_tangent, problem, samples=100, rates=RATES, time=TIME)
    for width in widths:
        runs = [compare(width=width, seed=seed + i) for i in range(starts)]
        for i, rate in enumerate(RATES):
            row: Numbers = {"width": width, "rate": rate}
            for name in ("changed", "distance", "moved"):
                values = [float(getattr(run, name)[i]) for run in runs]
                row[name] = values if np.isfinite(values).all() else None
            rows.append(row)
    slow = [row for row in rows if row["rate"] == RATES[0]]
    exponents = {name: exponent(widths, [row[name] for row in slow]) for name in ("changed", "distance")}
    return {"rates": list(RATES), "rows": rows, "exponents": exponents}


def judge(numbers: Numbers) -> Verdict:
    changed, distance = (numbers["exponents"][name] for name in ("changed", "distance"))
    measured = f"changed gates ~ m^{interval(changed)}; distance ~ m^{interval(distance)}"
    outcome = together([at_most(changed, 0.0), at_most(distance, 0.0)])
    if outcome == "fails":
        return Verdict("fails", measured, "They grow with the width.")
    if outcome == "undecided":
        return Verdict("undecided", measured, "The intervals do not exclude that nothing falls.")
    widest = max(row["width"] for row in numbers["rows"])
    at_widest = [row for row in numbers["rows"] if row["width"] == widest]
    by_rate = ", ".join(
        f"{'overflow' if row['distance'] is None else median_and_range(row['distance'])} at {row['rate']:g}/m"
        for row in at_widest
    )
    starts = len(at_widest[0]["distance"] or ())
    reason = f"At m = {widest} the distance is {by_rate}, over {starts} starts."
    if starts == 0 or any(_nearer(row["distance"], at_widest[0]["distance"]) for row in at_widest[1:]):
        return Verdict("fails", measured, f"A larger rate stays closer to the tangent model. {reason}")
    return Verdict("holds", measured, f"The talk's rough sizes would give -1/2 for the gates. {reason}")


def _nearer(larger: list[float] | None, least: list[float]) -> bool:
    """Whether every start stays closer with the larger rate, by more than rounding."""
    return larger is not None and all(b < a * (1 - 1e-3) for a, b in zip(least, larger, strict=True))


def picture(numbers: Numbers) -> Picture:
    slow = [row for row in numbers["rows"] if row["rate"] == numbers["rates"][0]]
    widths = [row["width"] for row in slow]
    names = {"changed": "share of changed gates", "distance": "distance to the tangent model"}
    lines = [Line.of_repeats(title, widths, [row[name] for row in slow]) for name, title in names.items()]
    return Picture("width m", "share, distance", lines, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "lazy.two_layer", "both fall with m, and with the rate", measure, judge, picture, seconds=6)
