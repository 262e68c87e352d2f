"""Members of the concept classes as problems: H(x) = beta F(x) + alpha G(F(x)) with smooth F and G."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError, shown, unknown
from kernelgap.machine import require_memory
from kernelgap.problems.activation import Activation
from kernelgap.problems.inputs import INPUTS, whole_cube
from kernelgap.problems.problem import LARGEST_SEED, MOST_INPUTS, MOST_OUTPUTS, MOST_TERMS, WrittenProblem, check_whole
from kernelgap.problems.smooth import Activations, Function, GeneralFunction, SmoothFunction

EXACT_UP_TO = 14  # on the cube up to this dimension, means are over all points
POINTS = 2**14  # elsewhere over as many inputs, always the same ones
_STREAM = 20190523  # which

MOST_PATCHES = 1024
MOST_FUNCTIONS = 10_000  # terms of F, or of G, in all outputs
MOST_WORK = 10**12  # multiplications to take a mean

SIZES = ("mean", "bound", "none")


@dataclass(frozen=True, eq=False, repr=False)
class ConceptProblem(WrittenProblem):
    """H = beta F + alpha G(F); ``F`` and ``G`` are both of Concept 1's form or both of Concept 2's.

    ``threshold``, ``mean_square`` and ``largest`` are over the whole cube where that has at most 2^14 points, and
    elsewhere over 2^14 fixed inputs, and then estimates (``exact`` says which).
    """

    name: str
    F: Function
    G: Function
    distribution: str
    alpha: float
    beta: float
    noise: float
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def d(self) -> int:  # type: ignore[override]
        return self.F.inputs

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return self.F.outputs

    def inputs(self, rng: np.random.Generator, n: int) -> Float[np.ndarray, "n d"]:
        return INPUTS[self.distribution](rng, n, self.d)

    def base(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.beta * self.F(self._checked(X))

    def composite(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.alpha * self.G(self.F(self._checked(X)))

    @property
    def exact(self) -> bool:
        """Whether means are over every input there is."""
        return self.distribution == "cube" and self.d <= EXACT_UP_TO

    @cached_property
    def _signals(self) -> tuple[Float[np.ndarray, "n outputs"], Float[np.ndarray, "n outputs"]]:
        F = self.F(points(self.distribution, self.d))
        return F, self.G(F)

    @property
    def threshold(self) -> float:
        """E |alpha G(F(x))|^2."""
        return self.alpha**2 * float((self._signals[1] ** 2).sum(axis=1).mean())

    @property
    def mean_square(self) -> float:
        """E |F(x)|^2."""
        return float((self._signals[0] ** 2).sum(axis=1).mean())

    @property
    def largest(self) -> float:
        """B_F as seen: the largest |F(x)| over the points that means are taken over."""
        return float(np.linalg.norm(self._signals[0], axis=1).max())

    @property
    def bound(self) -> float:
        """B_F as proved: no |F(x)| over unit inputs (over any, for Gaussian ones: infinite) exceeds it."""
        return math.inf if self.distribution == "gaussian" else self.F.bound(1.0)


def points(distribution: str, d: int) -> Float[np.ndarray, "n d"]:
    """The inputs that means are taken over: the whole cube if it is small, else a fixed sample."""
    if distribution == "cube" and d <= EXACT_UP_TO:
        return whole_cube(d)
    return INPUTS[distribution](np.random.default_rng([_STREAM, d]), POINTS, d)


def smooth_function(
    rng: np.random.Generator, outputs: int, p: int, d: int, activations: Sequence[Activation]
) -> SmoothFunction:
    """A random F of Concept 1: a uniform in [-1, 1], w uniform of norm 1/sqrt(2), activations drawn."""
    a = rng.uniform(-1.0, 1.0, (outputs, p))
    w = _directions(rng, outputs, p, d) / math.sqrt(2)
    return SmoothFunction(a, w, _drawn(rng, outputs, p, activations))


def general_function(
    rng: np.random.Generator, outputs: int, p: int, d: int, activations: Sequence[Activation]
) -> GeneralFunction:
    """A random F of Definition A.1: a uniform in [-1, 1], w1 and w2 uniform of norm 1."""
    for activation in activations:
        if not activation.only_zero_and_odd:
            raise InputError(
                f"Definition A.1 wants activations without the orders 2, 4, 6, ...: not {activation}, but for example "
                f"the rest of it, {activation.plus}."
            )
    a = rng.uniform(-1.0, 1.0, (outputs, p))
    w1, w2 = _directions(rng, outputs, p, d + 1), _directions(rng, outputs, p, d + 1)
    return GeneralFunction(a, w1, w2, _drawn(rng, outputs, p, activations))


def sized(function: Function, size: str, inputs: Float[np.ndarray, "n d"], what: str) -> Function:
    """Scaled so that E |F|^2 = 1 over the inputs ("mean"), or proved |F(x)| <= 1 for |x| <= 1 ("bound"), or as it is.

    The factor goes into the activations, and so into their complexity (footnote 10).
    """
    if size not in SIZES:
        raise unknown("size", size, SIZES)
    if size == "none":
        return function
    with np.errstate(all="ignore"):
        now = function.bound(1.0) if size == "bound" else math.sqrt(float((function(inputs) ** 2).sum(axis=1).mean()))
    if not math.isfinite(now):
        raise InputError(f"{what} overflows and cannot be scaled: choose other activations.")
    if now == 0:
        raise InputError(f"{what} is 0 everywhere and cannot be scaled: choose other activations, or size='none'.")
    return function.scaled(1 / now)


def parsed(activations: str | Sequence[str]) -> list[Activation]:
    """One text, or several to draw from."""
    several = activations if isinstance(activations, list | tuple) else ()
    texts = [activations] if isinstance(activations, str) else list(several)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InputError(f"Activations are a text such as 'sin(z)' or a list of texts, not {shown(activations)}.")
    return [Activation.parse(text) for text in texts]


LIMITS = {
    "d": MOST_INPUTS,
    "k": MOST_OUTPUTS,
    "pF": MOST_TERMS,
    "pG": MOST_TERMS,
    "seed": LARGEST_SEED,
    "patches": MOST_PATCHES,
    "degree": MOST_OUTPUTS,
}


def check_sizes(**sizes: object) -> None:
    """Dimensions and numbers of terms are positive whole numbers; a seed may be 0.

    Means are over ``POINTS`` inputs, and every term of F and G is a function of each of them.
    """
    for name, value in sizes.items():
        check_whole(name, value, LIMITS[name], least=0 if name == "seed" else 1)
    d, k, patches, *p = (int(str(sizes.get(name, 1))) for name in ("d", "k", "patches", "pF", "pG"))
    terms = k * max(p)
    if terms > MOST_FUNCTIONS:
        raise InputError(
            f"F and G have at most {MOST_FUNCTIONS:,} terms each, not {terms:,}: take a smaller k, pF or pG."
        )
    if d * patches > MOST_INPUTS:
        raise InputError(f"An input has at most {MOST_INPUTS:,} coordinates, not {d * patches:,}: take a smaller d.")


def check_points(d: int, terms: int) -> None:
    """Refuse what needs more memory than there is, or minutes: means over ``POINTS`` inputs of d coordinates."""
    require_memory(8 * POINTS * d * 2, f"A mean over {POINTS:,} inputs of {d:,} coordinates", "Take a smaller d.")
    work = POINTS * d * terms
    if work > MOST_WORK:
        raise InputError(
            f"Means over {POINTS:,} inputs of {d:,} coordinates and {terms:,} terms take {work:.1g} multiplications, "
            f"and {MOST_WORK:.0g} are the most: take a smaller d, k, pF or pG."
        )


def _directions(rng: np.random.Generator, outputs: int, p: int, d: int) -> Float[np.ndarray, "outputs p d"]:
    normal = rng.standard_normal((outputs, p, d))
    return normal / np.linalg.norm(normal, axis=2, keepdims=True)


def _drawn(rng: np.random.Generator, outputs: int, p: int, activations: Sequence[Activation]) -> Activations:
    chosen = rng.integers(0, len(activations), (outputs, p))
    return tuple(tuple(activations[i] for i in row) for row in chosen)
