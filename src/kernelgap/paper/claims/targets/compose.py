"""sec. 2.1; slides

With F(x) = sqrt(d) <w, x> for unit vectors w and x, and G(z) = z^10 or another polynomial of degree 10 with constant
coefficients, C(F) grows like sqrt(d) and C(G) not at all, but C(G(F)) grows like d^5."""

import math

import numpy as np

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict, holds_if
from kernelgap.paper.claims.growth import at_most, exponent
from kernelgap.paper.theory.complexity import PLAIN, C_s, absolute_sum, talk_complexity
from kernelgap.paper.theory.fits import Exponent
from kernelgap.paper.theory.taylor import composed
from kernelgap.problems.activation import Activation

DEGREE = 10
DIMENSIONS = {"quick": tuple(2**j for j in range(4, 21, 2)), "full": tuple(2**j for j in range(4, 41, 2))}
MEASURES = {"talk": 0, "C_s": 1}  # sum i|c_i|, and sum (i+1)|c_i| = C_s at C* = 1


def measure(scale: str, seed: int) -> Numbers:
    """F(x) = sqrt(d) <w, x>, |w| = 1; G = z^10 and a random polynomial of degree 10 with coefficients of size 1."""
    sizes = DIMENSIONS[scale]
    random = np.random.default_rng(seed).uniform(0.5, 1.0, DEGREE + 1)
    outer = {"z^10": Activation.parse("z^10"), "degree 10": Activation.polynomial(random)}
    inner = [Activation.polynomial([0.0, math.sqrt(d)]) for d in sizes]
    values: dict[str, list[float]] = {}
    for name, shift in MEASURES.items():
        of = talk_complexity if name == "talk" else lambda phi: C_s(phi, PLAIN)
        values[f"{name} F"] = [of(phi) for phi in inner]
        for text, G in outer.items():
            values[f"{name} {text}"] = [of(G)] * len(sizes)
            values[f"{name} {text} of F"] = [absolute_sum(composed(G, phi, DEGREE), shift) for phi in inner]
    curves = {name: {"values": each, "exponent": _exponent(sizes, each)} for name, each in values.items()}
    leading = {  # the term of order 10 alone, which a sum of absolute values cannot be below
        name: [(DEGREE + shift) * float(random[-1]) * d ** (DEGREE / 2) for d in sizes]
        for name, shift in MEASURES.items()
    }
    return {"dimensions": list(sizes), "curves": curves, "leading": leading}


def _exponent(sizes: tuple[int, ...], values: list[float]) -> dict[str, float]:
    if min(values) == max(values):  # a constant leaves nothing to fit
        return Exponent(0.0, 0.0, 0.0, values[0]).as_dict()
    return exponent(sizes, values)


def judge(numbers: Numbers) -> Verdict:
    curves = numbers["curves"]
    talk, C = (
        {name: curves[f"{of} {name}"]["exponent"] for name in ("F", "z^10", "z^10 of F", "degree 10 of F")}
        for of in MEASURES
    )
    # C_s of a linear F is 2 sqrt(d) without a constant term: the same powers
    stated = {"F": 0.5, "z^10": 0.0, "z^10 of F": 5.0}
    exact = all(abs(of[name]["value"] - power) <= 1e-9 for of in (talk, C) for name, power in stated.items())
    # lower orders of a general polynomial only make it start less steeply: it grows no faster than d^5, and is never
    # less than its last term, which is d^5
    general = all(at_most(of["degree 10 of F"], 5.0) == "holds" for of in (talk, C)) and all(
        value >= term * (1 - 1e-12)
        for name, terms in numbers["leading"].items()
        for value, term in zip(curves[f"{name} degree 10 of F"]["values"], terms, strict=True)
    )
    largest = curves["talk z^10 of F"]["values"][-1]
    return holds_if(
        exact and general,
        f"C(F) ~ d^{talk['F']['value']:.3g}, C(G) ~ d^{abs(talk['z^10']['value']):.3g}, C(G(F)) ~ "
        f"d^{talk['z^10 of F']['value']:.4g}",
        f"Both for the talk's C and for C_s; a polynomial of degree 10 with all coefficients of size 1 has the "
        f"exponent {talk['degree 10 of F']['value']:.4g}. At d = {numbers['dimensions'][-1]}, C(G(F)) is "
        f"{largest:.2g}. A method that pays the square of C(G(F)) in samples, as the paper says of earlier ones, "
        "pays d^10 where C(F)^2 is d.",
    )


def picture(numbers: Numbers) -> Picture:
    names = {
        "talk F": "C(F)",
        "talk z^10": "C(G)",
        "talk z^10 of F": "C(G(F)), G = z^10",
        "talk degree 10 of F": "C(G(F)), all orders",
    }
    lines = [Line(label, numbers["dimensions"], numbers["curves"][name]["values"]) for name, label in names.items()]
    return Picture("d", "complexity", lines, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "complexity.compose", "exponents 1/2, 0, 5", measure, judge, picture, identity=True)
