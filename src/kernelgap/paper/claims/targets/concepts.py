"""Concepts 1 and 2: members of every size, with any smooth activation, as they are defined."""

import math
from collections.abc import Callable

import numpy as np

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if
from kernelgap.paper.theory.smooth_bounds import UNIT, rounding_bound
from kernelgap.problems.concept import ConceptProblem, concept1, concept2
from kernelgap.problems.smooth import GeneralFunction, SmoothFunction

Function = SmoothFunction | GeneralFunction

# Activations as the library reads them, and as Python's own functions compute them
ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "exp(2z) - 1": lambda z: math.exp(2 * z) - 1,
    "sin(2z)": lambda z: math.sin(2 * z),
    "sin(3z)": lambda z: math.sin(3 * z),
    "cos(z)": math.cos,
    "sinh(z) + 1": lambda z: math.sinh(z) + 1,
    "tanh(z)": math.tanh,
    "sigmoid(z)": lambda z: 1 / (1 + math.exp(-z)),
    "z^3 - 2z": lambda z: z**3 - 2 * z,
    "z^3 - 2z + 1": lambda z: z**3 - 2 * z + 1,
}
OF_CONCEPT1 = ("exp(2z) - 1", "sin(3z)", "cos(z)", "tanh(z)", "sigmoid(z)", "z^3 - 2z")
OF_CONCEPT2 = ("sin(2z)", "sinh(z) + 1", "tanh(z)", "sigmoid(z)", "z^3 - 2z + 1")
SHAPES1 = {  # d, k, p_F, p_G
    "quick": ((3, 2, 1, 1), (10, 4, 3, 5), (40, 3, 8, 2)),
    "full": ((3, 2, 1, 1), (50, 10, 20, 10), (400, 5, 30, 8)),
}
SHAPES2 = {**SHAPES1, "quick": ((3, 2, 1, 1), (10, 4, 3, 5), (40, 3, 6, 2))}
ORDERS = 40


def measure_concept1(scale: str, seed: int) -> Numbers:
    """Each activation in each shape: norms, and values beside the definition summed term by term."""
    members = []
    for text in OF_CONCEPT1:
        for d, k, pF, pG in SHAPES1[scale]:
            plain, scaled = (
                concept1(d=d, k=k, alpha=0.3, pF=pF, pG=pG, F=text, G=text, size=size, seed=seed)
                for size in ("none", "mean")
            )
            sizes = {"mean_square": scaled.mean_square, "B_F": scaled.largest, "B_F_proved": scaled.bound}
            members.append({**_member(text, plain, (d, k, pF, pG), seed), **sizes})
    circle = concept1(d=10, k=4, alpha=0.3, F="sin(3z)", size="circle", seed=seed)
    X, _ = circle.sample(2000, seed=seed)
    return {"members": members, "circle": float(np.abs(np.linalg.norm(circle.F(X), axis=1) - 1).max())}


def measure_concept2(scale: str, seed: int) -> Numbers:
    """Each activation in each shape, on inputs that are not unit vectors."""
    members = []
    for text in OF_CONCEPT2:
        for d, k, pF, pG in SHAPES2[scale]:
            problem = concept2(d, k, 0.3, pF, pG, F=text, G=text, size="none", inputs="gaussian", seed=seed)
            even = [np.abs(psi.coefficients(ORDERS)[2::2]).max() for f in (problem.F, problem.G) for psi in f.distinct]
            sizes = {"even_orders": float(max(even)), "B_F": problem.largest}
            members.append({**_member(text, problem, (d, k, pF, pG), seed), **sizes})
    return {"members": members}


def _member(text: str, problem: ConceptProblem, shape: tuple[int, ...], seed: int) -> Numbers:
    """How far values are from the definition and norms from the stated one, in units of what rounding allows."""
    functions = (problem.F, problem.G)
    X, _ = problem.sample(10, seed=seed)
    H = problem.F(X)
    general = isinstance(problem.F, GeneralFunction)
    differences = []
    for f, Z, longest in ((problem.F, X, _longest(X) if general else 1.0), (problem.G, H, _longest(H))):
        bound = 2 * rounding_bound(f, longest)
        if math.isfinite(bound.max()):
            differences.append(float((np.abs(f(Z) - written_out(f, ACTIVATIONS[text], Z)) / bound).max()))
    norms = np.concatenate([np.linalg.norm(w, axis=2).ravel() for f in functions for w in _vectors(f)])
    stated, operations = (1.0, 2) if general else (math.sqrt(2), 0)
    return {
        "activation": text,
        "shape": list(shape),
        "difference": max(differences),
        "norm": float(np.abs(norms * stated - 1).max()) / ((shape[0] + shape[1] + operations) * UNIT),
        "largest_a": float(max(np.abs(f.a).max() for f in functions)),
    }


