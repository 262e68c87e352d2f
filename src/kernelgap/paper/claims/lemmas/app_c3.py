"""Claims C.5, C.6 and C.7 along runs of Algorithm 1 at growing width, where their hypotheses hold."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import Fit, at_most, exponent, interval, means, together
from kernelgap.paper.claims.trajectories import PARTS, SIGMA_V, SIGMA_W, SMALL, K, at_width, by_width, of_runs
from kernelgap.paper.theory.hypotheses import Condition, Parameters, Power, first_log10_m, unmet
from kernelgap.paper.theory.theorem1 import power_of_ten

Conditions = Callable[[Numbers, Numbers], list[Condition]]
FEWEST = 5  # runs at each width


def measure(names: str, scale: str, seed: int) -> Numbers:
    return of_runs(SMALL, names, scale, seed)


def radii(row: Numbers, built: str = "") -> Parameters:
    """The radii of a run, fixed, on the path of its sigmas."""
    return Parameters(Power(row[f"tau_w{built}"]), SIGMA_W, Power(row[f"tau_v{built}"]), SIGMA_V, K)


def conditions_c5(numbers: Numbers, row: Numbers) -> list[Condition]:
    return radii(row).of_lemma_c1()


def conditions_c6(numbers: Numbers, row: Numbers) -> list[Condition]:
    """Table 1, with 10 |W*|_F and 10 |V*|_F within the radii; and Lemma C.2's accuracy, whose square falls as 1/m."""
    allowed, layers = Power(numbers["alpha_tilde"] ** 4), zip(("first", "second"), row["built_at_start"], strict=True)
    return [
        *radii(row, "_built").of_claim_c6(),
        *(
            Condition(f"Lemma C.2's error in the {layer} layer <= alpha~^4", Power(value * row["m"], -1.0), allowed)
            for layer, value in layers
        ),
    ]


def conditions_c7(numbers: Numbers, row: Numbers) -> list[Condition]:
    return radii(row).of_claim_c7()


def within(numbers: Numbers, conditions: Conditions) -> Numbers:
    """The same with the runs alone that meet the hypotheses."""
    return {**numbers, "runs": [row for row in numbers["runs"] if not unmet(conditions(numbers, row), row["m"])]}


def enough(numbers: Numbers) -> bool:
    return all(len(at_width(numbers, m)) >= FEWEST for m in numbers["widths"])


def outside(numbers: Numbers, conditions: Conditions) -> Verdict:
    """What the runs at the largest width do not meet, and from which width on the statement would speak of them."""
    last = at_width(numbers, numbers["widths"][-1])
    worst = {c.text: c for row in last for c in unmet(conditions(numbers, row), row["m"])}
    m = numbers["widths"][-1]
    asked = "; ".join(f"{text} ({c.small.at(m):.3g} where {c.large.at(m):.3g} is allowed)" for text, c in worst.items())
    first = max(first_log10_m(conditions(numbers, row)) for row in last)
    speaks = f"from m = {power_of_ten(first)} on" if math.isfinite(first) else "at no width, unless alpha is smaller"
    return Verdict(
        "undecided",
        f"{len(within(numbers, conditions)['runs'])} of {len(numbers['runs'])} runs within the hypotheses",
        f"The hypotheses are not met by {FEWEST} runs at every width. At m = {m}: {asked or 'met'}. With the radii "
        f"seen, sigma_w = m^(-1/4) and sigma_v = m^(1/8) the statement speaks {speaks}.",
    )


def fitted(numbers: Numbers, name: str) -> Fit:
    """The exponent in m of a ratio to its bound, each width's runs by the mean of their logarithms or, where one is not
    positive, by their mean.
    """
    rows = by_width(numbers, name)
    positive = min(map(min, rows)) > 0
    middles = [float(np.exp(np.mean(np.log(row)))) for row in rows] if positive else means(rows)
    return exponent(numbers["widths"], middles)


def judged(numbers: Numbers, titles: dict[str, str], more: str, reason: str) -> Verdict:
    """No ratio to its bound may grow with the width."""
    fits = {name: fitted(numbers, name) for name in titles}
    values = {name: [row[name] for row in numbers["runs"]] for name in titles}
    measured = "; ".join(
        f"{title} {min(values[name]):.2g} to {max(values[name]):.2g} (m^{interval(fits[name])})"
        for name, title in titles.items()
    )
    outcome = together(at_most(fit, 0.0) for fit in fits.values())
    if outcome == "fails":
        reason = "A ratio to the stated bound grows with the width."
    elif outcome == "undecided":
        reason = f"A ratio to the stated bound may grow: 0 lies inside its interval. {reason}"
    return Verdict(outcome, f"{measured}; {more}" if more else measured, reason)


def judge_c5(numbers: Numbers) -> Verdict:
    inside = within(numbers, conditions_c5)
    if not enough(inside):
        return outside(numbers, conditions_c5)
    titles = {f"gradient_{layer}_constant": f"{layer.upper()}: constant" for layer in "wv"}
    more = f"|grad_W| at most {max(row['gradient_w'] for row in inside['runs']):.2f} |y - out|"
    reason = (
        f"{_radii_text(inside, numbers)} The gradient in W does not grow with sigma_v at all, which the proof of "
        "Theorem 1 counts on where it drops sigma_v from its learning rate's condition."
    )
    return judged(inside, titles, more, reason)


