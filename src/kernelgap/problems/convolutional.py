"""The talk's convolutional concept: H(x) = sum_j F(x_j) + alpha G(sum_j v_j F(x_j)) over the patches x_j of an input.

One F for all patches, so a learner that shares its weights between patches has to learn it once. The talk says no more
than this line. Here patches do not overlap, v_j are numbers, F has k outputs and G goes from these k to k.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError, shown, unknown
from kernelgap.problems.concept import EXACT_UP_TO, POINTS, check_points, check_sizes, parsed, sized, smooth_function
from kernelgap.problems.fourier import FourierExpansion, IndexSet
from kernelgap.problems.inputs import INPUTS, uniform, whole_cube
from kernelgap.problems.parity import pairs
from kernelgap.problems.problem import STRONGEST, WrittenProblem
from kernelgap.problems.smooth import Function

PAIRS, PRODUCT = "pairs", "product"
MOST_TERMS = 2**16  # of a Fourier expansion that is written out
_STREAM = 20190524  # of the fixed inputs that means are over


@dataclass(frozen=True)
class Products:
    """y -> (signs[i] prod over l in sets[i] of y_l) for each i."""

    sets: tuple[IndexSet, ...]
    signs: tuple[int, ...]

    def __call__(self, Y: Float[np.ndarray, "n _"]) -> Float[np.ndarray, "n outputs"]:
        return np.stack([s * Y[:, list(c)].prod(axis=1) for c, s in zip(self.sets, self.signs, strict=True)], axis=1)

    @property
    def outputs(self) -> int:
        return len(self.sets)


Map = Products | Function


@dataclass(frozen=True, eq=False, repr=False)
class ConvolutionalProblem(WrittenProblem):
    """H(x) = beta sum_j F(x_j) + alpha G(sum_j v_j F(x_j)), patch x_j being the coordinates j p, ..., (j+1) p - 1 of x.

    With products for both F and G the threshold and the Fourier expansions are exact. Else the threshold is the mean
    over all inputs, where they are a cube of at most 2^14 points, or over 2^14 fixed inputs, and then an estimate
    (``exact`` says which).

    Parameters
    ----------
    name, arguments
        The call that makes the problem, from which its text comes.
    F, G
        The function of a patch, with k outputs, and the outer one, from these k to k: products, or smooth functions.
    patches, patch
        The number of patches and the length p of each; their product is the length ``d`` of the whole input.
    distribution
        The law of a patch: "signs", "sphere", "cube" or "gaussian".
    v
        The weight of each patch in what G sees.
    alpha, beta
        The strengths of the composite and of the base signal.
    noise
        The standard deviation of the labels' noise.
    """

    name: str
    F: Map
    G: Map
    patches: int
    patch: int
    distribution: str
    v: tuple[float, ...]
    alpha: float
    beta: float
    noise: float
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def d(self) -> int:  # type: ignore[override]
        return self.patches * self.patch

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return self.F.outputs

    def inputs(self, rng: np.random.Generator, n: int) -> Float[np.ndarray, "n d"]:
        return _draw(self.distribution, rng, n, self.patches, self.patch)

    def base(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.beta * self.each(X).sum(axis=1)

    def composite(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.alpha * np.asarray(self.G(self.mixed(X)))

    def each(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n patches outputs"]:
        """F(x_j) for each patch."""
        X = self._checked(X)
        return np.asarray(self.F(X.reshape(-1, self.patch))).reshape(len(X), self.patches, self.outputs)

    def mixed(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        """sum_j v_j F(x_j), what G sees."""
        return np.einsum("njk,j->nk", self.each(X), np.array(self.v))

    @property
    def of_products(self) -> bool:
        """Whether F and G are products, so that all signals are sums of parities."""
        return isinstance(self.F, Products) and isinstance(self.G, Products) and self.distribution == "signs"

    @property
    def exact(self) -> bool:
        """Whether the threshold is exact."""
        return self.of_products or _whole(self.distribution, self.d)

    @cached_property
    def threshold(self) -> float:
        """E |alpha G(sum_j v_j F(x_j))|^2; for products alpha^2 |v|^(2 degree) in each output.

        The outputs of F at all patches are then independent signs, so each factor has the mean square |v|^2.
        """
        if self.of_products:
            assert isinstance(self.G, Products)
            square = float(np.sum(np.square(self.v)))
            with np.errstate(over="ignore"):  # to infinity, which ``convolutional`` refuses
                return float(self.alpha**2 * sum(np.float64(square) ** len(c) for c in self.G.sets))
        X = patch_points(self.distribution, self.patches, self.patch)
        return float((self.composite(X) ** 2).sum(axis=1).mean())

    @property
    def base_fourier(self) -> FourierExpansion:
        """beta sum_j F(x_j) as parities: one for each patch and output."""
        F, _ = self._products()
        terms: dict[IndexSet, np.ndarray] = {}
        for j in range(self.patches):
            for output, (index_set, sign) in enumerate(zip(F.sets, F.signs, strict=True)):
                members = tuple(j * self.patch + i for i in index_set)
                terms.setdefault(members, np.zeros(self.outputs))[output] += self.beta * sign
        return FourierExpansion.from_terms(terms)

    @property
    def composite_fourier(self) -> FourierExpansion:
        """alpha G(sum_j v_j F(x_j)) as parities.

        A product of sums over patches is a sum over the choices of a patch for each factor. Factors use different
        coordinates, so each of the P^degree choices is a parity of its own.
        """
        F, G = self._products()
        count = sum(self.patches ** len(c) for c in set(G.sets))
        if count > MOST_TERMS:
            raise InputError(f"The composite signal has {count} parities, more than the {MOST_TERMS} written out.")
        terms: dict[IndexSet, np.ndarray] = {}
        for factors in dict.fromkeys(G.sets):
            signs = np.array([s if c == factors else 0 for c, s in zip(G.sets, G.signs, strict=True)])
            shared = self.alpha * math.prod(F.signs[f] for f in factors) * signs
            for choice in itertools.product(range(self.patches), repeat=len(factors)):
                members = sorted(j * self.patch + i for f, j in zip(factors, choice, strict=True) for i in F.sets[f])
                terms[tuple(members)] = terms.get(tuple(members), 0.0) + math.prod(self.v[j] for j in choice) * shared
        return FourierExpansion.from_terms(terms)

    @property
    def target_fourier(self) -> FourierExpansion:
        """H as parities."""
        return self.base_fourier + self.composite_fourier

    def _products(self) -> tuple[Products, Products]:
        if not (self.of_products and isinstance(self.F, Products) and isinstance(self.G, Products)):
            raise InputError(f"{self.spec} is not made of products: it has no Fourier expansion that is written out.")
        return self.F, self.G


def patch_points(distribution: str, patches: int, patch: int) -> Float[np.ndarray, "n d"]:
    """The inputs that means are over: all of them on small cubes, else a fixed sample."""
    d = patches * patch
    if _whole(distribution, d):
        return whole_cube(d) * (d**0.5 if distribution == "signs" else patches**0.5)
    return _draw(distribution, np.random.default_rng([_STREAM, patches, patch]), POINTS, patches, patch)


def _whole(distribution: str, d: int) -> bool:
    return distribution in ("signs", "cube") and d <= EXACT_UP_TO


def _draw(distribution: str, rng: np.random.Generator, n: int, patches: int, patch: int) -> Float[np.ndarray, "n d"]:
    """Independent patches, row after row, so that a larger sample starts with the smaller one."""
    if distribution == "signs":
        return uniform(rng, n, patches * patch)
    return INPUTS[distribution](rng, n * patches, patch).reshape(n, patches * patch)


def convolutional(
    patches: int,
    d: int,
    alpha: float,
    F: str | Sequence[str] = PAIRS,
    G: str | Sequence[str] = PRODUCT,
    k: int | None = None,
    degree: int = 2,
    v: Sequence[float] | None = None,
    seed: int = 0,
    *,
    pF: int = 1,
    pG: int = 1,
    inputs: str | None = None,
    size: str = "mean",
    size_G: str = "none",
    beta: float = 1.0,
    noise: float = 0.0,
) -> ConvolutionalProblem:
    """x of P patches of d coordinates, H(x) = beta sum_j F(x_j) + alpha G(sum_j v_j F(x_j)).

    Parameters
    ----------
    patches, d
        P, and the coordinates of a patch.
    F
        "pairs" is section 8.1's on patches in {-1,1}^d, (x1 x2, x3 x4, ...), with k = d/2. Activations such as "sin(z)"
        draw a function of Concept 1 instead.
    G
        "product" is section 8.1's G_i(y) = (-1)^i y1 ... y_degree; or activations, as for F.
    k
        Outputs: d/2 where F is "pairs", else 2 by default.
    degree
        How many outputs of F "product" multiplies, from 2 to k.
    pF, pG
        Terms in each output of F and of G, where these are drawn.
    v
        P numbers; by default +-1/sqrt(P), so that |v| = 1.
    seed
        Draws what is random.
    inputs
        The law of patches where F is drawn: "sphere", "cube" or "gaussian".
    size, size_G
        Scale F on a patch, and G, as in ``concept1``.
    alpha, beta, noise
        As in ``concept1``.

    Examples
    --------
    >>> convolutional(patches=4, d=6, alpha=0.5, degree=3).threshold
    0.75
    """
    arguments = dict(locals())
    check_sizes(patches=patches, d=d, degree=degree, seed=seed, pF=pF, pG=pG, **({} if k is None else {"k": k}))
    if F != PAIRS or G != PRODUCT:
        check_points(patches * d, (2 if k is None else k) * pF)
    rng = np.random.default_rng(seed)
    weights = _weights(rng, patches, v)
    arguments["v"] = None if v is None else weights
    base: Map
    outer: Map
    outputs = d // 2 if F == PAIRS else 2 if k is None else k
    distribution = inputs if inputs is not None else "signs" if F == PAIRS else "sphere"
    if F == PAIRS:
        if d % 2 or k not in (None, d // 2) or distribution != "signs":
            wrong = f"d={d}, k={k}, inputs={inputs!r}"
            raise InputError(f"F = 'pairs' needs an even d, k = d/2 and inputs = 'signs', not {wrong}.")
        base = Products(pairs(outputs), (1,) * outputs)
    else:
        if distribution not in INPUTS:
            raise unknown("distribution of patches", distribution, INPUTS)
        base = sized(smooth_function(rng, outputs, pF, d, parsed(F)), size, patch_points(distribution, 1, d), "F")
    laws = (patches, d, distribution, weights)
    if G == PRODUCT:
        if not 2 <= degree <= outputs:
            raise InputError(f"G is a product of 2 to {outputs} outputs of F, not of {degree}: change degree, d or k.")
        outer = Products((tuple(range(degree)),) * outputs, tuple((-1) ** i for i in range(1, outputs + 1)))
    else:
        smooth = smooth_function(rng, outputs, pG, outputs, parsed(G))
        plain = ConvolutionalProblem("convolutional", base, smooth, *laws, 1.0, 1.0, 0.0)
        outer = sized(smooth, size_G, plain.mixed(patch_points(distribution, patches, d)), "G")
    made = ConvolutionalProblem("convolutional", base, outer, *laws, alpha, beta, noise, arguments)
    if made.of_products and not math.isfinite(made.threshold):
        raise InputError(f"The product of {degree} outputs overflows with these v: take smaller ones.")
    return made


def _weights(rng: np.random.Generator, patches: int, v: Sequence[float] | None) -> tuple[float, ...]:
    signs = rng.choice([-1.0, 1.0], patches)
    if v is None:
        return tuple((signs / math.sqrt(patches)).tolist())
    try:
        values = np.asarray(v, dtype=float)
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0)
    if values.shape != (patches,) or not (np.abs(values) <= STRONGEST).all():
        wanted = f"{patches} finite numbers of at most {STRONGEST:,.0f}, one for each patch"
        raise InputError(f"v must be {wanted}, not {shown(v)}.")
    return tuple(values.tolist())
