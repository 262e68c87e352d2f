"""Problems on the Boolean cube in which F and G are products: sec. 8.1 and 8.2, the talk's example and eq. 7.1."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.problems.fourier import FourierExpansion, IndexSet, symmetric_difference
from kernelgap.problems.fourier_problem import FourierProblem
from kernelgap.problems.inputs import Draw, get_background
from kernelgap.problems.problem import LARGEST_SEED, MOST_INPUTS, MOST_OUTPUTS, check_whole


@dataclass(frozen=True, eq=False, repr=False)
class ParityProblem(FourierProblem):
    """F_j(x) = prod_{i in base_sets[j]} x_i / scale and G_j(y) = composite_signs[j] prod_{l in composite_sets[j]} y_l.

    F uses only coordinates that are uniform signs times the scale, so beta F and alpha G(F) are sums of parities of
    uniform signs.

    Parameters
    ----------
    name, arguments
        The call that makes the problem, from which its text comes.
    d
        The number of coordinates.
    base_sets
        For each output the coordinates that F multiplies, counted from 0 and all below ``d1``.
    composite_sets, composite_signs
        For each output the outputs of F that G multiplies, counted from 0, and the sign of their product.
    alpha, beta
        The strengths of the composite signal G(F) and of the base signal F.
    noise
        The standard deviation of the labels' noise.
    scale
        The size of a coordinate: 1, or 1/sqrt(d) for unit vectors.
    d1
        The first d1 coordinates are independent and uniform on {-scale, scale}.
    background
        Draws the other coordinates, in units of the scale; it may be None if there are none.
    """

    name: str
    d: int
    base_sets: tuple[IndexSet, ...]
    composite_sets: tuple[tuple[int, ...], ...]
    composite_signs: tuple[int, ...]
    alpha: float
    beta: float
    noise: float
    scale: float
    d1: int
    background: Draw | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return len(self.base_sets)

    @property
    def spec(self) -> str:
        if any(callable(value) for value in self.arguments.values()):
            raise InputError(f"This {self.name} problem has a function as background and cannot be written as text.")
        return super().spec

    def _first_signal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        """F(x), without beta."""
        signs = self._checked(X) / self.scale
        return np.stack([signs[:, list(s)].prod(axis=1) for s in self.base_sets], axis=1)

    def base(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.beta * self._first_signal(X)

    def composite(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        F = self._first_signal(X)
        products = {sets: F[:, list(sets)].prod(axis=1) for sets in set(self.composite_sets)}
        G = np.stack([s * products[c] for s, c in zip(self.composite_signs, self.composite_sets, strict=True)], axis=1)
        return self.alpha * G

    @property
    def threshold(self) -> float:
        """outputs * alpha^2, since each G_j(F) is a parity of square 1."""
        return self.outputs * self.alpha**2

    @property
    def base_fourier(self) -> FourierExpansion:  # type: ignore[override]
        """beta F as parities of the signs x / scale."""
        return self._expansion(list(self.base_sets), [self.beta] * self.outputs)

    @property
    def composite_fourier(self) -> FourierExpansion:  # type: ignore[override]
        """alpha G(F) as parities of the signs x / scale."""
        sets = [symmetric_difference([self.base_sets[j] for j in c]) for c in self.composite_sets]
        return self._expansion(sets, [self.alpha * s for s in self.composite_signs])

    def _expansion(self, sets: list[IndexSet], weights: list[float]) -> FourierExpansion:
        terms: dict[IndexSet, np.ndarray] = {}
        for output, (index_set, weight) in enumerate(zip(sets, weights, strict=True)):
            terms.setdefault(tuple(sorted(index_set)), np.zeros(self.outputs))[output] += weight
        return FourierExpansion.from_terms(terms)


def pairs(count: int) -> tuple[IndexSet, ...]:
    """(x1 x2, x3 x4, ...): the index sets of ``count`` products of neighbours."""
    return tuple((2 * j, 2 * j + 1) for j in range(count))


def unit_scale(d: int) -> float:
    """The scale 1/sqrt(d) at which the cube's points are unit vectors."""
    return 1.0 / math.sqrt(d)


def sec8(*, alpha: float = 0.3, beta: float = 1.0, noise: float = 0.0) -> ParityProblem:
    """The target of section 8.1: x in {-1,1}^30, F = (x1 x2, ..., x29 x30), G_i(y) = (-1)^i y1 y2 y3 y4 for i = 1..15.

    Parameters
    ----------
    alpha, beta
        The strengths of the composite signal G(F) and of the base signal F.
    noise
        The standard deviation of the labels' noise.

    Examples
    --------
    >>> sec8().threshold
    1.3499999999999999
    """
    arguments = dict(locals())
    sets, signs = ((0, 1, 2, 3),) * 15, tuple((-1) ** i for i in range(1, 16))
    return ParityProblem("sec8", 30, pairs(15), sets, signs, alpha, beta, noise, scale=1.0, d1=30, arguments=arguments)