def _radii_text(inside: Numbers, numbers: Numbers) -> str:
    W, V = (max(row[name] for row in inside["runs"]) for name in "WV")
    return (
        f"{len(inside['runs'])} of {len(numbers['runs'])} runs are within the hypotheses, with |W_t|_F up to {W:.2f} "
        f"and |V_t|_F up to {V:.2g}."
    )


def judge_c6(numbers: Numbers) -> Verdict:
    inside = within(numbers, conditions_c6)
    if enough(inside):
        titles = {"error_constant": "E|Err|^2: constant", "error_over_tau_w": "|Err| / tau_w"}
        return judged(inside, titles, _parts_text(inside), _radii_text(inside, numbers))
    beyond = outside(numbers, conditions_c6)
    return replace(beyond, measured=f"{beyond.measured}; {_parts_text(numbers)}")


def _parts_text(numbers: Numbers) -> str:
    last = at_width(numbers, numbers["widths"][-1])
    mean = {name: float(np.mean([row["parts"][name] for row in last])) for name in ("error", *PARTS)}
    before = float(np.mean([row["matrix_leak"][0] for row in last]))
    after = float(np.mean([max(row["matrix_leak"]) for row in last]))
    constants = [row["error_constant"] for row in last]
    return (
        f"at the largest width E|Err|^2 is {mean['error']:.2g}, {min(constants):.2g} to {max(constants):.2g} of the "
        f"bound; of its parts |A D_W W(0)(x,1)|^2 is {mean['first_leak']:.2g}, W*'s error {mean['built_first']:.2g}, "
        f"the second layer's {mean['second_leak']:.2g} and {mean['built_second']:.1g}, that of Lemma C.1 (f) "
        f"{mean['club']:.1g} (|A D_V,W V(0)| goes from {before:.2f} to at most {after:.2f}: the worst V, at which (f) "
        "fails, is not met)"
    )


def judge_c7(numbers: Numbers) -> Verdict:
    inside = within(numbers, conditions_c7)
    if not enough(inside):
        return outside(numbers, conditions_c7)
    name = "first_output_constant"
    rows = by_width(inside, name)
    if max(map(max, rows)) <= 0:
        return Verdict("holds", "constant 0", f"|out1 - F| never exceeds 2 |out - H|. {_radii_text(inside, numbers)}")
    if min(map(np.mean, rows)) <= 0:
        return Verdict("undecided", f"means {means(rows)}", "At some widths nothing exceeds 2 |out - H| on average.")
    reason = (
        "On held-out inputs, at every time looked at, |out1 - F| is at most 2 |out - H| plus this constant times tau_v "
        f"(B_F + 1) + alpha B_FG, with B_F and B_FG no larger than seen. {_radii_text(inside, numbers)}"
    )
    return judged(inside, {name: "constants"}, "", reason)


def picture_c6(numbers: Numbers) -> Picture:
    lines = [Line.of_rows("runs", numbers["runs"], "m", "error_constant", points_only=True)]
    return Picture("width m", "E|Err|^2 over its bound, largest along the run", lines, x_axis="log", y_axis="log")


RADII = "tau_w tau_v W V "

claims = (
    Claim(
        "claim.c5",
        "Claim C.5",
        "Along a run of Algorithm 1, |grad_W Obj|_F <= |y - out| O(sigma_v + 1) and |grad_V Obj|_F <= |y - out| "
        "O(tau_w + 1), the constants not growing with the width, while |W|_F <= tau_w and |V|_F <= tau_v in the ranges "
        "of Lemma C.1.",
        "constants, whatever the width",
        partial(measure, RADII + "gradient_w gradient_v gradient_w_constant gradient_v_constant"),
        judge_c5,
        seconds=20,
    ),
    Claim(
        "claim.c6",
        "Claim C.6",
        "Along a run, Err = f(W*-W) + g(V*-V) - (H - out), where f + g is the slope of Fact C.4, satisfies "
        "E|Err|^2 <= O(tau_v + alpha L_G)^2 E|H - out|^2 + O(alpha~^2 + (tau_v^2 + alpha tau_v L_G)(1+B_F))^2 "
        "and |Err| <= O(tau_w), with the parameters of Table 1.",
        "constants, whatever the width",
        partial(
            measure,
            RADII + "tau_w_built tau_v_built built_at_start error distance parts matrix_leak error_constant "
            "error_over_tau_w",
        ),
        judge_c6,
        picture_c6,
        seconds=20,
    ),
    Claim(
        "claim.c7",
        "Claim C.7",
        "Along a run, |out1(x) - F(x)| <= 2 |out(x) - H(x)| + O(tau_v (B_F + 1) + alpha B_FG), in the ranges of Lemma "
        "C.1 and with tau_v <= 1/polylog(m).",
        "a constant, whatever the width",
        partial(measure, RADII + "first_output_constant first_distance distance"),
        judge_c7,
        seconds=20,
    ),
)
