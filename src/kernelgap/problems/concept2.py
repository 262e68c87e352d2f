"""Random members of Concept 2 (appendix A), the larger class."""

from collections.abc import Sequence

import numpy as np

from kernelgap.errors import unknown
from kernelgap.problems.concept import (
    ConceptProblem,
    check_points,
    check_sizes,
    general_function,
    parsed,
    points,
    sized,
)
from kernelgap.problems.inputs import INPUTS


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
    """F_r(x) = sum_i a_ri F_ri(<w1_ri, (x,1)> / |(x,1)|) <w2_ri, (x,1)>, G_r likewise, drawn by ``seed``.

    Activations have the orders 0, 1, 3, 5, ... alone. Inputs need not be unit vectors ("gaussian"), and |F(x)| need
    only be at most some B_F: ``size`` "mean" makes E |F(x)|^2 = 1, "bound" makes |F(x)| <= 1 wherever |x| <= 1.
    """
    check_sizes(d=d, k=k, pF=pF, pG=pG, seed=seed)
    check_points(d, k * pF)
    if inputs not in INPUTS:
        raise unknown("distribution of inputs", inputs, INPUTS)
    rng = np.random.default_rng(seed)
    X = points(inputs, d)
    base = sized(general_function(rng, k, pF, d, parsed(F)), size, X, "F")
    outer = sized(general_function(rng, k, pG, k, parsed(G)), size_G, base(X), "G(F)")
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
    }
    return ConceptProblem("concept2", base, outer, inputs, alpha, beta, noise, arguments)
