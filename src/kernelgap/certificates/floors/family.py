"""The family that a floor is about: what the target is drawn from, and which hypotheses that rests on.

A bound for any kernel can only be about a target that the kernel did not know. So the target is drawn from a family:
the problem with its d1 coordinates permuted uniformly at random. A composite signal that is a parity of k of them
becomes a parity of any k of them, each of the C = binom(d1, k) sets being as likely as the other.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, lgamma, log
from numbers import Real
from sys import float_info

import numpy as np

from kernelgap.certificates.floors.johnson import Overlap, Signals
from kernelgap.display import Displayed
from kernelgap.errors import InputError
from kernelgap.problems import FourierProblem, ParityProblem, Problem
from kernelgap.problems.problem import OF_PARITIES

MOST_DIGITS = 4000  # of a family's size: Python shows no number of more than 4,300
MOST_OUTPUTS = 10**6
MOST_COORDINATES = 10**12


@dataclass(frozen=True)
class Hypothesis:
    """Something that a bound rests on: ``checked`` on the problem at hand, or left to whoever uses the bound."""

    statement: str
    checked: bool


@dataclass(frozen=True)
class Family:
    """Targets H = beta F + alpha G(F) whose composite signals are parities of ``degrees[j]`` of d1 coordinates."""

    d1: int
    degrees: tuple[int, ...]  # one for each output
    alpha: Fraction
    hypotheses: tuple[Hypothesis, ...]
    beta: Fraction = Fraction(0)
    signals: Signals | None = None  # where the base signals are known, and have one degree

    def __post_init__(self) -> None:
        """Refuse, before anything is computed, numbers that cannot be shown."""
        if self.outputs > MOST_OUTPUTS:
            raise InputError(f"A family may have up to {MOST_OUTPUTS:,} outputs, not {self.outputs:,}.")
        for degree in set(self.degrees):
            digits = (lgamma(self.d1 + 1) - lgamma(degree + 1) - lgamma(self.d1 - degree + 1)) / log(10)
            if not digits <= MOST_DIGITS:
                raise InputError(
                    f"Parities of {degree:,} of {self.d1:,} coordinates are a number of more than {MOST_DIGITS:,} "
                    "digits: take fewer coordinates, or a lower degree."
                )
        if self.alpha and not float_info.min <= self.threshold <= float_info.max:
            raise InputError(
                f"alpha = {float(self.alpha):.3g} is too large or too small: outputs x alpha^2 must be a number that "
                "float64 holds."
            )

    @property
    def outputs(self) -> int:
        return len(self.degrees)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """For each output the number of parities that its composite signal can be."""
        of_degree = {degree: comb(self.d1, degree) for degree in set(self.degrees)}
        return tuple(of_degree[degree] for degree in self.degrees)

    @cached_property
    def counted(self) -> tuple[tuple[int, int], ...]:
        """The different sizes, and how many outputs have each."""
        return tuple(Counter(self.sizes).items())

    @property
    def size(self) -> int:
        """The number of composite signals; the least over the outputs, should they differ."""
        return min(self.sizes)

    @property
    def threshold(self) -> Fraction:
        """outputs * alpha^2: the risk of knowing F and nothing of G(F)."""
        return self.outputs * self.alpha**2


@dataclass(frozen=True, repr=False)
class FamilyBound(Displayed):
    """A bound on average over a family.

    Attributes
    ----------
    family
        What the target is drawn from.
    """

    family: Family

    def _facts(self, hypotheses: Sequence[Hypothesis]) -> dict[str, object]:
        """What both kinds of bound show of the family, and of what they rest on."""
        family = self.family
        degrees = " or ".join(str(degree) for degree in sorted(set(family.degrees)))
        return {
            "threshold": self.threshold,
            "family": f"{self.family_size:,} parities of degree {degrees} of {family.d1:,} coordinates",
            "outputs": family.outputs,
            "alpha": float(family.alpha),
            "rests on": " ".join(h.statement for h in hypotheses if not h.checked),
        }

    @property
    def family_size(self) -> int:
        """The number of parities that a composite signal can be."""
        return self.family.size

    @property
    def threshold(self) -> float:
        """outputs * alpha^2: the risk of knowing F, if there is one, and nothing of G(F)."""
        return float(self.family.threshold)


UNIFORM = Hypothesis("The target is drawn uniformly from the family: no coordinate is likelier than another.", False)


def family_of(problem: Problem) -> Family:
    """The family of a problem, or a refusal that says which hypothesis it fails."""
    if not isinstance(problem, FourierProblem):
        raise InputError(
            f"No bound for {problem.name}: it is not known that its inputs are uniform on a cube and that its signals "
            f"are parities of them. Problems of that kind: {OF_PARITIES}."
        )
    composite = problem.composite_fourier
    degrees = []
    for output in range(problem.outputs):
        sets = [s for s, row in zip(composite.index_sets, composite.coefficients, strict=True) if row[output] != 0]
        if problem.alpha > 0 and len(sets) != 1:
            raise InputError(f"No bound for {problem.name}: the composite signal of output {output} is no parity.")
        degrees.append(len(sets[0]) if sets else 0)
    strengths = np.abs(composite.coefficients).max(axis=0)
    if (strengths != strengths[0]).any():
        raise InputError(f"No bound for {problem.name}: the composite signals of its outputs have different strengths.")
    base_degrees = sorted({len(s) for s in problem.base_fourier.index_sets})
    for output, degree in enumerate(degrees):
        if problem.beta > 0 and degree in base_degrees:
            raise InputError(
                f"No bound for {problem.name}: the composite signal of output {output} has degree {degree} as a base "
                "signal has, so it is not orthogonal to what the base signals of the family span."
            )
    one = isinstance(problem, ParityProblem)
    base_signals = f"{'one' if one else 'a sum of some'} of degree {_list(base_degrees)}" if base_degrees else "0"
    coordinates = f"The first {problem.d1} coordinates" if problem.d1 < problem.d else f"All {problem.d} coordinates"
    others = ", the others are independent of them" if problem.d1 < problem.d else ""
    parities = (
        f"Each composite signal is a parity of degree {_list(sorted(set(degrees)))}, each base signal "
        f"{base_signals}: orthogonal, whichever coordinates they use."
    )
    uniform = f"{coordinates} are independent and uniform on two values{others}."
    checked = (Hypothesis(uniform, checked=True), Hypothesis(parities, checked=True))
    signals = _signals(problem, degrees) if isinstance(problem, ParityProblem) else None
    numbers = as_written(problem.alpha), (*checked, UNIFORM), as_written(problem.beta)
    return Family(problem.d1, tuple(degrees), *numbers, signals)


def _signals(problem: ParityProblem, degrees: Sequence[int]) -> Signals | None:
    """What the outputs' base and composite sets share; None if they have different degrees, or there is no signal."""
    has_base = problem.beta > 0
    base_degrees = {len(s) for s in problem.base_sets} if has_base else {None}
    if problem.alpha == 0 or len(set(degrees)) > 1 or len(base_degrees) > 1:
        return None
    composite, overlaps = problem.composite_fourier, []
    for output, base in enumerate(problem.base_sets):
        rows = zip(composite.index_sets, composite.coefficients, strict=True)
        own, value = next((s, row[output]) for s, row in rows if row[output] != 0)
        overlaps.append(Overlap(1 if value > 0 else -1, len(set(base) & set(own)) if has_base else 0))
    return Signals(base_degrees.pop(), degrees[0], tuple(overlaps))


