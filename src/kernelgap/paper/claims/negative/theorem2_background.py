"""Remark D.3

The same when only d1 coordinates are uniform signs and the others follow any distribution: nothing there, more
signs, one sign repeated, normal numbers, and dependent numbers of heavy tails are tried."""

import numpy as np

from kernelgap import problems
from kernelgap.certificates import theorem2
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, from_docstring
from kernelgap.paper.claims.shares import judge_rows, rows_of

SIZES = {"quick": (16, 3, 6), "full": (24, 6, 5)}  # d1, other coordinates, k
KERNELS = ("gaussian", "arcsin", "ntk2")


def skewed(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """A D2 of no special form: positive, of heavy tails, the coordinates dependent on each other."""
    common = np.exp(rng.standard_normal((n, 1)))
    spread: np.ndarray = common * rng.exponential(size=(n, width))
    return spread


def measure(scale: str, seed: int) -> Numbers:
    d1, others, k = SIZES[scale]
    rows = []
    for name in ("zero", "uniform", "repeated", "gaussian", skewed):
        problem = problems.hard(d=d1 + others, k=k, alpha=0.3, d1=d1, background=name)
        said = name if isinstance(name, str) else name.__name__
        table = theorem2(problem, KERNELS, targets=1000, seed=seed)
        rows += rows_of(table, f"hard(d={d1 + others}, k={k}, d1={d1}) with {said} D2")
    return {"rows": rows}


def judge(numbers: Numbers) -> Verdict:
    return judge_rows(numbers["rows"], "kernel")


claim = Claim("thm2.d2", *from_docstring(__doc__), "99% of targets above alpha^2/16", measure, judge, seconds=8)
