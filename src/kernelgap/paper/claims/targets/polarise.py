"""app. D.4; Corollary 7.1

The product of k variables is a signed sum of 2^k k-th powers of signed sums of them, so the hard instance is a
member of Concept 1 with |F(x)| = 1, C_s(F) = O(sqrt(d)), p_F = 1, C_s(G) = 2^O(k) and p_G = 2^k."""

import math
from fractions import Fraction

import numpy as np

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict, holds_if
from kernelgap.paper.theory.complexity import PLAIN, complexity
from kernelgap.paper.theory.polarise import (
    coordinates_function,
    largest_difference_on_grid,
    polarised,
    product_function,
)
from kernelgap.paper.theory.smooth_bounds import rounding_bound
from kernelgap.problems.parity import hard

GRID = {"quick": 6, "full": 7}  # largest k checked as polynomials
FRACTIONS = {"quick": 9, "full": 12}  # largest k checked at random fractions
FORMS = (2, 3, 4, 6, 8, 10)


def measure(scale: str, seed: int) -> Numbers:
    """The identity in integers and fractions; the hard instance rebuilt from it; complexity of F and G at C* = 1."""
    rng = np.random.default_rng(seed)
    return {
        "grid": {str(k): largest_difference_on_grid(k) for k in range(1, GRID[scale] + 1)},
        "fractions": {str(k): str(_fractions_off(rng, k)) for k in range(1, FRACTIONS[scale] + 1)},
        "forms": [_form(k, seed) for k in FORMS],
        "C_F": [complexity(coordinates_function(d, range(3)), PLAIN).C_s / math.sqrt(d) for d in (10, 100, 1000)],
    }


def _fractions_off(rng: np.random.Generator, k: int) -> Fraction:
    z = [Fraction(int(a), int(b)) for a, b in zip(rng.integers(-50, 51, k), rng.integers(1, 51, k), strict=True)]
    return abs(polarised(z) - math.prod(z))


def _form(k: int, seed: int) -> Numbers:
    """The hard instance in Concept 1's form, labels divided by sqrt(k), beside eq. 7.1."""
    problem = hard(d=2 * k, k=k, alpha=0.3, seed=seed)
    F, G = coordinates_function(problem.d, [i for (i,) in problem.base_sets]), product_function(k)
    X, _ = problem.sample(50, seed=seed)
    off = np.abs(0.3 * G(F(X)) - problem.composite(X) / math.sqrt(k)).max(axis=0)
    of_G = complexity(G, PLAIN)
    return {
        "k": k,
        "of_bound": float((off / (0.3 * 2 * rounding_bound(G, 1.0))).max()),
        "unit": float(np.abs(np.linalg.norm(F(X), axis=1) - 1).max()),
        "p_G": of_G.p,
        "C_G": of_G.C_s,
        "envelope": (k + 1) * (math.e / math.sqrt(2)) ** k,
    }


def judge(numbers: Numbers) -> Verdict:
    forms = numbers["forms"]
    exact = not any(numbers["grid"].values()) and all(Fraction(value) == 0 for value in numbers["fractions"].values())
    rebuilt = all(f["of_bound"] <= 1 and f["unit"] <= 1e-14 for f in forms)
    counted = all(f["p_G"] == 2 ** f["k"] and f["C_G"] <= f["envelope"] for f in forms)
    linear = max(numbers["C_F"]) / min(numbers["C_F"]) - 1 <= 1e-9
    rate = max(math.log2(f["C_G"]) / f["k"] for f in forms)
    return holds_if(
        exact and rebuilt and counted and linear,
        f"exact for k <= {len(numbers['grid'])} as polynomials, k <= {len(numbers['fractions'])} at random fractions; "
        f"p_G = 2^k, C_s(G) <= 2^({rate:.2f} k) C*",
        f"Agreement on a grid of k+1 values in each variable proves the identity. C_s(G) stays below "
        f"(k+1)(e/sqrt(2))^k C*, so it is 2^O(k); C_s(F) is {numbers['C_F'][0]:.3g} sqrt(d) C* for k = 3, and |F(x)| "
        "= 1. Opposite signs give the same power up to its sign, so 2^(k-1) terms would do.",
    )


def picture(numbers: Numbers) -> Picture:
    names = {"C_G": "C_s(G) at C* = 1", "envelope": "(k+1) (e/sqrt(2))^k", "p_G": "p_G"}
    lines = [Line.of_rows(title, numbers["forms"], "k", name) for name, title in names.items()]
    return Picture("k", "complexity of the product", lines, y_axis="log")


claim = Claim.of(
    __doc__, "complexity.polarise", "equal; sqrt(d), 1, 2^O(k), 2^k", measure, judge, picture, identity=True
)
