"""app. A, Lemma A.2

Each function of Concept 1, with p terms, equals on the unit sphere one of Concept 2's form with 2p terms, made by
splitting each activation into its orders 0, 1, 3, 5, ... and z times its orders 2, 4, 6, ... lowered by one; neither
C_s nor C_eps grows."""

import math

import numpy as np

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if
from kernelgap.paper.theory.complexity import C_STAR, PLAIN, complexity, log_C_eps_of
from kernelgap.paper.theory.smooth_bounds import rounding_bound
from kernelgap.problems.concept import concept1
from kernelgap.problems.smooth import GeneralFunction, SmoothFunction

ACTIVATIONS = ("exp(2z) - 1", "sin(3z)", "cos(2z)", "tanh(z)", "sigmoid(z)", "z^4 - 2z^2 + z", "tanh(z)^2")
DIMENSIONS = {"quick": (3, 30), "full": (3, 30, 300)}
POINTS = {"quick": 1000, "full": 20_000}
LOG_1_EPS = 10.0


def measure(scale: str, seed: int) -> Numbers:
    """F and its other form on unit vectors, whole targets where |F(x)| = 1, and two controls that must differ."""
    rows = [_rewritten(text, d, POINTS[scale], seed) for text in ACTIVATIONS for d in DIMENSIONS[scale]]
    return {"functions": rows, "targets": [_whole(d, POINTS[scale], seed) for d in DIMENSIONS[scale]]}


def _rewritten(text: str, d: int, points: int, seed: int) -> Numbers:
    problem = concept1(d=d, k=3, alpha=0.3, pF=6, F=text, seed=seed)
    F = problem.F
    assert isinstance(F, SmoothFunction)
    other = F.general()
    X, _ = problem.sample(points, seed=seed)
    values = F(X)
    bound = rounding_bound(F, 1.0) + rounding_bound(other, 1.0)
    # the second half of the terms without its factor 1/sqrt(2)
    p = F.p
    halves = tuple((*row[:p], *(phi.scaled(outer=math.sqrt(2)) for phi in row[p:])) for row in other.activations)
    unscaled = GeneralFunction(other.a, other.w1, other.w2, halves)
    before, after = complexity(F, PLAIN), complexity(other, PLAIN)
    finite = all(phi.radius > C_STAR for phi in F.distinct)
    growth = log_C_eps_of(other, LOG_1_EPS) - log_C_eps_of(F, LOG_1_EPS) if finite else None
    return {
        "activation": text,
        "d": d,
        "difference": float(np.abs(other(X) - values).max()),
        "of_bound": float((np.abs(other(X) - values) / bound).max()),
        "terms": other.p / p,
        "C_s": after.C_s / before.C_s,
        "log_C_eps": growth,
        "off_the_sphere": float(np.abs(other(2 * X) - F(2 * X)).max()),
        "unscaled": float(np.abs(unscaled(X) - values).max()) if any(phi.minus.terms for phi in F.distinct) else None,
    }


def _whole(d: int, points: int, seed: int) -> Numbers:
    """H = F + alpha G(F) of both forms, for an F with |F(x)| = 1."""
    arguments: Numbers = {"d": d, "k": 4, "alpha": 0.3, "pG": 5, "F": "sin(2z)", "G": ["exp(z)", "z^2 - z"]}
    one, two = (concept1(**arguments, size="circle", form=form, seed=seed) for form in (1, 2))
    X, Y = one.sample(points, seed=seed)
    F_error = rounding_bound(one.F, 1.0) + rounding_bound(two.F, 1.0)
    G_error = rounding_bound(one.G, 1.0) + rounding_bound(two.G, 1.0)
    # an error in F passes through G with at most G's slope, for either form
    slope = math.sqrt(one.outputs) * two.G.p * complexity(one.G, PLAIN).C_s
    bound = F_error + one.alpha * (G_error + 2 * slope * float(np.linalg.norm(F_error)))
    return {"d": d, "of_bound": float((np.abs(two.target(X) - Y) / bound).max())}


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["functions"]
    worst = max(r["of_bound"] for r in (*rows, *numbers["targets"]))
    no_larger = all(r["C_s"] <= 1 + 1e-12 and (r["log_C_eps"] is None or r["log_C_eps"] <= 1e-9) for r in rows)
    controls = [r["unscaled"] for r in rows if r["unscaled"] is not None]
    return holds_if(
        worst <= 1 and no_larger and all(r["terms"] == 2 for r in rows),
        f"equal to {max(r['difference'] for r in rows):.1e}, at most {worst:.2g} of the rounding bound; C_s at most "
        f"{max(r['C_s'] for r in rows):.3g} times as large",
        f"On unit vectors |(x,1)| = sqrt(2), which is why norms are 1/sqrt(2). Off the sphere the two differ (by up to "
        f"{max(r['off_the_sphere'] for r in rows):.2g} at |x| = 2), and so they would without the factor 1/sqrt(2) "
        f"before phi- (by up to {max(controls):.2g}). For G the lemma needs |F(x)| = 1.",
    )


claim = Claim.of(
    __doc__, "target.lemma_a2", "equal to rounding, 2p terms, same complexity", measure, judge, identity=True
)
