"""sec. 6, Table 1

The ranges of Theorem 1 for the sizes of the random start (sigma_w, sigma_v) and for the radii tau_w and tau_v within
which its proof works can be met together, for every problem and admissible alpha, from some width m on."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.theory.complexity import C_STAR, PLAIN
from kernelgap.paper.theory.theorem1 import Hidden, Quantities, Theorem1, power_of_ten, quantities
from kernelgap.problems.concept import ConceptProblem, concept1
from kernelgap.problems.parity import ParityProblem, hard

WIDTHS = (100, 1000, 10_000, 100_000, 1_000_000)
SHARE = 0.5  # alpha, as a share of the largest that Theorem 1 admits


def measure(scale: str, seed: int) -> Numbers:
    """For a few problems, C* = 1 and 10^4, all hidden constants 1: the widths at which Table 1 can be met.

    polylog(m) is taken as 1, as ln m with alpha fixed, and as ln m with alpha = 1 / (2 k p_G C_s(G) ln m).
    """
    return {"problems": [row for C_star in (PLAIN, C_STAR) for row in _problems(C_star, seed)]}


def _problems(C_star: float, seed: int) -> list[Numbers]:
    members: dict[str, Callable[[float], ConceptProblem | ParityProblem]] = {
        "hard, d = 30, k = 2": lambda alpha: hard(d=30, k=2, alpha=alpha, seed=seed),
        "hard, d = 100, k = 4": lambda alpha: hard(d=100, k=4, alpha=alpha, seed=seed),
        "concept1, d = 10, sin and z^2": lambda alpha: concept1(d=10, k=2, alpha=alpha, F="sin(z)", G="z^2", seed=seed),
    }
    sizes = {
        name: quantities(make(SHARE / quantities(make(1.0), C_star).size_G), C_star) for name, make in members.items()
    }
    # C_s(z/2) = C*, in one output of one term: tau_w = 1 is the least that Table 1 takes at C* = 1
    sizes["smallest: F = G = z/2, k = 1"] = Quantities(1, 1, 1, C_star, C_star, SHARE / C_star)
    return [_problem(name, q, C_star) for name, q in sizes.items()]


def _problem(name: str, q: Quantities, C_star: float) -> Numbers:
    plain, logarithmic = Theorem1(q), Theorem1(q, Hidden(polylog=1.0))
    low, high = plain.widths[0] if plain.widths else (None, None)
    return {
        "problem": name,
        "C_star": C_star,
        "tau_w": q.size_F,
        "log10_m": low,
        "unbounded": high is not None and math.isinf(high),
        "with_proof": _first(Theorem1(q, proof=True)),
        "fixed_alpha": [[a, b] if math.isfinite(b) else [a, None] for a, b in logarithmic.widths],
        "shrinking_alpha": _first_with_shrinking_alpha(q),
        "log10_M": plain.log10_M,
        "reachable": [m for m in WIDTHS if plain.table1(m).satisfiable],
        "at_a_million": str(plain.table1(1_000_000)),
        "T": plain.T(),
        "slack": [[10**j, _slack(plain, 10**j)] for j in range(1, 7)],
    }


def _first(theorem: Theorem1) -> float | None:
    return theorem.widths[-1][0] if theorem.widths and math.isinf(theorem.widths[-1][1]) else None


def _slack(theorem: Theorem1, m: float) -> float:
    """How wide sigma_w's range is at m, in powers of ten; negative if it is empty."""
    r = theorem.table1(m).sigma_w
    return r.high - r.low


def _first_with_shrinking_alpha(q: Quantities) -> float | None:
    """log10 of the first width on a grid from which on, up to 10^1000, Table 1 can be met with polylog(m) = ln m."""
    first = None
    for x in np.geomspace(1000.0, 1.0, 600).tolist():
        alpha = SHARE / (q.size_G * x * math.log(10))
        if not Theorem1(replace(q, alpha=alpha), Hidden(polylog=1.0)).table1(log10_m=x).satisfiable:
            break
        first = x
    return first


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["problems"]
    unmet = [r["problem"] for r in rows if None in (r["log10_m"], r["shrinking_alpha"]) or not r["unbounded"]]
    if unmet:
        return Verdict("fails", f"no width large enough for: {', '.join(unmet)}", "The ranges exclude each other.")
    plain, paper = ([r for r in rows if r["C_star"] == C_star] for C_star in (PLAIN, C_STAR))
    reachable = sorted({r["problem"] for r in rows if r["reachable"]})
    names = f" ({', '.join(reachable)})" if reachable else ""
    first = ", ".join(f"{power_of_ten(r['log10_m'])} ({r['problem']})" for r in plain)
    return Verdict(
        "holds",
        f"from m = {first} on at C* = 1; from {power_of_ten(min(r['log10_m'] for r in paper))} to "
        f"{power_of_ten(max(r['log10_m'] for r in paper))} on at C* = 10^4",
        "All hidden constants are taken as 1 and alpha as half of what Theorem 1 admits. The bottleneck is tau_w^8.2 "
        f"<= m. At widths up to a million they can be met for {len(reachable)} of the {len(plain)} problems{names}. "
        "With polylog(m) = ln m they can be met from some width on if alpha shrinks with m as Theorem 1's Theta~ has "
        "it; at a fixed alpha tau_v <= 1/polylog(m) bounds m from above.",
    )


def picture(numbers: Numbers) -> Picture:
    plain = [r for r in numbers["problems"] if r["C_star"] == PLAIN]
    lines = [Line(r["problem"], [m for m, _ in r["slack"]], [s for _, s in r["slack"]]) for r in plain]
    return Picture("m", "width of sigma_w's range, powers of ten", lines, levels=[("empty below", 0.0)], x_axis="log")


claim = Claim.of(__doc__, "thm1.table1", "satisfiable from some m on", measure, judge, picture)
