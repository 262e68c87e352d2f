"""The talk's convolutional concept: H(x) = sum_j F(x_j) + alpha G(sum_j v_j F(x_j)) over the patches x_j of an input.

One F for all patches, so a learner that shares its weights between patches has to learn it once. The talk says no more
than this line. Here patches do not overlap, v_j are numbers, F has k outputs and G goes from these k to k.
"""

import math
from collections.abc import Sequence

import numpy as np

from kernelgap.errors import InputError, shown, unknown
from kernelgap.problems.concept import check_points, check_sizes, parsed, sized, smooth_function
from kernelgap.problems.inputs import INPUTS
from kernelgap.problems.parity import pairs
from kernelgap.problems.patches import ConvolutionalProblem, Map, Products, patch_points
from kernelgap.problems.problem import STRONGEST

PAIRS, PRODUCT = "pairs", "product"


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

    F "pairs" is section 8.1's on patches in {-1,1}^d, (x1 x2, x3 x4, ...), with k = d/2; G "product" is its
    G_i(y) = (-1)^i y1 ... y_degree. Activations such as "sin(z)" in their place draw a function of Concept 1 with pF or
    pG terms and, for F, k outputs (default 2) on patches from ``inputs``: sphere, cube or gaussian; ``size`` and
    ``size_G`` scale F on a patch and G as in ``concept1``. ``v`` of its own accord is +-1/sqrt(P), so that |v| = 1.
    ``seed`` draws what is random.

    >>> convolutional(patches=4, d=6, alpha=0.5, degree=3).threshold
    0.75
    """
    check_sizes(patches=patches, d=d, degree=degree, seed=seed, pF=pF, pG=pG, **({} if k is None else {"k": k}))
    if F != PAIRS or G != PRODUCT:
        check_points(patches * d, (2 if k is None else k) * pF)
    rng = np.random.default_rng(seed)
    weights = _weights(rng, patches, v)
    base: Map
    outer: Map
    if F == PAIRS:
        distribution = _pairs(d, k, inputs)
        outputs = d // 2
        base = Products(pairs(outputs), (1,) * outputs)
    else:
        distribution = "sphere" if inputs is None else inputs
        if distribution not in INPUTS:
            raise unknown("distribution of patches", distribution, INPUTS)
        outputs = 2 if k is None else k
        drawn = smooth_function(rng, outputs, pF, d, parsed(F))
        base = sized(drawn, size, patch_points(distribution, 1, d), "F")
    if G == PRODUCT:
        if not 2 <= degree <= outputs:
            raise InputError(f"G is a product of 2 to {outputs} outputs of F, not of {degree}: change degree, d or k.")
        outer = Products((tuple(range(degree)),) * outputs, tuple((-1) ** i for i in range(1, outputs + 1)))
    else:
        smooth = smooth_function(rng, outputs, pG, outputs, parsed(G))
        plain = ConvolutionalProblem("convolutional", base, smooth, patches, d, distribution, weights, 1.0, 1.0, 0.0)
        outer = sized(smooth, size_G, plain.mixed(patch_points(distribution, patches, d)), "G")
    arguments = {
        "patches": patches,
        "d": d,
        "alpha": alpha,
        "F": F if isinstance(F, str) else list(F),
        "G": G if isinstance(G, str) else list(G),
        "k": k,
        "degree": degree,
        "v": None if v is None else [float(value) for value in v],
        "seed": seed,
        "pF": pF,
        "pG": pG,
        "inputs": inputs,
        "size": size,
        "size_G": size_G,
        "beta": beta,
        "noise": noise,
    }
    made = ConvolutionalProblem(
        "convolutional", base, outer, patches, d, distribution, weights, alpha, beta, noise, arguments
    )
    if made.of_products and not math.isfinite(made.threshold):
        raise InputError(f"The product of {degree} outputs overflows with these v: take smaller ones.")
    return made


def _pairs(d: int, k: int | None, inputs: str | None) -> str:
    """The distribution of patches that pair products are made for, if nothing else is asked for."""
    if d % 2 or k not in (None, d // 2) or inputs not in (None, "signs"):
        raise InputError(
            f"F = 'pairs' needs an even d, k = d/2 and inputs = 'signs', not d={d}, k={k}, inputs={inputs!r}."
        )
    return "signs"


def _weights(rng: np.random.Generator, patches: int, v: Sequence[float] | None) -> tuple[float, ...]:
    signs = rng.choice([-1.0, 1.0], patches)
    if v is None:
        return tuple((signs / math.sqrt(patches)).tolist())
    try:
        values = np.asarray(v, dtype=float)
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0)
    if values.shape != (patches,) or not (np.abs(values) <= STRONGEST).all():
        raise InputError(
            f"v must be {patches} finite numbers of at most {STRONGEST:,.0f}, one for each patch, not {shown(v)}."
        )
    return tuple(values.tolist())
