"""Members of the concept classes as problems: H(x) = beta F(x) + alpha G(F(x)) with smooth F and G."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

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
UNIT_INPUTS = ("sphere", "cube")
AnyFunction = TypeVar("AnyFunction", SmoothFunction, GeneralFunction)


@dataclass(frozen=True, eq=False, repr=False)
class ConceptProblem(WrittenProblem):
    """H = beta F + alpha G(F); ``F`` and ``G`` are both of Concept 1's form or both of Concept 2's.

    ``threshold``, ``mean_square`` and ``largest`` are over the whole cube where that has at most 2^14 points, and
    elsewhere over 2^14 fixed inputs, and then estimates (``exact`` says which).

    Parameters
    ----------
    name, arguments
        The call that makes the problem, from which its text comes.
    F, G
        The inner function, from d inputs to k outputs, and the outer one, from these k to k.
    distribution
        The law of the inputs: "sphere", "cube" or "gaussian".
    alpha, beta
        The strengths of the composite signal G(F) and of the base signal F.
    noise
        The standard deviation of the labels' noise.
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


def sized(function: AnyFunction, size: str, inputs: Float[np.ndarray, "n d"], what: str) -> AnyFunction:
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
    texts = [activations] if isinstance(activations, str) else activations
    if not isinstance(texts, list | tuple) or not texts or not all(isinstance(text, str) for text in texts):
        raise InputError(f"Activations are a text such as 'sin(z)' or a list of texts, not {shown(activations)}.")
    return [Activation.parse(text) for text in texts]


LIMITS = {"d": MOST_INPUTS, "patches": MOST_PATCHES, "k": MOST_OUTPUTS, "degree": MOST_OUTPUTS}
LIMITS |= {"pF": MOST_TERMS, "pG": MOST_TERMS, "seed": LARGEST_SEED}


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


def concept1(
    d: int,
    k: int,
    alpha: float,
    pF: int = 1,
    pG: int = 1,
    F: str | Sequence[str] = "sin(z)",
    G: str | Sequence[str] = "z^2",
    seed: int = 0,
    *,
    inputs: str = "sphere",
    size: str = "mean",
    size_G: str = "none",
    form: int = 1,
    beta: float = 1.0,
    noise: float = 0.0,
) -> ConceptProblem:
    """A random member of Concept 1 (sec. 5): F_r(x) = sum_i a_ri F_ri(<w_ri, x>), G_r likewise; unit inputs.

    Parameters
    ----------
    d, k
        Inputs and outputs.
    pF, pG
        Terms of F and of G in each output.
    F, G
        Activations; of several each term takes one at random.
    seed
        Draws both functions.
    inputs
        Their law: "sphere" or "cube".
    size
        The paper takes |F(x)| = 1 for simplicity, which a random F cannot have. "mean" makes E |F(x)|^2 = 1 (the
        problem's ``largest`` is the B_F that comes with it), "bound" makes |F(x)| <= 1 everywhere, "circle" has
        |F(x)| = 1 at every x: pairs (sin, cos)(c <w, x>) of one w each, for even k, pF = 1 and F = "sin(cz)".
    size_G
        Scales G(F(x)) in the same way; "none" leaves it as drawn.
    form
        2 writes F and G as members of Concept 2 with 2p terms (Lemma A.2): the same values on unit inputs; for G too,
        only where |F(x)| = 1.
    alpha, beta, noise
        The strengths of G(F) and of F, and the standard deviation of the labels' noise.
    """
    arguments = dict(locals())
    X, rng = _prepare(arguments, "distribution of unit inputs", UNIT_INPUTS)
    if form not in (1, 2):
        raise InputError(f"form is 1 or 2, for Concept 1 or 2, not {form!r}.")
    if size == "circle":
        base = _circle(rng, d, k, pF, parsed(F))
    else:
        base = sized(smooth_function(rng, k, pF, d, parsed(F)), size, X, "F")
    outer = sized(smooth_function(rng, k, pG, k, parsed(G)), size_G, base(X), "G(F)")
    first, second = (base, outer) if form == 1 else (base.general(), outer.general())
    return ConceptProblem("concept1", first, second, inputs, alpha, beta, noise, arguments)


def concept2(
    d: int,
    k: int,
    alpha: float,
    pF: int = 1,
    pG: int = 1,
    F: str | Sequence[str] = "sin(z)",
    G: str | Sequence[str] = "z^3",
    seed: int = 0,
    *,
    inputs: str = "sphere",
    size: str = "mean",
    size_G: str = "none",
    beta: float = 1.0,
    noise: float = 0.0,
) -> ConceptProblem:
    """A random member of Concept 2 (app. A): F_r(x) = sum_i a_ri F_ri(<w1_ri, (x,1)> / |(x,1)|) <w2_ri, (x,1)>.

    Parameters
    ----------
    F, G
        Activations that have the orders 0, 1, 3, 5, ... alone.
    inputs
        Their law: "sphere", "cube" or "gaussian", for they need not be unit vectors.
    size, size_G
        |F(x)| need only be at most some B_F: "mean" makes E |F(x)|^2 = 1, "bound" |F(x)| <= 1 wherever |x| <= 1.
    d, k, alpha, pF, pG, seed, beta, noise
        As in ``concept1``.
    """
    arguments = dict(locals())
    X, rng = _prepare(arguments, "distribution of inputs", INPUTS)
    base = sized(general_function(rng, k, pF, d, parsed(F)), size, X, "F")
    outer = sized(general_function(rng, k, pG, k, parsed(G)), size_G, base(X), "G(F)")
    return ConceptProblem("concept2", base, outer, inputs, alpha, beta, noise, arguments)


def _prepare(
    arguments: Mapping[str, Any], what: str, laws: Collection[str]
) -> tuple[Float[np.ndarray, "n d"], np.random.Generator]:
    """The points that means are over and the random numbers of a member, if its arguments are possible."""
    d, k, pF, seed, inputs = (arguments[name] for name in ("d", "k", "pF", "seed", "inputs"))
    check_sizes(d=d, k=k, pF=pF, pG=arguments["pG"], seed=seed)
    check_points(d, k * pF)
    if inputs not in laws:
        raise unknown(what, inputs, laws)
    return points(inputs, d), np.random.default_rng(seed)


def _circle(rng: np.random.Generator, d: int, k: int, pF: int, activations: Sequence[Activation]) -> SmoothFunction:
    """F_(2j) = sqrt(2/k) sin(c <w_j, x>) and F_(2j+1) = sqrt(2/k) cos(c <w_j, x>), so that |F(x)| = 1."""
    terms = activations[0].terms
    if k % 2 or pF != 1 or len(activations) != 1 or len(terms) != 1 or terms[0].kind != "sin" or terms[0].weight != 1:
        raise InputError("size='circle' needs an even k, pF=1 and F='sin(cz)' for some c.")
    sine = activations[0].scaled(outer=math.sqrt(2 / k))
    cosine = Activation.parse("cos(z)").scaled(terms[0].scale, math.sqrt(2 / k))
    w = smooth_function(rng, k // 2, 1, d, [sine]).w
    return SmoothFunction(np.ones((k, 1)), np.repeat(w, 2, axis=0), ((sine,), (cosine,)) * (k // 2))
