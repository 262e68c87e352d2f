"""Smooth activations: named by a text, with their Taylor series at 0 (sec. 4) and the split of Lemma A.2."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from kernelgap.errors import InputError, short
from kernelgap.problems.elementary import KINDS, Term

LARGEST = 1e100  # number in an activation
HIGHEST = 1000  # power in one

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_TERM = re.compile(
    rf"""(?P<sign>[+-]?) (?P<weight>{_NUMBER})? \*?
    (?: (?P<name>[a-z]+)\( (?P<scale>[+-]?(?:{_NUMBER})?) \*? z \) (?:\^(?P<power>\d{{1,4}}))?
      | (?P<z>z) (?:\^(?P<degree>\d{{1,4}}))? )?""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Activation:
    """phi(z) = sum_i c_i z^i as a sum of elementary terms; callable on numpy and JAX arrays.

    Parameters
    ----------
    terms
        The elementary functions that are added up; ``parse`` reads them from a text.

    Examples
    --------
    >>> phi = Activation.parse("exp(2z) - 1")
    >>> phi.coefficients(3).tolist()
    [0.0, 2.0, 2.0, 1.3333333333333333]
    >>> str(phi.derivative)
    '2*exp(2z)'
    """

    terms: tuple[Term, ...]

    @classmethod
    def parse(cls, text: "str | Activation") -> "Activation":
        """Sums of numbers, z^n, exp(cz), sin(cz), cos(cz), sinh(cz), cosh(cz), tanh(cz)^n and sigmoid(cz)."""
        if isinstance(text, Activation):
            return text
        compact = re.sub(r"\s+", "", text)
        terms: list[Term] = []
        position = 0
        while position < max(len(compact), 1):
            match = _TERM.match(compact, position)
            start = position + (len(match["sign"]) if match else 0)
            if match is None or match.end() in (position, start) or (position and not match["sign"]):
                example = "'exp(2z) - 1', 'z^3 - 2z' or 'tanh(z)'"
                raise InputError(f"'{short(text)}' is not an activation such as {example}.")
            terms += _terms(match, text)
            position = match.end()
        return cls.of(terms)

    @classmethod
    def of(cls, terms: Iterable[Term]) -> "Activation":
        """Like terms are added up, and what is 0 is left out."""
        weights: dict[Term, float] = {}
        for term in terms:
            if term.kind == "power":  # (s z)^n is s^n z^n
                term = Term(term.weight * term.scale**term.power, "power", 1.0, term.power - term.lowered)
                if term.power < 0:
                    continue
            key = replace(term, weight=1.0)
            weights[key] = weights.get(key, 0.0) + term.weight
        return cls(tuple(replace(key, weight=weight) for key, weight in weights.items() if weight != 0))

    @classmethod
    def polynomial(cls, coefficients: Sequence[float] | Float[np.ndarray, " orders"]) -> "Activation":
        """sum_i coefficients[i] z^i."""
        return cls.of(Term(float(c), "power", 1.0, i) for i, c in enumerate(coefficients) if c != 0)

    def __call__(self, z: Any) -> Any:
        if isinstance(z, np.ndarray | np.generic | float | int):
            z = np.asarray(z, dtype=float)
        xp = z.__array_namespace__()
        return sum((term(z, xp) for term in self.terms), xp.zeros_like(z))

    def __str__(self) -> str:
        text = " ".join(_format(term) for term in self.terms) or "0"
        return text.replace("- ", "-", 1) if text.startswith("- ") else text.removeprefix("+ ")

    @property
    def radius(self) -> float:
        """Radius of convergence of the series at 0 (infinite for entire functions)."""
        return min((term.radius for term in self.terms), default=math.inf)

    @property
    def degree(self) -> int | None:
        """The degree of a polynomial; None if the series does not end."""
        degrees = [term.degree for term in self.terms]
        return None if None in degrees else max((n for n in degrees if n is not None), default=0)

    def coefficients(self, degree: int) -> Float[np.ndarray, " orders"]:
        """c_0 ... c_degree."""
        return sum((term.coefficients(degree) for term in self.terms), np.zeros(degree + 1))

    def log_coefficients(self, degree: int) -> tuple[Float[np.ndarray, " orders"], Int[np.ndarray, " orders"]]:
        """log |c_i| and the sign of c_i; unlike ``coefficients`` it reaches below the smallest float."""
        logs = np.full((len(self.terms) + 1, degree + 1), -np.inf)
        signs = np.zeros((len(self.terms) + 1, degree + 1), dtype=int)
        for row, term in enumerate(self.terms):
            logs[row], signs[row] = term.log_coefficients(degree)
        largest = logs.max(axis=0)
        shift = np.where(np.isfinite(largest), largest, 0.0)
        total = (signs * np.exp(logs - shift)).sum(axis=0)
        with np.errstate(divide="ignore"):
            return np.log(np.abs(total)) + shift, np.sign(total).astype(int)

    def log_majorant(self, r: float) -> float:
        """A bound on log sum_i |c_i| r^i (exact for one term), infinite outside the radius of convergence."""
        return float(np.logaddexp.reduce([term.log_majorant(r) for term in self.terms], initial=-np.inf))

    @property
    def derivative(self) -> "Activation":
        return Activation.of(part for term in self.terms for part in term.derivative())

    def scaled(self, inner: float = 1.0, outer: float = 1.0) -> "Activation":
        """outer phi(inner z)."""
        if inner == 0:
            return Activation.polynomial([outer * float(self.coefficients(0)[0])])
        # (L^n f)(s z) = s^-n L^n [f(s .)](z)
        return Activation.of(
            replace(t, weight=outer * t.weight * inner**-t.lowered, scale=inner * t.scale) for t in self.terms
        )

    def __add__(self, other: "Activation") -> "Activation":
        return Activation.of((*self.terms, *other.terms))

    @property
    def plus(self) -> "Activation":
        """phi+ of Lemma A.2: the orders 0, 1, 3, 5, ..."""
        return Activation.of(part for term in self.terms for part in term.parts()[0])

    @property
    def minus(self) -> "Activation":
        """phi- of Lemma A.2: the orders 2, 4, 6, ... lowered by one, so that phi(z) = phi+(z) + z phi-(z)."""
        return Activation.of(part for term in self.terms for part in term.parts()[1])

    @property
    def only_zero_and_odd(self) -> bool:
        """What Definition A.1 asks of an activation."""
        return not self.minus.terms


