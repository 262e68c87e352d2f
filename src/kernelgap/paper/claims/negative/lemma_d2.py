"""Lemma D.2

For an N x R matrix with R >= 2N there cannot be a vector for every column that has at least 3/4 alpha with it and,
squared and summed, at most alpha^2/16 with all the others."""

from itertools import product

import numpy as np
from jaxtyping import Float

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if
from kernelgap.paper.theory.rank_argument import leverages, within_reach

SIZES = {"quick": (5, 20, 60), "full": (5, 20, 60, 200, 500)}  # N; R from 2N on
RATIOS = (2, 3, 10)


def matrices(n: int, r: int, rng: np.random.Generator) -> dict[str, Float[np.ndarray, "n r"]]:
    """Random ones, and ones made to single out as many columns as they can."""
    best = np.zeros((n, r))
    best[:, :n] = np.eye(n)
    shared = np.tile(np.eye(n), (1, -(-r // n)))[:, :r]
    nearly = best + 1e-3 * rng.standard_normal((n, r))
    heavy = rng.standard_normal((n, r)) * rng.pareto(0.5, size=r)
    return {
        "normal": rng.standard_normal((n, r)),
        "columns of very different lengths": heavy,
        "one column a dimension, the others zero": best,
        "one column a dimension, the others small": nearly,
        "each dimension shared evenly": shared,
        "of rank one": np.outer(rng.standard_normal(n), rng.standard_normal(r)),
    }


def measure(scale: str, seed: int) -> Numbers:
    rng = np.random.default_rng(seed)
    rows = []
    for n, ratio in product(SIZES[scale], RATIOS):
        for name, M in matrices(n, ratio * n, rng).items():
            reached, total = int(within_reach(M).sum()), float(leverages(M).sum())
            rows.append({"n": n, "r": ratio * n, "matrix": name, "reached": reached, "leverage": total})
    return {"rows": rows}


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    most = max(rows, key=lambda row: row["reached"] / row["r"])
    few = all(row["reached"] < row["r"] and row["reached"] <= row["n"] / 0.9 for row in rows)
    measured = f"at most {most['reached']} of {most['r']} columns (N = {most['n']}), {len(rows)} matrices"
    return holds_if(
        few,
        measured,
        "For each column the best vector is known in closed form. At most N/0.9 columns can be singled out, as the "
        "leverages sum to the rank: sharper than the statement, and met up to rounding down by the second kind.",
    )


claim = Claim.of(__doc__, "lemma.d2", "not for every column", measure, judge, identity=True)
