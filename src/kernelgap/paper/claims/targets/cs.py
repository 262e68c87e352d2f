"""sec. 4; slides

From the Taylor coefficients c_i of an activation: C_s = C* sum (i+1)|c_i|, C_eps = sum ((C*)^i + (C*
sqrt(log(1/eps)/i))^i)|c_i|, and the talk's C = sum i|c_i|, for series that end, that do not, and whose radius of
convergence is finite."""

import math

from flint import arb, ctx

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if
from kernelgap.paper.theory.complexity import C_STAR, PLAIN, C_s, log_C_eps, talk_complexity

# sum |c_i| and sum i |c_i| in closed form: M(1) and M'(1), where M is the series of absolute values
CLOSED = {
    "exp(2z) - 1": (math.expm1(2), 2 * math.exp(2)),
    "sin(3z)": (math.sinh(3), 3 * math.cosh(3)),
    "cos(z)": (math.cosh(1), math.sinh(1)),
    "tanh(z)": (math.tan(1), 1 / math.cos(1) ** 2),
    "sigmoid(z)": (0.5 + math.tan(0.5) / 2, 0.25 / math.cos(0.5) ** 2),
    "z^5 - 3z^2 + 2": (6.0, 11.0),
}
# 1/(eps) = e^L, and C*: the paper's and smaller ones
POINTS = {
    "quick": ((1.0, 1.0), (10.0, 3.0), (100.0, 10.0)),
    "full": ((1.0, 1.0), (10.0, 3.0), (100.0, 10.0), (1e3, 100.0), (1e4, C_STAR)),
}
ACCURACY = 1e-12


def measure(scale: str, seed: int) -> Numbers:
    """C_s and the talk's C beside closed forms; C_eps beside its sum in ball arithmetic; and C_eps at C* = 10^4."""
    sums = [
        {
            "activation": text,
            "C_s": C_s(text, PLAIN),
            "C_s_off": abs(C_s(text, PLAIN) / (size + slope) - 1),
            "C_star_off": abs(C_s(text) / (C_STAR * (size + slope)) - 1),
            "talk": talk_complexity(text),
            "talk_off": abs(talk_complexity(text) / slope - 1),
        }
        for text, (size, slope) in CLOSED.items()
    ]
    scales = {"exp(2z) - 1": 2, "sin(3z)": 3}
    eps = [
        {"activation": text, "log_1_eps": L, "C_star": C_star, "off": _off(text, scales[text], L, C_star)}
        for text in scales
        for L, C_star in POINTS[scale]
    ]
    # sum_i>0 (2 C*)^i / i! = exp(2 C*) - 1
    constant = log_C_eps("exp(2z) - 1", 1.0).constant
    return {"sums": sums, "C_eps": eps, "log_constant": constant, "log_constant_off": abs(constant / (2 * C_STAR) - 1)}


def _off(text: str, scale: int, L: float, C_star: float) -> float:
    """How far log C_eps is from the sum of its terms with 200 bits, relative to the larger of 1 and the logarithm."""
    reference = _balls(scale, text.startswith("sin"), L, C_star)
    return abs(log_C_eps(text, L, C_star).total - reference) / max(1.0, abs(reference))


def _balls(scale: int, odd_only: bool, L: float, C_star: float) -> float:
    bits, ctx.prec = ctx.prec, 200
    try:
        total, term, order = arb(0), arb(1), 0
        # the largest terms: (scale C*)^i / i! at i = scale C*, the others at i^3 = (scale C*)^2 L / e
        peak = max(scale * C_star, ((scale * C_star) ** 2 * L) ** (1 / 3))
        while order < 40 + 8 * peak:
            order += 1
            term = term * arb(scale) / order  # scale^i / i!
            if odd_only and order % 2 == 0:
                continue
            total += term * (arb(C_star) ** order + (arb(C_star) * (arb(L) / order).sqrt()) ** order)
        return float(total.log())
    finally:
        ctx.prec = bits


def judge(numbers: Numbers) -> Verdict:
    worst = max(max(r["C_s_off"], r["C_star_off"], r["talk_off"]) for r in numbers["sums"])
    worst_eps = max((*(r["off"] for r in numbers["C_eps"]), numbers["log_constant_off"]))
    values = ", ".join(f"{r['activation']}: {r['C_s']:.4g}" for r in numbers["sums"])
    return holds_if(
        max(worst, worst_eps) <= ACCURACY,
        f"C_s and C off by at most {worst:.1e} from closed forms, log C_eps by {worst_eps:.1e} from ball arithmetic",
        f"C_s at C* = 1 is {values}. At C* = 10^4 the part of C_eps that eps does not touch is already "
        f"10^{numbers['log_constant'] / math.log(10):.0f} for exp(2z) - 1.",
    )


claim = Claim.of(__doc__, "complexity.cs", "sums as defined", measure, judge, identity=True)
