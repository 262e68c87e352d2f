"""Fact C.4

The slope of |y - out|^2 / 2 along (-W', -V') is <y - out, f(W') + g(V')> with f = A D_V,W (V(0)+V)(A D_W W'(x,1), 0)
+ A D_W W'(x,1) and g = A D_V,W V'(out1, 1): equal to automatic differentiation, at random weights and directions."""

import numpy as np

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if
from kernelgap.paper.theory.start import Start, compare, with_one

SIZES = {"quick": ((4, 2, 20), (10, 3, 300)), "full": ((4, 2, 20), (10, 3, 300), (30, 15, 2000))}  # d, k, m


def measure(scale: str, seed: int) -> Numbers:
    return {"cases": [_case(d, k, m, [seed, m, n]) for d, k, m in SIZES[scale] for n in range(10)]}


def _case(d: int, k: int, m: int, seed: list[int]) -> Numbers:
    rng = np.random.default_rng(seed)
    start = Start.draw(rng, d=d, k=k, m=m, sigma_w=m**-0.25, sigma_v=m**0.1875)
    W, V = (w + m**-0.5 * rng.standard_normal(w.shape) for w in (start.W0, start.V0))
    x1, y = with_one(rng.standard_normal((1, d))), rng.standard_normal((1, k))
    directions = [rng.standard_normal(w.shape) for w in (W, V)]
    return {"d": d, "k": k, "m": m, **compare(start.A, W, V, x1, y, *directions)._asdict()}


def judge(numbers: Numbers) -> Verdict:
    cases = [case for case in numbers["cases"] if case["clear"]]
    if not cases:
        return Verdict("undecided", "no case", "In every case some gate was too near to 0 to be decided.")
    apart = [abs(case["automatic"] - case["formula"]) for case in cases]
    share = max(gap / case["rounding"] for gap, case in zip(apart, cases, strict=True))
    relative = max(gap / abs(case["automatic"]) for gap, case in zip(apart, cases, strict=True))
    sharp = max(case["rounding"] / abs(case["automatic"]) for case in cases)
    return holds_if(
        share <= 1,
        f"{len(cases)} cases: relative difference at most {relative:.1e}, {share:.1e} of what rounding allows",
        f"Rounding in float64 could make relative differences of up to {sharp:.1e}, by the number of operations.",
    )


claim = Claim.of(__doc__, "fact.c4", "equal, up to rounding", measure, judge, seconds=8, identity=True)
