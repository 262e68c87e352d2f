"""Random-feature kernels, K(x,z) = E_w phi(<w,x>) phi(<w,z>): sampled, or in closed form where one is known."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float
from scipy.special import erf

from kernelgap.calls import format_call
from kernelgap.errors import InputError, unknown
from kernelgap.kernels.check import check_count, check_flag
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.kernels.formulas.relu_networks import relu_layers
from kernelgap.kernels.kernel import Gram, Kernel, require_gram
from kernelgap.kernels.pairs import Others, Pairs, Rows, Value, geometric_mean, with_ones
from kernelgap.machine import require_memory
from kernelgap.rows import check_rows

MOST_FEATURES = 10**6

Feature = Callable[[Float[np.ndarray, "n count"]], Float[np.ndarray, "n count"]]
Weights = Callable[[np.random.Generator, int, int], Float[np.ndarray, "count d"]]

FEATURES: dict[str, Feature] = {
    "relu": lambda u: np.maximum(u, 0.0),
    "step": lambda u: (u > 0).astype(float),
    "sign": np.sign,
    "erf": erf,
    "cos": np.cos,
    "sin": np.sin,
    "linear": lambda u: u,
    "square": np.square,
}

WEIGHTS: dict[str, Weights] = {
    "gaussian": lambda rng, count, d: rng.standard_normal((count, d)),
    "signs": lambda rng, count, d: rng.choice([-1.0, 1.0], size=(count, d)),
    "sphere": lambda rng, count, d: _on_sphere(rng.standard_normal((count, d))),
}


def _on_sphere(W: Float[np.ndarray, "count d"]) -> Float[np.ndarray, "count d"]:
    """Directions, of length sqrt(d): the same second moments as a Gaussian's."""
    return W * (W.shape[1] ** 0.5 / np.linalg.norm(W, axis=1, keepdims=True))


def _erf(pairs: Pairs) -> Value:
    """Williams (1997): (2/pi) arcsin(2<x,z> / sqrt((1 + 2|x|^2)(1 + 2|z|^2)))."""
    math = pairs.arithmetic
    x, z = pairs.squared_lengths
    return 2 / math.pi * math.arcsin(2 * pairs.inner / geometric_mean(1 + 2 * x, 1 + 2 * z, math))


def _cos(pairs: Pairs) -> Value:
    """E cos(u) cos(v) = (E cos(u - v) + E cos(u + v)) / 2, with E cos(g) = exp(-Var g / 2)."""
    exp = pairs.arithmetic.exp
    return (exp(-pairs.squared_distance / 2) + exp(-pairs.squared_sum / 2)) / 2


def _sin(pairs: Pairs) -> Value:
    """The same with a minus: exp(-(|x|^2 + |z|^2) / 2) times sinh<x,z> where cosines have cosh<x,z>."""
    return pairs.arithmetic.tanh(pairs.inner) * _cos(pairs)


def _square(pairs: Pairs) -> Value:
    """E u^2 v^2 = E u^2 E v^2 + 2 (E uv)^2."""
    x, z = pairs.squared_lengths
    return x * z + 2 * pairs.inner * pairs.inner


CLOSED_FORMS: dict[str, Callable[[Pairs], Value]] = {
    "relu": lambda pairs: next(relu_layers(pairs, 1)).outputs / 2,
    "step": lambda pairs: (1 - pairs.polar.angle / pairs.arithmetic.pi) / 2,
    "sign": lambda pairs: 1 - 2 * pairs.polar.angle / pairs.arithmetic.pi,
    "erf": _erf,
    "cos": _cos,
    "sin": _sin,
    "linear": lambda pairs: pairs.inner,
    "square": _square,
}


@dataclass(frozen=True, repr=False)
class ExpectedFeatures(InnerKernel):
    """The closed form, for Gaussian weights N(0, I)."""

    name: ClassVar[str] = "random_features"
    feature: str = "relu"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.feature not in CLOSED_FORMS:
            raise unknown("feature with a closed form", self.feature, CLOSED_FORMS)

    def formula(self, pairs: Pairs) -> Value:
        return CLOSED_FORMS[self.feature](pairs)


