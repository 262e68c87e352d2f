"""Concept 2 (app. A): the larger class, with the normalised scalar product and a second linear factor."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, check_scale, holds_if
from kernelgap.paper.theory.smooth_bounds import UNIT, rounding_bound
from kernelgap.problems.concept import concept2
from kernelgap.problems.smooth import GeneralFunction

ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "sin(2z)": lambda z: math.sin(2 * z),
    "sinh(z) + 1": lambda z: math.sinh(z) + 1,
    "tanh(z)": math.tanh,
    "sigmoid(z)": lambda z: 1 / (1 + math.exp(-z)),
    "z^3 - 2z + 1": lambda z: z**3 - 2 * z + 1,
}
SHAPES = {
    "quick": ((3, 2, 1, 1), (10, 4, 3, 5), (40, 3, 6, 2)),
    "full": ((3, 2, 1, 1), (50, 10, 20, 10), (400, 5, 30, 8)),
}
ORDERS = 40


def measure(scale: str, seed: int) -> dict[str, Any]:
    """Each activation in each shape (d, k, p_F, p_G), on inputs that are not unit vectors."""
    check_scale(scale)
    return {"members": [_member(text, *shape, seed) for text in ACTIVATIONS for shape in SHAPES[scale]]}


def _member(text: str, d: int, k: int, pF: int, pG: int, seed: int) -> dict[str, Any]:
    problem = concept2(d=d, k=k, alpha=0.3, pF=pF, pG=pG, F=text, G=text, size="none", inputs="gaussian", seed=seed)
    F, G = problem.F, problem.G
    assert isinstance(F, GeneralFunction)
    assert isinstance(G, GeneralFunction)
    X, _ = problem.sample(10, seed=seed)
    H = F(X)
    phi = ACTIVATIONS[text]
    differences = [
        float((np.abs(f(Z) - written_out(f, phi, Z)) / (2 * rounding_bound(f, _longest(Z)))).max())
        for f, Z in ((F, X), (G, H))
    ]
    norms = np.concatenate([np.linalg.norm(w, axis=2).ravel() for w in (F.w1, F.w2, G.w1, G.w2)])
    even = [np.abs(psi.coefficients(ORDERS)[2::2]).max() for f in (F, G) for psi in f.distinct]
    return {
        "activation": text,
        "shape": [d, k, pF, pG],
        "difference": max(differences),
        "norm": float(np.abs(norms - 1).max()) / ((d + k + 2) * UNIT),
        "largest_a": float(max(np.abs(f.a).max() for f in (F, G))),
        "even_orders": float(max(even)),
        "B_F": problem.largest,
    }


def _longest(X: np.ndarray) -> float:
    return float(np.linalg.norm(X, axis=1).max())


def written_out(function: GeneralFunction, phi: Callable[[float], float], X: np.ndarray) -> np.ndarray:
    """sum_i a_ri phi(<w1_ri, (x,1)> / |(x,1)|) <w2_ri, (x,1)>, number by number."""
    k, p = function.a.shape
    rows = []
    for x in X:
        z = [*map(float, x), 1.0]
        length = math.sqrt(math.fsum(value * value for value in z))
        rows.append(
            [
                math.fsum(
                    float(function.a[r, i]) * phi(_dot(function.w1[r, i], z) / length) * _dot(function.w2[r, i], z)
                    for i in range(p)
                )
                for r in range(k)
            ]
        )
    return np.array(rows)


def _dot(w: np.ndarray, z: list[float]) -> float:
    return math.fsum(float(a) * b for a, b in zip(w, z, strict=True))


def judge(numbers: Numbers) -> Verdict:
    members = numbers["members"]
    difference = max(m["difference"] for m in members)
    norm = max(m["norm"] for m in members)
    even = max(m["even_orders"] for m in members)
    sound = difference <= 1 and norm <= 1 and even == 0 and all(m["largest_a"] <= 1 for m in members)
    return holds_if(
        sound,
        f"{len(members)} members: values within {difference:.2g} of the rounding bound, norms within {norm:.2g} of it",
        f"No activation has an even order up to {ORDERS} but 0 (largest coefficient {even:g}); inputs were Gaussian, "
        f"not unit vectors; the largest |F(x)| seen, B_F, is at most {max(m['B_F'] for m in members):.3g}.",
    )


claim = Claim(
    id="target.concept2",
    source="app. A, Definition A.1, Concept 2",
    statement="The larger class, sums of a phi(<w1, (x,1)> / |(x,1)|) <w2, (x,1)> with unit vectors w1, w2, |a| <= 1 "
    "and activations whose Taylor series has the orders 0, 1, 3, 5, ... alone, can be generated at will for inputs "
    "of any size.",
    stated="norms 1, |a| <= 1, no even orders, values as defined",
    measure=measure,
    judge=judge,
)