def _terms(match: re.Match[str], text: str) -> list[Term]:
    weight = float(match["weight"] or 1.0) * (-1.0 if match["sign"] == "-" else 1.0)
    inner = (match["scale"] or "1").strip("+-") or "1"
    highest = max(int(match[name] or 1) for name in ("degree", "power"))
    if not (abs(weight) <= LARGEST and float(inner) <= LARGEST and highest <= HIGHEST):
        raise InputError(
            f"In '{short(text)}' the term {short(match[0])} is too large: numbers go up to {LARGEST:.0e}, powers up to "
            f"{HIGHEST}."
        )
    if match["name"] is None:
        return [Term(weight, "power", 1.0, 0 if match["z"] is None else int(match["degree"] or 1))]
    name, power = match["name"], int(match["power"] or 1)
    scale = float(f"{match['scale']}1" if match["scale"] in ("", "+", "-") else match["scale"])
    if name == "sigmoid" and power == 1:  # 1/2 + tanh(z/2)/2
        return [Term(weight / 2, "power", 1.0, 0), Term(weight / 2, "tanh", scale / 2)]
    if name not in KINDS[:-1] or (power != 1 and name != "tanh") or power == 0:
        raise InputError(
            f"In '{short(text)}' the term {short(match[0])} is unknown: there are exp, sin, cos, sinh, cosh, sigmoid, "
            "tanh with powers, and powers of z."
        )
    return list(Activation((Term(weight, name, 1.0, power),)).scaled(scale).terms)


def _format(term: Term) -> str:
    """The term as ``parse`` reads it; lowered ones, which come of the split alone, as L^n[...]."""
    weight = abs(term.weight)
    size = f"{weight:.12g}" if float(f"{weight:.12g}") == weight else f"{weight:.17g}"
    scale = "" if term.scale == 1 else ("-" if term.scale == -1 else f"{term.scale!r}".removesuffix(".0"))
    power = "" if term.power == 1 else f"^{term.power}"
    what = f"z{power}" if term.kind == "power" else f"{term.kind}({scale}z){power}"
    if term.lowered:
        what = f"L^{term.lowered}[{what}]"
    constant = term.kind == "power" and term.power == 0
    body = size if constant else what if size == "1" else f"{size}*{what}"
    return f"{'-' if term.weight < 0 else '+'} {body}"