def slides(*, alpha: float = 0.3, beta: float = 1.0, noise: float = 0.0) -> ParityProblem:
    """The talk's target: x in {-1,1}^30, F = (x1 x2, ..., x15 x16), G = y1 y2 y3 y4 four times, then y5 y6 y7 y8.

    Parameters
    ----------
    alpha, beta, noise
        As in ``sec8``.
    """
    arguments = dict(locals())
    sets = ((0, 1, 2, 3),) * 4 + ((4, 5, 6, 7),) * 4
    return ParityProblem("slides", 30, pairs(8), sets, (1,) * 8, alpha, beta, noise, 1.0, d1=30, arguments=arguments)


def hard(
    d: int,
    k: int,
    alpha: float,
    d1: int | None = None,
    background: str | Draw | None = None,
    seed: int = 0,
    *,
    beta: float = 1.0,
    noise: float = 0.0,
) -> ParityProblem:
    """The hard instance of Theorems 2 and 3 (eq. 7.1): k hidden coordinates and their product.

    x on {-1,1}^d / sqrt(d), F(x) = sqrt(d) (x_i1, ..., x_ik), G(y) = y1 ... yk in each of the k outputs.

    Parameters
    ----------
    d, k
        Coordinates, and how many of them are hidden.
    d1
        The hidden i1 < ... < ik are among the first ``d1`` coordinates (default all), which are uniform.
    background
        The law of the other coordinates: "uniform", "zero", "gaussian", "repeated", or a function ``f(rng, n, width)``
        that gives them in units of 1/sqrt(d). A problem with a function has no text and no run on the command line.
    seed
        Draws the hidden coordinates.
    alpha, beta, noise
        As in ``sec8``.
    """
    d1 = d if d1 is None else d1
    arguments = dict(locals())
    if background is None:
        del arguments["background"]
    for name, most in {"d": MOST_INPUTS, "k": MOST_OUTPUTS, "d1": MOST_INPUTS, "seed": LARGEST_SEED}.items():
        check_whole(name, arguments[name], most)
    if not 2 <= k <= d1 <= d:
        raise InputError(f"The hard instance needs 2 <= k <= d1 <= d, not k={k}, d1={d1}, d={d}.")
    if seed < 0:
        raise InputError(f"seed must not be negative, it is {seed}.")
    hidden = np.sort(np.random.default_rng(seed).permutation(d1)[:k])
    base, products, signs = tuple((int(i),) for i in hidden), (tuple(range(k)),) * k, (1,) * k
    laws = (unit_scale(d), d1, get_background(background))
    return ParityProblem("hard", d, base, products, signs, alpha, beta, noise, *laws, arguments=arguments)


def products(d: int, k: int, alpha: float, block: int = 2, *, beta: float = 1.0, noise: float = 0.0) -> ParityProblem:
    """Section 8.1's kind of target in any size: x in {-1,1}^d, F_j the product of the j-th block, G(y) = y1 ... yk.

    Parameters
    ----------
    d, k
        Coordinates, and how many outputs F has; G multiplies all of them, in each of k outputs.
    block
        How many coordinates each output of F multiplies: the leap of the target.
    alpha, beta, noise
        As in ``sec8``.

    Examples
    --------
    >>> problem = products(20, 3, alpha=0.3)
    >>> problem.leap, problem.composite_fourier.index_sets
    (2, ((0, 1, 2, 3, 4, 5),))
    """
    arguments = dict(locals())
    for name, most, least in (("d", MOST_INPUTS, 1), ("k", MOST_OUTPUTS, 2), ("block", MOST_INPUTS, 1)):
        check_whole(name, arguments[name], most, least=least)
    if k * block > d:
        raise InputError(f"{k} products of {block} coordinates need {k * block:,} coordinates, not {d:,}.")
    sets = tuple(tuple(range(block * j, block * (j + 1))) for j in range(k))
    signals = (sets, (tuple(range(k)),) * k, (1,) * k)
    return ParityProblem("products", d, *signals, alpha, beta, noise, scale=1.0, d1=d, arguments=arguments)


def parity(d: int, k: int = 6, *, noise: float = 0.0) -> ParityProblem:
    """The target of section 8.2: x on {-1,1}^d / sqrt(d), y = d^(k/2) x1 ... xk, of one output.

    There is no base signal: the parity is the composite signal, and the threshold 1 the risk of learning nothing.

    Parameters
    ----------
    d, k
        Coordinates, and how many of them are multiplied.
    noise
        The standard deviation of the labels' noise.

    Examples
    --------
    >>> parity(40).threshold
    1.0
    """
    arguments = dict(locals())
    for name in ("d", "k"):
        check_whole(name, arguments[name], MOST_INPUTS)
    if not 1 <= k <= d:
        raise InputError(f"A parity needs 1 <= k <= d, not k={k}, d={d}.")
    base = (tuple(range(k)),)
    return ParityProblem("parity", d, base, ((0,),), (1,), 1.0, 0.0, noise, unit_scale(d), d1=d, arguments=arguments)
