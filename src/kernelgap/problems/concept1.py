"""Random members of Concept 1 (sec. 5)."""

import math
from collections.abc import Sequence

import numpy as np

from kernelgap.errors import InputError, unknown
from kernelgap.problems.activation import Activation
from kernelgap.problems.concept import ConceptProblem, check_points, check_sizes, parsed, points, sized, smooth_function
from kernelgap.problems.smooth import SmoothFunction

UNIT_INPUTS = ("sphere", "cube")


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
    """F_r(x) = sum_i a_ri F_ri(<w_ri, x>) and G_r likewise, p terms each, drawn by ``seed``; unit inputs.

    The paper takes |F(x)| = 1 for simplicity. A random F cannot have it: ``size`` "mean" makes E |F(x)|^2 = 1 (the
    problem's ``largest`` is the B_F that comes with it), "bound" makes |F(x)| <= 1 everywhere, "circle" has |F(x)| = 1
    at every x: pairs (sin, cos)(c <w, x>) of one w each, for even k, pF = 1 and F = "sin(cz)". ``size_G`` scales
    G(F(x)) in the same way; as drawn ("none") nothing is asked of it. Of several activations each term takes one at
    random. ``form=2`` writes F and G as members of Concept 2 with 2p terms (Lemma A.2): the same values on unit inputs;
    for G too, only where |F(x)| = 1.
    """
    check_sizes(d=d, k=k, pF=pF, pG=pG, seed=seed)
    check_points(d, k * pF)
    if inputs not in UNIT_INPUTS:
        raise unknown("distribution of unit inputs", inputs, UNIT_INPUTS)
    if form not in (1, 2):
        raise InputError(f"form is 1 or 2, for Concept 1 or 2, not {form!r}.")
    rng = np.random.default_rng(seed)
    X = points(inputs, d)
    if size == "circle":
        base = _circle(rng, d, k, pF, parsed(F))
    else:
        drawn = sized(smooth_function(rng, k, pF, d, parsed(F)), size, X, "F")
        assert isinstance(drawn, SmoothFunction)
        base = drawn
    outer = sized(smooth_function(rng, k, pG, k, parsed(G)), size_G, base(X), "G(F)")
    assert isinstance(outer, SmoothFunction)
    arguments = {
        "d": d,
        "k": k,
        "alpha": alpha,
        "pF": pF,
        "pG": pG,
        "seed": seed,
        "beta": beta,
        "noise": noise,
        "F": F if isinstance(F, str) else list(F),
        "G": G if isinstance(G, str) else list(G),
        "inputs": inputs,
        "size": size,
        "size_G": size_G,
        "form": form,
    }
    if form == 1:
        return ConceptProblem("concept1", base, outer, inputs, alpha, beta, noise, arguments)
    return ConceptProblem("concept1", base.general(), outer.general(), inputs, alpha, beta, noise, arguments)


def _circle(rng: np.random.Generator, d: int, k: int, pF: int, activations: Sequence[Activation]) -> SmoothFunction:
    """F_(2j) = sqrt(2/k) sin(c <w_j, x>) and F_(2j+1) = sqrt(2/k) cos(c <w_j, x>), so that |F(x)| = 1."""
    terms = activations[0].terms
    if k % 2 or pF != 1 or len(activations) != 1 or len(terms) != 1 or terms[0].kind != "sin" or terms[0].weight != 1:
        raise InputError("size='circle' needs an even k, pF=1 and F='sin(cz)' for some c.")
    sine = activations[0].scaled(outer=math.sqrt(2 / k))
    cosine = Activation.parse("cos(z)").scaled(terms[0].scale, math.sqrt(2 / k))
    w = smooth_function(rng, k // 2, 1, d, [sine]).w
    return SmoothFunction(np.ones((k, 1)), np.repeat(w, 2, axis=0), ((sine,), (cosine,)) * (k // 2))
