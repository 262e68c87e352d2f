"""Theorem 3

Linear regression over any D <= C/1000 features, chosen before the target, stays above alpha^2/16 for at least 99% of
the targets, whatever its weights: random ones, products, and ones made to fit some targets."""

from itertools import combinations, islice

import numpy as np

from kernelgap import problems
from kernelgap.certificates import any_kernel, theorem3
from kernelgap.certificates.floors.points import Functions
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, from_docstring
from kernelgap.paper.claims.shares import floor_picture, judge_rows, rows_of

SIZES = {"quick": "hard(d=18, k=7, alpha=0.3)", "full": "hard(d=20, k=8, alpha=0.3)"}


def features(d: int, k: int, count: int, seed: int) -> dict[str, Functions]:
    """Maps to ``count`` features that know the family but not the target, the last made to do as well as can be."""
    rng = np.random.default_rng(seed)
    W, b = rng.standard_normal((count, d)), rng.uniform(0, 2 * np.pi, count)
    scale = np.sqrt(d)
    chosen = list(islice(combinations(range(d), k), count - d))

    def relu(X: np.ndarray) -> np.ndarray:
        return np.maximum(X @ W.T, 0.0)

    def cosine(X: np.ndarray) -> np.ndarray:
        return np.cos(X @ W.T * 2 + b)

    def products(X: np.ndarray) -> np.ndarray:
        pairs = list(islice(combinations(range(d), 2), count))
        return np.stack([X[:, i] * X[:, j] for i, j in pairs], axis=1)

    def coordinates_and_parities(X: np.ndarray) -> np.ndarray:
        signs = X * scale
        return np.hstack([signs, *(signs[:, list(S)].prod(axis=1, keepdims=True) for S in chosen)])

    return {
        f"{count} random ReLUs": relu,
        f"{count} random cosines": cosine,
        f"{count} products of two": products,
        f"all coordinates and {count - d} of the parities": coordinates_and_parities,
    }


def measure(scale: str, seed: int) -> Numbers:
    problem = problems.get(SIZES[scale])
    assert isinstance(problem, problems.ParityProblem)
    maps = features(problem.d, problem.outputs, any_kernel(problem, 1).paper_samples, seed)
    return {"rows": rows_of(theorem3(problem, maps, seed=seed), SIZES[scale])}


def judge(numbers: Numbers) -> Verdict:
    return judge_rows(numbers["rows"], "the map")


claim = Claim(
    "thm3.features",
    *from_docstring(__doc__),
    "99% of targets above alpha^2/16",
    measure,
    judge,
    floor_picture,
    seconds=8,
)