@dataclass(frozen=True, repr=False)
class SampledFeatures(Kernel):
    """The mean over ``count`` weights drawn with ``seed``. A kernel itself, of rank ``count`` at most."""

    feature: str | Feature
    weights: str | Weights
    count: int
    seed: int
    bias: bool

    def features(self, X: object) -> Float[np.ndarray, "n count"]:
        """phi(<w,x>) / sqrt(count) for each w: K(x,z) is the inner product of two such rows."""
        rows = check_rows(X)
        require_memory(8 * len(rows) * self.count, f"{len(rows)} x {self.count} features", "Take a smaller count.")
        rows = with_ones(rows) if self.bias else rows
        draw = WEIGHTS[self.weights] if isinstance(self.weights, str) else self.weights
        W = np.asarray(draw(np.random.default_rng(self.seed), self.count, rows.shape[1]), dtype=float)
        if W.shape != (self.count, rows.shape[1]):
            raise InputError(f"weights(rng, count, d) gave the shape {W.shape}, not ({self.count}, {rows.shape[1]}).")
        phi = FEATURES[self.feature] if isinstance(self.feature, str) else self.feature
        with np.errstate(all="ignore"):
            values = np.asarray(phi(rows @ W.T), dtype=float)
        if values.shape != (len(rows), self.count):
            raise InputError(f"feature(u) gave the shape {values.shape} for u of {(len(rows), self.count)}.")
        if not np.isfinite(values).all():
            raise InputError(
                "The features of these inputs are not all finite: rescale the inputs or correct the feature."
            )
        return values / self.count**0.5

    def _gram(self, X: Rows, Z: Others) -> Gram:
        require_gram(len(X), len(Z))
        first = self.features(X)
        return first @ (first if Z is X else self.features(Z)).T

    def _diagonal(self, X: Rows) -> Float[np.ndarray, " n"]:
        return np.sum(self.features(X) ** 2, axis=1)

    @property
    def spec(self) -> str:
        named = {"feature": self.feature, "weights": self.weights}
        shown = {n: v if isinstance(v, str) else getattr(v, "__name__", repr(v)) for n, v in named.items()}
        return format_call("random_features", {**shown, "count": self.count, "seed": self.seed, "bias": self.bias})


def random_features(
    feature: str | Feature = "relu",
    weights: str | Weights = "gaussian",
    count: int | None = None,
    seed: int = 0,
    bias: bool = False,
) -> Kernel:
    """The kernel E phi(<w,x>) phi(<w,z>) over random w, in closed form or sampled.

    Parameters
    ----------
    feature
        phi: a name (relu, step, sign, erf, cos, sin, linear, square), or a function applied to every <w,x>.
    weights
        The distribution of w: gaussian, signs, sphere, or a function of (rng, count, d) that gives one w a row.
    count, seed
        Of how many draws of w the mean is taken, and their seed. Without a count, the closed form.
    bias
        Whether the inputs get one more coordinate, 1.
    """
    if not callable(feature) and feature not in list(FEATURES):
        raise unknown("feature", feature, FEATURES)
    if not callable(weights) and weights not in list(WEIGHTS):
        raise unknown("distribution of weights", weights, WEIGHTS)
    check_count(seed, "seed", least=0)
    check_flag(bias, "bias")
    if count is None:
        if not isinstance(feature, str) or weights != "gaussian":
            known = f"{', '.join(CLOSED_FORMS)} with Gaussian weights"
            raise InputError(f"No closed form is known here (known: {known}): give a count to sample.")
        return ExpectedFeatures(bias=bias, feature=feature)
    check_count(count, "count", most=MOST_FEATURES)
    return SampledFeatures(feature, weights, count, seed, bias)
