"""Problems whose inputs are P patches, one behind the other, and whose F is the same on each of them."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.problems.concept import EXACT_UP_TO, POINTS
from kernelgap.problems.fourier import FourierExpansion, IndexSet
from kernelgap.problems.inputs import INPUTS, whole_cube
from kernelgap.problems.problem import WrittenProblem
from kernelgap.problems.smooth import Function

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

    ``d`` is the length of the whole input, ``patches`` times ``patch`` = p. With products for both F and G the
    threshold and the Fourier expansions are exact. Else the threshold is the mean over all inputs, where they are a
    cube of at most 2^14 points, or over 2^14 fixed inputs, and then an estimate (``exact`` says which).
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
            for i, (pair, sign) in enumerate(zip(F.sets, F.signs, strict=True)):
                terms.setdefault(self._shifted(pair, j), np.zeros(self.outputs))[i] += self.beta * sign
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

    def _shifted(self, index_set: IndexSet, j: int) -> IndexSet:
        return tuple(j * self.patch + i for i in index_set)


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
        return 2.0 * rng.integers(0, 2, size=(n, patches * patch), dtype=np.int8) - 1.0
    return INPUTS[distribution](rng, n * patches, patch).reshape(n, patches * patch)
