"""Theorem 2

Give a kernel method at most C/1000 samples, where C is the number of targets of eq. 7.1, and even the weights that
know the target: for at least 99% of the targets its risk stays above alpha^2/16."""

import numpy as np

from kernelgap import kernels, problems
from kernelgap.certificates import theorem2
from kernelgap.certificates.floors.theorems import FAMILIES
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, from_docstring
from kernelgap.paper.claims.shares import floor_picture, judge_rows, rows_of

SIZES = {
    "quick": (("hard(d=24, k=4, alpha=0.3)", "all"), ("hard(d=30, k=6, alpha=0.3)", 1000)),
    "full": (("hard(d=30, k=4, alpha=0.3)", "all"), ("hard(d=30, k=6, alpha=0.3)", 20_000)),
}
SOME = ("gaussian", "arcsin(bias=True)", "recursive", "ck2", "ntk2", "ntk3")  # where there are hundreds of samples


def anisotropic(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """A Mercer kernel that is no function of <x,z>: each coordinate counts differently, and some multiply."""
    weights = 1.0 / np.arange(1, X.shape[1] + 1)
    product: np.ndarray = np.exp((X * weights) @ Z.T * X.shape[1]) * (
        1 + (X[:, :1] * X[:, 1:2]) @ (Z[:, :1] * Z[:, 1:2]).T
    )
    return product


def measure(scale: str, seed: int) -> Numbers:
    (listed, targets), (large, drawn) = SIZES[scale]
    rows = rows_of(theorem2(problems.get(listed), FAMILIES, targets=targets, seed=seed), listed)
    rows += rows_of(theorem2(problems.get(large), SOME, targets=drawn, seed=seed), large)
    own = "hard(d=16, k=6, alpha=0.3)"
    table = theorem2(problems.get(own), [kernels.from_function(anisotropic)], seed=seed)
    return {"rows": rows + rows_of(table, own)}


def judge(numbers: Numbers) -> Verdict:
    return judge_rows(numbers["rows"], "kernel")


claim = Claim(
    "thm2.kernels",
    *from_docstring(__doc__),
    "99% of targets above alpha^2/16",
    measure,
    judge,
    floor_picture,
    seconds=10,
)
