"""sec. 4, Example 4.1

For exp(cz) - 1, sin(cz), cos(cz) and polynomials, C_eps = o(1/eps) and C_s = O(1). For sigmoid and tanh with their
series cut off at degree Theta(log(1/eps)), which gives accuracy eps, C_eps <= poly(1/eps) and C_s = O(1)."""

import math

import numpy as np
from scipy.optimize import brentq

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import at_most, exponent, together
from kernelgap.paper.theory.complexity import C_STAR, PLAIN, C_s, log_C_eps
from kernelgap.paper.theory.taylor import degree_for, smooth

ENTIRE = ("exp(z) - 1", "exp(2z) - 1", "sin(2z)", "cos(z)", "z^3 - 2z")
CUT = ("sigmoid(z)", "tanh(z)")
# log(1/eps), beyond the constant part of C_eps at C* = 10^4
LARGE = {"quick": (1e5, 1e6, 1e7, 1e8), "full": (1e5, 1e6, 1e7, 1e8, 1e9)}
ERRORS = (1e-5, 1e-10, 1e-20, 1e-40, 1e-80, 1e-160, 1e-300)


def measure(scale: str, seed: int) -> Numbers:
    """At the paper's C* = 10^4, and at C* = 1: log C_eps over log(1/eps)."""
    return {
        "entire": [_entire(text, C_star, LARGE[scale]) for text in ENTIRE for C_star in (C_STAR, PLAIN)],
        "cut": [_cut(text, C_star) for text in CUT for C_star in (C_STAR, PLAIN)],
        "C_s": {text: C_s(text, PLAIN) for text in (*ENTIRE, *CUT)},
        "power_bound": _power_bound(),
    }


def _entire(text: str, C_star: float, sizes: tuple[float, ...]) -> Numbers:
    logs = [log_C_eps(text, L, C_star).total for L in sizes]
    # C_eps < 1/eps from here on
    crossing = brentq(
        lambda t: log_C_eps(text, math.exp(t), C_star).total - math.exp(t), -2.0, math.log(sizes[0]), xtol=1e-3
    )
    return {
        "activation": text,
        "C_star": C_star,
        "log_1_eps": list(sizes),
        "log_C_eps": logs,
        "exponent": exponent(sizes, logs),
        "crossing": math.exp(crossing),
    }


def _cut(text: str, C_star: float) -> Numbers:
    phi = smooth(text)
    degrees = [degree_for(phi, error, 1.0) for error in ERRORS]
    sizes = [-math.log(error) for error in ERRORS]
    logs = [log_C_eps(phi, L, C_star, degree=n).total for L, n in zip(sizes, degrees, strict=True)]
    return {
        "activation": text,
        "C_star": C_star,
        "log_1_eps": sizes,
        "degrees": degrees,
        "log_C_eps": logs,
        "exponent": exponent(sizes, logs),
        "degree_exponent": exponent(sizes, degrees),
    }


def _power_bound() -> float:
    """max over i of log((log(1/eps)/i)^i) / log(1/eps): the power of 1/eps that bounds it."""
    orders = np.arange(1.0, 2000.0)
    return max(float((orders * np.log(L / orders)).max() / L) for L in np.geomspace(1.0, 1000.0, 200))


def judge(numbers: Numbers) -> Verdict:
    entire, cut = numbers["entire"], numbers["cut"]
    # C_eps = o(1/eps): log C_eps grows more slowly than log(1/eps), and has fallen below it
    # C_eps <= poly(1/eps): log C_eps / log(1/eps) stays bounded; the degree is Theta(log(1/eps))
    fits = [r["exponent"] for r in (*entire, *cut)] + [r["degree_exponent"] for r in cut]
    growth_outcome = together(at_most(fit, 1.0) for fit in fits)
    below = all(r["log_C_eps"][-1] < r["log_1_eps"][-1] for r in entire)
    powers = [max(a / b for a, b in zip(r["log_C_eps"], r["log_1_eps"], strict=True)) for r in cut]
    bounded = all(map(math.isfinite, numbers["C_s"].values())) and numbers["power_bound"] <= 1 / math.e + 1e-12
    of_paper = [r for r in entire if r["C_star"] == C_STAR]
    growth = max(r["exponent"]["value"] for r in of_paper)
    late = max(r["crossing"] for r in of_paper)
    last = {(r["activation"], r["C_star"]): r["log_C_eps"][-1] / r["log_1_eps"][-1] for r in cut}
    return Verdict(
        growth_outcome if below and bounded else "fails",
        f"log C_eps ~ log(1/eps)^{growth:.3g} at most; sigmoid, tanh: eps^-{last['sigmoid(z)', C_STAR]:.3g}, "
        f"eps^-{last['tanh(z)', C_STAR]:.3g}; C_s at C* = 1 at most {max(numbers['C_s'].values()):.3g}",
        f"exp, sin and cos follow log C_eps ~ log(1/eps)^(1/3). At C* = 10^4 this is asymptotic indeed: C_eps stays "
        f"above 1/eps until eps = 10^-{late / math.log(10):.0f}. The power of 1/eps for cut-off sigmoid and tanh is "
        f"as large as log C* makes it (at C* = 1: {last['sigmoid(z)', PLAIN]:.2g} and {last['tanh(z)', PLAIN]:.2g}); "
        f"over all eps here it is at most {max(powers):.3g}.",
    )


def picture(numbers: Numbers) -> Picture:
    rows = [r for r in (*numbers["entire"], *numbers["cut"]) if r["C_star"] == C_STAR]
    lines = [Line(r["activation"], r["log_1_eps"], r["log_C_eps"]) for r in rows]
    ends = [min(r["log_1_eps"][0] for r in rows), max(r["log_1_eps"][-1] for r in rows)]
    lines.append(Line("1/eps", ends, ends))
    return Picture("log(1/eps)", "log C_eps at C* = 10^4", lines, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "complexity.example41", "o(1/eps); poly(1/eps); O(1)", measure, judge, picture)
