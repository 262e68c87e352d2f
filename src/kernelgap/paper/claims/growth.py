"""How a quantity grows with a size: measured over repeats, fitted as a power, judged against the stated one, worded."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from kernelgap.paper.claims.claim import Outcome
from kernelgap.paper.theory.fits import LEVEL, fit_exponent

Fit = Mapping[str, float]  # an exponent or a constant with its interval, as it is stored
Draw = Callable[[np.random.Generator, int, int], Mapping[str, float]]


def over_widths(widths: Sequence[int], repeats: int, seed: int, draw: Draw) -> dict[str, list[list[float]]]:
    """What ``draw(rng, width, repeat)`` measures, by name: a row for each width with a value for each repeat."""
    rows = [[draw(np.random.default_rng([seed, m, n]), m, n) for n in range(repeats)] for m in widths]
    return {name: [[float(one[name]) for one in row] for row in rows] for name in rows[0][0]}


def exponent(x: Sequence[float], y: ArrayLike) -> dict[str, float]:
    """The exponent of y in x, with its interval, as it is stored; y may have a column for each repeat."""
    return fit_exponent(x, np.asarray(y, dtype=float)).as_dict()


def constant(values: Sequence[float]) -> dict[str, float]:
    """The mean of repeated measurements of a constant, with Student's interval at the level of exponents."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return {"value": mean, "low": -math.inf, "high": math.inf}
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * stats.sem(values))
    return {"value": mean, "low": mean - half, "high": mean + half}


def at_most(fit: Fit, stated: float) -> Outcome:
    """Whether an exponent or a constant is at most the stated one, as an upper bound O(x^stated) says.

    "holds" if its whole interval lies at or below the stated one, "fails" if it lies above, and "undecided" if the
    stated one is inside.
    """
    if fit["high"] <= stated:
        return "holds"
    return "fails" if fit["low"] > stated else "undecided"


def at_least(fit: Fit, stated: float) -> Outcome:
    """Whether it is at least the stated one: for lower bounds, and for upper bounds as the size falls to 0."""
    if fit["low"] >= stated:
        return "holds"
    return "fails" if fit["high"] < stated else "undecided"


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome of a statement that has parts: "fails" if one does, "holds" if all do."""
    kinds = set(outcomes)
    if "fails" in kinds:
        return "fails"
    return "undecided" if "undecided" in kinds else "holds"


def listed(outcomes: Mapping[str, Outcome]) -> str:
    """The parts that hold, those that cannot be told, those that fail."""
    labels: dict[Outcome, str] = {"holds": "hold", "undecided": "cannot be told", "fails": "not as stated"}
    parts = {kind: ", ".join(name for name, one in outcomes.items() if one == kind) for kind in labels}
    return "; ".join(f"{names} {labels[kind]}" for kind, names in parts.items() if names)


def interval(fit: Fit, digits: str = ".2f") -> str:
    return f"{fit['value']:{digits}} [{fit['low']:{digits}}, {fit['high']:{digits}}]"


def means(rows: Iterable[ArrayLike]) -> list[float]:
    return [float(np.mean(np.asarray(row, dtype=float))) for row in rows]


def first_lasting(sizes: Sequence[int], good: Sequence[bool]) -> int | None:
    """The size from which on all are good."""
    first = None
    for size, one in zip(reversed(sizes), reversed(good), strict=True):
        if not one:
            break
        first = size
    return first
