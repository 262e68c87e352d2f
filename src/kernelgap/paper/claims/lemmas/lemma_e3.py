"""Claim E.3, as printed and corrected: E[h_i(alpha_1) 1[<x,w> >= 0]] = p'_i x_1^i, and how large p'_i is."""

import math

from scipy import integrate
from scipy.special import ndtr

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if
from kernelgap.paper.theory.indicator import half_line_mean, hermite, printed_lower_bound

ORDERS = {"quick": (1, 3, 5, 7, 9, 11), "full": tuple(range(1, 22, 2))}
PLACES = (0.2, 0.6, 0.95)  # x_1
FAR = 14.0  # beyond it the normal density times h_21 is below 1e-25
ACCURACY = 1e-11  # of the quadrature, as a share of sqrt(i!), the standard deviation of h_i(alpha_1)


def measure(scale: str, seed: int) -> Numbers:
    """p'_i by quadrature at several x_1, beside its closed form and the printed bound."""
    rows = [
        {
            "i": i,
            "integrals": [_mean(i, x) for x in PLACES],
            "exact": half_line_mean(i),
            "bound": printed_lower_bound(i),
        }
        for i in ORDERS[scale]
    ]
    return {"places": list(PLACES), "rows": rows}


def _mean(i: int, x: float) -> float:
    """E h_i(alpha) 1[alpha x + beta sqrt(1 - x^2) >= 0]: given alpha, the indicator's mean is a normal probability."""

    def inside(z: float) -> float:
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return float(hermite(i, z) * ndtr(z * x / math.sqrt(1 - x * x))) * density

    room = 1e-13 * math.sqrt(math.factorial(i))
    left, _ = integrate.quad(inside, -FAR, 0.0, epsabs=room, epsrel=0.0, limit=400)
    right, _ = integrate.quad(inside, 0.0, FAR, epsabs=room, epsrel=0.0, limit=400)
    return float(left + right)


def judge_printed(numbers: Numbers) -> Verdict:
    rows = [{**row, "size": abs(row["integrals"][-1]) / numbers["places"][-1] ** row["i"]} for row in numbers["rows"]]
    below = [row for row in rows if row["size"] < row["bound"]]
    measured = ", ".join(f"|p'_{row['i']}| = {row['size']:.4g} of {row['bound']:.4g}" for row in rows[:4])
    if not below:
        return Verdict("holds", measured, f"For odd i up to {rows[-1]['i']}.")
    return Verdict(
        "fails",
        measured,
        f"From i = {below[0]['i']} on: there is only one p'_i, and it is (i-2)!!/sqrt(2 pi), smaller than the printed "
        f"bound by a factor that grows as sqrt(i) ({below[-1]['bound'] / below[-1]['size']:.2g} at i = "
        f"{below[-1]['i']}). Lemma E.2 has room for it.",
    )


def judge_corrected(numbers: Numbers) -> Verdict:
    off = max(
        abs(value - row["exact"] * x ** row["i"]) / math.sqrt(math.factorial(row["i"]))
        for row in numbers["rows"]
        for x, value in zip(numbers["places"], row["integrals"], strict=True)
    )
    return holds_if(
        off <= ACCURACY,
        f"equal to {off:.1e} sqrt(i!), i up to {numbers['rows'][-1]['i']}",
        "By quadrature over alpha_1; E[h_i(alpha_1) | <x,w>] = x_1^i h_i(<x,w>) is the proof.",
    )


STATEMENT = (
    "For every odd i >= 1 there is a constant p'_i with E[h_i(alpha_1) 1[<x,w> >= 0]] = p'_i x_1^i for all unit "
    "vectors x and Gaussian w with first coordinate alpha_1, h_i the Hermite polynomial, and "
)

claims = (
    Claim("lemma.e3", "Claim E.3", STATEMENT + "|p'_i| >= (i-1)!!/4.", "|p'_i| >= (i-1)!!/4", measure, judge_printed),
    Claim(
        "lemma.e3.corrected",
        "Claim E.3, corrected",
        STATEMENT + "|p'_i| = (i-2)!!/sqrt(2 pi).",
        "|p'_i| = (i-2)!!/sqrt(2 pi)",
        measure,
        judge_corrected,
        identity=True,
    ),
)
