"""How a quantity grows with a size: measured over repeats, fitted as a power, put into words."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from kernelgap.paper.theory.exponents import fit_exponent

Fit = Mapping[str, float]  # an exponent with its interval, as it is stored
Draw = Callable[[np.random.Generator, int, int], Mapping[str, float]]


def over_widths(widths: Sequence[int], repeats: int, seed: int, draw: Draw) -> dict[str, list[list[float]]]:
    """What ``draw(rng, width, repeat)`` measures, by name: a row for each width with a value for each repeat."""
    rows = [[draw(np.random.default_rng([seed, m, n]), m, n) for n in range(repeats)] for m in widths]
    return {name: [[float(one[name]) for one in row] for row in rows] for name in rows[0][0]}


def exponent(x: Sequence[float], y: ArrayLike) -> dict[str, float]:
    """The exponent of y in x, with its interval, as it is stored; y may have a column for each repeat."""
    return fit_exponent(x, np.asarray(y, dtype=float)).as_dict()


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
