"""The lower bound on Xi_t along runs of Algorithm 1: what cannot fail of it, and one-point convexity, which can."""

from functools import partial

import numpy as np

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Outcome, Picture, Verdict
from kernelgap.paper.claims.growth import Fit, at_least, constant, first_lasting, interval
from kernelgap.paper.claims.trajectories import BLOCKS, UNIT, at_width, of_runs

ROUNDING = 1e-9  # relative; float64 over sums of a few thousand terms


def measure(names: str, scale: str, seed: int) -> Numbers:
    return of_runs(UNIT, names, scale, seed)


def judge_xi(numbers: Numbers) -> Verdict:
    runs = numbers["runs"]
    gap = min(row["xi_least_gap"] / row["xi_largest"] for row in runs)
    two_ways, telescoping = (max(row[name] for row in runs) for name in ("xi_two_ways", "telescoping"))
    heart = max(row["heart_share"] for row in runs)
    sides = max(row["left"] / row["right"] for row in runs)
    measured = (
        f"least Xi_t less its bound: {min(row['xi_least_gap'] for row in runs):.2g}; Xi_t by gradients and by Err "
        f"differ by {two_ways:.0e}; telescoped sum exact to {telescoping:.0e}; C.4: left at most {sides:.2f} of right"
    )
    if max(two_ways, telescoping) > ROUNDING:
        return Verdict("fails", measured, "An identity that the inequality rests on does not hold to rounding.")
    if gap < -ROUNDING:
        return Verdict("fails", measured, "At some step Xi_t is below its bound.")
    if heart > 1 / 8:
        return Verdict("undecided", measured, f"The rates are too large for C.4: {heart:.2f} where 1/8 is allowed.")
    if sides > 1:
        return Verdict("fails", measured, "The telescoped inequality is violated.")
    reason = (
        "Xi_t = <y - out, H - out + Err>, and <a + n, a + e> >= |a|^2/2 - 3/2 |e|^2 - 3/2 |n|^2 whatever a, e, n: this "
        "checks our gradients, and says nothing of how large Err is. With constants 1/4, 2 and 4 in C.4 (whose |W_T - "
        f"V*| is a slip for |V_T - V*|). The rates keep eta_w |grad_W|^2/2 + eta_v |grad_V|^2/2 at {heart:.3f} |y - "
        "out|^2; 1/8 would do."
    )
    return Verdict("holds", measured, reason)


def least_ratios(numbers: Numbers, m: int) -> list[float]:
    """E Xi_t / E |H - out|^2 on held-out inputs, the least along each run at this width."""
    rows = at_width(numbers, m)
    return [min(a / b for a, b in zip(row["one_point"], row["distance"], strict=True)) for row in rows]


def judge_one_point(numbers: Numbers) -> Verdict:
    """c is the least ratio along a run; it is positive at a width if each run's is, and their interval."""
    widths = numbers["widths"]
    fits = {m: constant(least_ratios(numbers, m)) for m in widths}
    measured = ", ".join(f"{interval(fits[m])} at m = {m}" for m in widths)
    outcomes = [_positive(fits[m], least_ratios(numbers, m)) for m in widths]
    last = at_width(numbers, widths[-1])
    below = sum(c <= 0 for c in least_ratios(numbers, widths[-1]))
    reason = (
        f"The least ratio along a run, over {len(last)} runs at each width, whose risk falls by a factor "
        f"{np.mean([row['distance'][0] / row['distance'][-1] for row in last]):.0f}; at the largest width {below} runs "
        "have a ratio that is not positive at some time."
    )
    if outcomes[-1] == "holds":
        from_m = first_lasting(widths, [one == "holds" for one in outcomes])
        return Verdict("holds", f"c = {measured}", f"From m = {from_m} on. {reason}")
    return Verdict(outcomes[-1], f"c = {measured}", f"At the largest width c is not seen to be positive. {reason}")


def _positive(fit: Fit, ratios: list[float]) -> Outcome:
    outcome = at_least(fit, 0.0)
    return "undecided" if outcome == "holds" and min(ratios) <= 0 else outcome


def picture_xi(numbers: Numbers) -> Picture:
    row, steps = numbers["runs"][-1], numbers["steps"]
    names = {
        "xi_means": "Xi_t",
        "half_distance_means": "|H - out|^2 / 2",
        "xi_bound_means": "its bound |H - out|^2 / 2 - 2|Err|^2 - 2|H - y|^2",
    }
    x = [(n + 0.5) * steps / BLOCKS for n in range(BLOCKS)]
    lines = [Line(title, x, row[name]) for name, title in names.items()]
    return Picture("step t", f"means over {steps // BLOCKS} steps, m = {row['m']}", lines)


def picture_one_point(numbers: Numbers) -> Picture:
    lines = []
    for m in numbers["widths"]:
        rows = at_width(numbers, m)
        ratios = [[a / b for a, b in zip(row["one_point"], row["distance"], strict=True)] for row in rows]
        lines.append(Line.of_repeats(f"m = {m}", rows[0]["times"], list(zip(*ratios, strict=True))))
    return Picture("step t", "E Xi_t / E |H - out|^2", lines, levels=[("c = 0", 0.0)])


claims = (
    Claim(
        "thm1.xi",
        "sec. 6.1, C.4",
        "At every step Xi_t = <grad Obj, (W_t - W*, V_t - V*)> is at least |H - out|^2/2 - 2|Err|^2 - 2|H - y|^2, "
        "and summed over a run: sum |H - out|^2 / 4 + |W_T - W*|^2/2eta_w + |V_T - V*|^2/2eta_v is at most "
        "sum (2|Err|^2 + 4|H - y|^2) + |W*|^2/2eta_w + |V*|^2/2eta_v.",
        "at every step, and summed",
        partial(
            measure,
            "xi_least_gap xi_largest xi_two_ways xi_means xi_bound_means half_distance_means heart_share telescoping "
            "left right",
        ),
        judge_xi,
        picture_xi,
        seconds=14,
        identity=True,
    ),
    Claim(
        "thm1.one_point",
        "sec. 6.1; slides",
        "Along a run of Algorithm 1 the loss is one-point convex towards W*, V*, on average over samples: E Xi_t >= c "
        "E |H - out|^2 for one c > 0, for networks that are wide enough.",
        "c > 0",
        partial(measure, "times one_point distance"),
        judge_one_point,
        picture_one_point,
        seconds=14,
    ),
)