def family_by_numbers(d: int, degree: int, outputs: int, alpha: float) -> Family:
    """A family without a problem: parities of ``degree`` out of ``d`` uniform coordinates."""
    for name, value in {"d": d, "degree": degree, "outputs": outputs}.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{name} must be a whole number of at least 1, not {value!r}.")
    if degree > d:
        raise InputError(f"degree must not exceed d, {degree} is more than {d}.")
    exact = exact_number("alpha", alpha, "a positive number", lambda value: 0 < value < float("inf"))
    if outputs > MOST_OUTPUTS or d > MOST_COORDINATES:
        raise InputError(f"A family may have up to {MOST_OUTPUTS:,} outputs and {MOST_COORDINATES:,} coordinates.")
    parities = f"Each composite signal is a parity of degree {degree}; no base signal has a part of that degree."
    uniform = f"The {d} coordinates are independent and uniform on two values."
    left = (Hypothesis(uniform, checked=False), Hypothesis(parities, checked=False))
    return Family(d, (degree,) * outputs, exact, (*left, UNIFORM))


def as_written(number: float) -> Fraction:
    """The decimal number that was written: 0.3 is 3/10."""
    return Fraction(repr(float(number)))


def exact_number(name: str, value: float, what: str, allowed: Callable[[float], bool]) -> Fraction:
    """A real number of a user, as written, if it is allowed."""
    if isinstance(value, bool) or not isinstance(value, Real) or not allowed(value):
        raise InputError(f"{name} must be {what}, not {value!r}.")
    return as_written(float(value))


def _list(numbers: list[int]) -> str:
    return " or ".join(str(number) for number in numbers)
