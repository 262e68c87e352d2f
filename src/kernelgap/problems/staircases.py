"""Targets by their staircase: nested parities with any leap and degree, merged staircases, leaks and hierarchies.

Inputs are uniform on {-1,1}^d. The composite signal is the last step: the parities of the greatest degree.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError, shown
from kernelgap.problems.fourier import FourierExpansion, IndexSet
from kernelgap.problems.fourier_problem import FourierProblem
from kernelgap.problems.problem import MOST_INPUTS, MOST_OUTPUTS, MOST_TERMS, check_strength, check_whole


@dataclass(frozen=True, eq=False, repr=False)
class ExpandedProblem(FourierProblem):
    """H = beta F + alpha G(F), both given as sums of parities of uniform signs.

    Parameters
    ----------
    name, arguments
        The call that makes the problem, from which its text comes.
    d
        The number of coordinates.
    base_fourier, composite_fourier
        beta F and alpha G(F).
    alpha, beta
        The strengths of the composite and of the base signal: the root mean square of an output.
    noise
        The standard deviation of the labels' noise.
    """

    name: str
    d: int
    base_fourier: FourierExpansion
    composite_fourier: FourierExpansion
    alpha: float
    beta: float
    noise: float
    arguments: Mapping[str, object] = field(default_factory=dict)
    scale: float = 1.0
    background: None = None

    @property
    def d1(self) -> int:  # type: ignore[override]
        return self.d

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return self.composite_fourier.outputs

    def base(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.base_fourier(self._checked(X) / self.scale)

    def composite(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.composite_fourier(self._checked(X) / self.scale)

    @property
    def threshold(self) -> float:
        """E |alpha G(F)|^2: what is left by a learner that knows all but the parities of the greatest degree."""
        return self.composite_fourier.squared_norm()


def staircase(d: int, degrees: Any = (1, 2, 3), *, variance: float = 1.0, noise: float = 0.0) -> ExpandedProblem:
    """Nested parities of equal weight: x1 + x1 x2 + x1 x2 x3 for degrees 1, 2, 3, scaled to a variance.

    Parameters
    ----------
    d
        The number of coordinates.
    degrees
        A list of degrees, rising. The leap is the greatest step, the first one from 0.
    variance
        E H^2; each parity has an equal share.
    noise
        The standard deviation of the labels' noise.

    Examples
    --------
    >>> staircase(30, [2, 4, 6]).leap, staircase(30, [6]).leap
    (2, 6)
    """
    arguments = dict(locals())
    _check_d(d)
    return _equal("staircase", d, _nested(_degrees(degrees, d), 0), variance, noise, arguments)


def leaps(d: int, leap: int = 2, degree: int = 6, *, variance: float = 1.0, noise: float = 0.0) -> ExpandedProblem:
    """A staircase of a leap and a degree: nested parities of leap, 2 leap, ..., degree coordinates.

    Parameters
    ----------
    leap, degree
        How many coordinates each step adds (the last one may add fewer), and the degree of the last.
    d, variance, noise
        As in ``staircase``.

    Examples
    --------
    >>> [problem.staircase().steps for problem in [leaps(20, leap=3, degree=6)]]
    [((0, 1, 2), (0, 1, 2, 3, 4, 5))]
    """
    arguments = dict(locals())
    _check_d(d)
    check_whole("degree", degree, d, least=1)
    check_whole("leap", leap, degree, least=1)
    return _equal("leaps", d, _nested([*range(leap, degree, leap), degree], 0), variance, noise, arguments)


def merged(
    d: int, degrees: Any = (1, 2, 3), count: int = 2, *, variance: float = 1.0, noise: float = 0.0
) -> ExpandedProblem:
    """Several staircases on coordinates of their own, and the product of their last steps.

    Parameters
    ----------
    degrees
        Of each staircase.
    count
        The number of staircases, at least 2.
    d, variance, noise
        As in ``staircase``.

    Examples
    --------
    >>> problem = merged(20, [1, 2], count=2)
    >>> problem.staircase().steps[-1], problem.leap
    ((0, 1, 2, 3), 1)
    """
    arguments = dict(locals())
    _check_d(d)
    sizes = _degrees(degrees, d)
    check_whole("count", count, MOST_TERMS, least=2)
    if count * sizes[-1] > d:
        raise InputError(f"{count} staircases of degree {sizes[-1]} need {count * sizes[-1]:,} coordinates, not {d:,}.")
    sets = [each for i in range(count) for each in _nested(sizes, i * sizes[-1])]
    return _equal("merged", d, [*sets, tuple(range(count * sizes[-1]))], variance, noise, arguments)


def leaking(d: int, k: int = 6, leak: float = 0.1, known: int | None = None, *, noise: float = 0.0) -> ExpandedProblem:
    """A parity that gives some of its coordinates away: x1 ... xk + leak (x1 + ... + x_known).

    Parameters
    ----------
    d, k
        Coordinates, and how many of them are multiplied.
    leak
        The weight of the linear terms, positive. The variance is 1 + known leak^2.
    known
        How many coordinates have one [half of k]. The leap is k - known, or 1 if that is less.
    noise
        The standard deviation of the labels' noise.

    Examples
    --------
    >>> leaking(40, k=6).leap, leaking(40, k=6).staircase().degree
    (3, 6)
    """
    arguments = dict(locals())
    if known is None:
        del arguments["known"]
    _check_d(d)
    check_whole("k", k, d, least=2)
    known = k // 2 if known is None else known
    check_whole("known", known, k, least=1)
    check_strength("leak", leak)
    if leak == 0:
        raise InputError("leak must be positive, not 0: take parity(d, k) for a parity that gives nothing away.")
    base: dict[IndexSet, list[float]] = {(i,): [leak] for i in range(known)}
    return _expanded("leaking", d, base, {tuple(range(k)): [1.0]}, noise, arguments)


def hierarchy(
    d: int,
    alpha: float,
    depth: int = 3,
    block: int = 2,
    arity: int = 2,
    outputs: int | None = None,
    *,
    noise: float = 0.0,
) -> ExpandedProblem:
    """A hierarchy of any depth: H = F1 + alpha F2(F1) + alpha^2 F3(F2(F1)) + ...

    Output j of F1 is the product of the j-th block of coordinates. Output j of F2 multiplies the outputs j, j + 1, ...
    of F1, and output j of F_l the outputs j, j + arity^(l-2), ... of F_(l-1), modulo their number: so each output of
    the composition is the product of arity^(l-1) neighbouring blocks.

    Parameters
    ----------
    d
        The number of coordinates.
    alpha
        The strength of each level relative to the one before. The composite signal is the last level alone.
    depth
        The number of levels, at least 2.
    block, arity
        How many coordinates F1 multiplies, and how many outputs each further level.
    outputs
        Their number, at least arity^(depth-1) [as many as d has blocks].
    noise
        The standard deviation of the labels' noise.

    Examples
    --------
    >>> problem = hierarchy(16, alpha=0.3)
    >>> problem.outputs, problem.leap, problem.staircase().degree
    (8, 2, 8)
    """
    arguments = dict(locals())
    if outputs is None:
        del arguments["outputs"]
    _check_d(d)
    check_strength("alpha", alpha)
    for name, value, least in (("depth", depth, 2), ("block", block, 1), ("arity", arity, 2)):
        check_whole(name, value, MOST_TERMS, least=least)
    outputs = d // block if outputs is None else outputs
    check_whole("outputs", outputs, MOST_OUTPUTS)
    if depth > 1 + math.log2(MOST_OUTPUTS) or not arity ** (depth - 1) <= outputs <= d // block:
        raise InputError(
            f"A hierarchy needs arity^(depth-1) <= outputs <= d / block, not arity={arity}, depth={depth}, "
            f"outputs={outputs}, d={d}, block={block}."
        )
    levels = [_level(outputs, block, arity**level, alpha**level) for level in range(depth)]
    base = {index_set: row for level in levels[:-1] for index_set, row in level.items()}
    return _expanded("hierarchy", d, base, levels[-1], noise, arguments)


def _level(outputs: int, block: int, neighbours: int, strength: float) -> dict[IndexSet, list[float]]:
    """Output j is the product of so many blocks from the j-th on."""
    terms: dict[IndexSet, list[float]] = {}
    for j in range(outputs):
        blocks = sorted((j + i) % outputs for i in range(neighbours))
        index_set = tuple(block * b + i for b in blocks for i in range(block))
        terms.setdefault(index_set, [0.0] * outputs)[j] = strength
    return terms


def _equal(
    name: str, d: int, sets: list[IndexSet], variance: float, noise: float, arguments: Mapping[str, object]
) -> ExpandedProblem:
    """Parities of equal weight; the last one is the composite signal."""
    check_strength("variance", variance)
    weight = math.sqrt(variance / len(sets))
    base = {index_set: [weight] for index_set in sets[:-1]}
    return _expanded(name, d, base, {sets[-1]: [weight]}, noise, arguments)


def _expanded(
    name: str,
    d: int,
    base: Mapping[IndexSet, list[float]],
    composite: Mapping[IndexSet, list[float]],
    noise: float,
    arguments: Mapping[str, object],
) -> ExpandedProblem:
    """The problem; its strengths are root mean squares of an output."""
    of_composite = _expansion(composite, 1)
    of_base = _expansion(base, of_composite.outputs)
    strengths = (_strength(of_composite), _strength(of_base))
    return ExpandedProblem(name, d, of_base, of_composite, *strengths, noise, arguments)


def _expansion(terms: Mapping[IndexSet, list[float]], outputs: int) -> FourierExpansion:
    if not terms:
        return FourierExpansion((), np.zeros((0, outputs)))
    return FourierExpansion.from_terms({index_set: np.array(row) for index_set, row in terms.items()})


def _strength(expansion: FourierExpansion) -> float:
    """The coefficient itself of a single parity: no rounding between the two."""
    sizes = np.unique(np.abs(expansion.coefficients[expansion.coefficients != 0]))
    each = np.count_nonzero(expansion.coefficients, axis=0)
    if len(sizes) == 1 and (each == 1).all():
        return float(sizes[0])
    return math.sqrt(expansion.squared_norm() / expansion.outputs)


def _nested(degrees: Sequence[int], start: int) -> list[IndexSet]:
    return [tuple(range(start, start + degree)) for degree in degrees]


def _degrees(degrees: object, d: int) -> list[int]:
    """Rising degrees of at most d."""
    if not isinstance(degrees, list | tuple) or not degrees:
        raise InputError(f"degrees must be a list of whole numbers such as [1, 2, 3], not {shown(degrees)}.")
    if len(degrees) > MOST_TERMS:
        raise InputError(f"A staircase has at most {MOST_TERMS:,} steps, not {len(degrees):,}.")
    for degree in degrees:
        check_whole("A degree", degree, d, least=1)
    if any(first >= second for first, second in pairwise(degrees)):
        raise InputError(f"degrees must rise, each above the one before, not {shown(degrees)}.")
    return [int(degree) for degree in degrees]


def _check_d(d: object) -> None:
    check_whole("d", d, MOST_INPUTS, least=1)