def _vectors(function: Function) -> tuple[np.ndarray, ...]:
    return (function.w1, function.w2) if isinstance(function, GeneralFunction) else (function.w,)


def _longest(X: np.ndarray) -> float:
    return float(np.linalg.norm(X, axis=1).max())


def written_out(function: Function, phi: Callable[[float], float], X: np.ndarray) -> np.ndarray:
    """The definition, number by number.

    Concept 1: sum_i a_ri phi(<w_ri, x>). Concept 2: sum_i a_ri phi(<w1_ri, (x,1)> / |(x,1)|) <w2_ri, (x,1)>.
    """

    def term(r: int, i: int, x: list[float]) -> float:
        a = float(function.a[r, i])
        if isinstance(function, SmoothFunction):
            return a * phi(_dot(function.w[r, i], x))
        z = [*x, 1.0]
        length = math.sqrt(math.fsum(value * value for value in z))
        return a * phi(_dot(function.w1[r, i], z) / length) * _dot(function.w2[r, i], z)

    k, p = function.a.shape
    return np.array([[math.fsum(term(r, i, [*map(float, x)]) for i in range(p)) for r in range(k)] for x in X])


def _dot(w: np.ndarray, z: list[float]) -> float:
    return math.fsum(float(a) * b for a, b in zip(w, z, strict=True))


def _judged(members: list[Numbers], others: bool, reason: str) -> Verdict:
    difference, norm = (max(m[name] for m in members) for name in ("difference", "norm"))
    return holds_if(
        difference <= 1 and norm <= 1 and all(m["largest_a"] <= 1 for m in members) and others,
        f"{len(members)} members: values within {difference:.2g} of the rounding bound, norms within {norm:.2g} of it",
        reason,
    )


def judge_concept1(numbers: Numbers) -> Verdict:
    members, circle = numbers["members"], numbers["circle"]
    sizes = [m["B_F"] for m in members]
    sized = all(m["B_F"] <= m["B_F_proved"] and abs(m["mean_square"] - 1) <= 1e-12 for m in members)
    return _judged(
        members,
        sized and circle <= 16 * UNIT,
        f"The paper takes |F(x)| = 1 for simplicity, which a random F cannot have: scaled to E|F|^2 = 1, the largest "
        f"|F(x)| seen is between {min(sizes):.3g} and {max(sizes):.3g}. Pairs (sin, cos) of one direction have "
        f"|F(x)| = 1 exactly (off by at most {circle:.1e}).",
    )


def judge_concept2(numbers: Numbers) -> Verdict:
    members = numbers["members"]
    even = max(m["even_orders"] for m in members)
    return _judged(
        members,
        even == 0,
        f"No activation has an even order up to {ORDERS} but 0 (largest coefficient {even:g}); inputs were Gaussian, "
        f"not unit vectors; the largest |F(x)| seen, B_F, is at most {max(m['B_F'] for m in members):.3g}.",
    )


claims = (
    Claim(
        "target.concept1",
        "sec. 5, Concept 1",
        "Targets F + alpha G(F), in which each output of F and of G is a sum of p smooth activations of scalar "
        "products with vectors of norm 1/sqrt(2), each with a factor in [-1, 1], can be generated at will, for any "
        "smooth activation.",
        "norms 1/sqrt(2), |a| <= 1, values as defined",
        measure_concept1,
        judge_concept1,
        identity=True,
    ),
    Claim(
        "target.concept2",
        "app. A, Definition A.1, Concept 2",
        "The larger class, sums of a phi(<w1, (x,1)> / |(x,1)|) <w2, (x,1)> with unit vectors w1, w2, |a| <= 1 "
        "and activations whose Taylor series has the orders 0, 1, 3, 5, ... alone, can be generated at will for inputs "
        "of any size.",
        "norms 1, |a| <= 1, no even orders, values as defined",
        measure_concept2,
        judge_concept2,
        identity=True,
    ),
)
