"""section 8.2

Two-layer networks with |W|_F <= B have a Rademacher complexity of at most 2 B / sqrt(N) on inputs of length 1. So O(d)
samples are enough for a solution of norm 9.7 sqrt(d) that fits them to have a test error under 0.3."""

import math

import numpy as np

from kernelgap import problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.theory.rademacher import complexity_from_below, printed_bound, samples_for, test_error_bound

NORM, ERROR = 9.7, 0.12  # of the first solution built by hand: in units of sqrt(d), and its error
WANTED, NOTHING = 0.3, 1.0  # the test error stated, and that of answering 0
FIGURE = ((40, 5000), (100, 50_000))  # d and N of Figure 4
SIZES = {
    "quick": ((6, 200), (40, 1000), (40, 5000), (100, 5000)),
    "full": ((6, 200), (40, 1000), (40, 5000), (100, 50_000), (400, 20_000)),
}
DRAWS = {"quick": 5, "full": 20}
DIMENSIONS = (6, 10, 40, 100, 400, 1000, 10_000)


def measure(scale: str, seed: int) -> Numbers:
    measured = []
    for d, n in SIZES[scale]:
        X, _ = problems.parity(d).sample(n, seed)
        complexities = complexity_from_below(
            X, NORM * math.sqrt(d), np.random.default_rng([seed, d, n]), draws=DRAWS[scale]
        )
        spread = 2 * float(complexities.std(ddof=1)) / math.sqrt(len(complexities))
        bound = printed_bound(NORM * math.sqrt(d), n)
        measured.append({"d": d, "n": n, "found": float(complexities.mean()), "spread": spread, "bound": bound})
    rows = []
    for d in DIMENSIONS:
        norm = NORM * math.sqrt(d)
        rows.append(
            {
                "d": d,
                "complexity_below_1": math.ceil((2 * norm) ** 2),
                "anything": samples_for(NOTHING, ERROR, norm),
                "stated": samples_for(WANTED, ERROR, norm),
            }
        )
    figure = []
    for d, n in FIGURE:
        bound = printed_bound(NORM * math.sqrt(d), n)
        figure.append({"d": d, "n": n, "bound": bound, "test_error": test_error_bound(ERROR, bound, n)})
    return {"measured": measured, "rows": rows, "figure": figure}


def judge(numbers: Numbers) -> Verdict:
    first, rows, figure = numbers["measured"], numbers["rows"], numbers["figure"]
    above = [row for row in first if row["found"] - row["spread"] > row["bound"]]
    nearest = max(first, key=lambda row: row["found"] / row["bound"])
    each = [row["stated"] / row["d"] for row in rows]
    shown = next(row for row in rows if row["d"] == figure[0]["d"])
    ratio = nearest["found"] / nearest["bound"]
    measured = (
        f"bound {figure[0]['bound']:.2g} at d = {figure[0]['d']}, N = {figure[0]['n']}; under 0.3 from N = "
        f"{shown['stated']:.2g} on ({each[-1]:.2g} d); complexity at least {ratio:.2f} of it"
    )
    if above:
        row = above[0]
        reason = f"At d = {row['d']}, N = {row['n']} the complexity is at least {row['found']:.3g}: above the bound."
        return Verdict("fails", measured, reason)
    if each[-1] > 2 * each[0] or each[0] > 2 * each[-1]:
        return Verdict("fails", measured, "The samples that the argument asks for do not grow like d.")
    silent = [row for row in figure if row["test_error"] >= NOTHING]
    where = ", ".join(f"d = {row['d']}, N = {row['n']:,} (test error <= {row['test_error']:.2g})" for row in silent)
    own = next((row for row in first if (row["d"], row["n"]) == (figure[0]["d"], figure[0]["n"])), nearest)
    least = test_error_bound(ERROR, own["found"], own["n"])
    reason = (
        "O(d), with that constant, for outputs cut off at +-1 and confidence 0.99. The complexity itself is under 1 "
        f"from N = {shown['complexity_below_1']:,} on, the test error under that of answering 0 from "
        f"{shown['anything']:.2g} on (d = {shown['d']}). So at Figure 4's sizes the argument says nothing: {where}. A "
        f"better bound would not help: at d = {own['d']}, N = {own['n']:,} a search for directions shows a complexity "
        f"of {own['found']:.2g} at least, and that gives {least:.2g}."
    )
    if not silent:
        reason = "O(d), with that constant; it speaks at Figure 4's sizes."
    return Verdict("holds", measured, reason)


def picture(numbers: Numbers) -> Picture:
    names = {
        "stated": "test error under 0.3",
        "anything": "test error under 1",
        "complexity_below_1": "complexity under 1",
    }
    lines = [Line.of_rows(title, numbers["rows"], "d", name) for name, title in names.items()]
    lines.append(Line.of_rows("Figure 4", numbers["figure"], "d", "n", points_only=True))
    return Picture("d", "samples from which the bound says so", lines, x_axis="log", y_axis="log")


claim = Claim.of(
    __doc__, "sec82.rademacher", "complexity <= 2 |W| / sqrt(N), N = O(d)", measure, judge, picture, seconds=1
)
