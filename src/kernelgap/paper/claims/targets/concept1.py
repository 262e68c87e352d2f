"""Concept 1 (sec. 5): members of every size, with any smooth activation, as it defines them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, check_scale, holds_if
from kernelgap.paper.theory.smooth_bounds import UNIT, rounding_bound
from kernelgap.problems.concept import concept1
from kernelgap.problems.smooth import SmoothFunction

# The same activations twice: as the library reads them, and as Python's own functions compute them.
ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "exp(2z) - 1": lambda z: math.exp(2 * z) - 1,
    "sin(3z)": lambda z: math.sin(3 * z),
    "cos(z)": math.cos,
    "tanh(z)": math.tanh,
    "sigmoid(z)": lambda z: 1 / (1 + math.exp(-z)),
    "z^3 - 2z": lambda z: z**3 - 2 * z,
}
SHAPES = {
    "quick": ((3, 2, 1, 1), (10, 4, 3, 5), (40, 3, 8, 2)),
    "full": ((3, 2, 1, 1), (50, 10, 20, 10), (400, 5, 30, 8)),
}


def measure(scale: str, seed: int) -> dict[str, Any]:
    """Each activation in each shape (d, k, p_F, p_G): norms, and values beside the definition summed term by term."""
    check_scale(scale)
    rows = [_member(text, *shape, seed) for text in ACTIVATIONS for shape in SHAPES[scale]]
    circle = concept1(d=10, k=4, alpha=0.3, F="sin(3z)", size="circle", seed=seed)
    X, _ = circle.sample(2000, seed=seed)
    return {"members": rows, "circle": float(np.abs(np.linalg.norm(circle.F(X), axis=1) - 1).max())}


def _member(text: str, d: int, k: int, pF: int, pG: int, seed: int) -> dict[str, Any]:
    problem = concept1(d=d, k=k, alpha=0.3, pF=pF, pG=pG, F=text, G=text, size="none", seed=seed)
    F, G = problem.F, problem.G
    assert isinstance(F, SmoothFunction)
    assert isinstance(G, SmoothFunction)
    X, _ = problem.sample(10, seed=seed)
    H = F(X)
    reach = float(np.linalg.norm(H, axis=1).max())
    phi = ACTIVATIONS[text]
    ratios = [
        float((np.abs(H - written_out(F, phi, X)) / (2 * rounding_bound(F, 1.0))).max()),
        float((np.abs(G(H) - written_out(G, phi, H)) / (2 * rounding_bound(G, reach))).max())
        if math.isfinite(rounding_bound(G, reach).max())
        else None,
    ]
    norms = np.concatenate([np.linalg.norm(f.w, axis=2).ravel() for f in (F, G)])
    scaled = concept1(d=d, k=k, alpha=0.3, pF=pF, pG=pG, F=text, G=text, seed=seed)
    return {
        "activation": text,
        "shape": [d, k, pF, pG],
        "difference": max(ratio for ratio in ratios if ratio is not None),
        "norm": float(np.abs(norms * math.sqrt(2) - 1).max()) / ((d + k) * UNIT),
        "largest_a": float(max(np.abs(f.a).max() for f in (F, G))),
        "mean_square": scaled.mean_square,
        "B_F": scaled.largest,
        "B_F_proved": scaled.bound,
    }


def written_out(function: SmoothFunction, phi: Callable[[float], float], X: np.ndarray) -> np.ndarray:
    """sum_i a_ri phi(<w_ri, x>), number by number."""
    k, p, d = function.w.shape
    return np.array(
        [
            [
                math.fsum(
                    float(function.a[r, i]) * phi(math.fsum(float(function.w[r, i, j]) * float(x[j]) for j in range(d)))
                    for i in range(p)
                )
                for r in range(k)
            ]
            for x in X
        ]
    )


def judge(numbers: Numbers) -> Verdict:
    members = numbers["members"]
    difference = max(m["difference"] for m in members)
    norm = max(m["norm"] for m in members)
    sizes = [m["B_F"] for m in members]
    sound = (
        difference <= 1
        and norm <= 1
        and all(m["largest_a"] <= 1 and m["B_F"] <= m["B_F_proved"] for m in members)
        and all(abs(m["mean_square"] - 1) <= 1e-12 for m in members)
        and numbers["circle"] <= 16 * UNIT
    )
    return holds_if(
        sound,
        f"{len(members)} members: values within {difference:.2g} of the rounding bound, norms within {norm:.2g} of it",
        f"The paper takes |F(x)| = 1 for simplicity, which a random F cannot have: scaled to E|F|^2 = 1, the largest "
        f"|F(x)| seen is between {min(sizes):.3g} and {max(sizes):.3g}. Pairs (sin, cos) of one direction have "
        f"|F(x)| = 1 exactly (off by at most {numbers['circle']:.1e}).",
    )


claim = Claim(
    id="target.concept1",
    source="sec. 5, Concept 1",
    statement="Targets F + alpha G(F), in which each output of F and of G is a sum of p smooth activations of scalar "
    "products with vectors of norm 1/sqrt(2), each with a factor in [-1, 1], can be generated at will, for any "
    "smooth activation.",
    stated="norms 1/sqrt(2), |a| <= 1, values as defined",
    measure=measure,
    judge=judge,
)
