"""Fact C.4: the gradient in closed form."""

from typing import Any

import numpy as np

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, check_scale, holds_if
from kernelgap.paper.theory.start import Start, compare, with_one


def measure(scale: str, seed: int) -> dict[str, Any]:
    check_scale(scale)
    sizes = [(4, 2, 20), (10, 3, 300)] if scale == "quick" else [(4, 2, 20), (10, 3, 300), (30, 15, 2000)]
    rows = []
    for d, k, m in sizes:
        for n in range(10):
            rng = np.random.default_rng([seed, m, n])
            start = Start.draw(rng, d=d, k=k, m=m, sigma_w=m**-0.25, sigma_v=m**0.1875)
            both = compare(
                start.A,
                start.W0 + m**-0.5 * rng.standard_normal(start.W0.shape),
                start.V0 + m**-0.5 * rng.standard_normal(start.V0.shape),
                with_one(rng.standard_normal((1, d))),
                rng.standard_normal((1, k)),
                rng.standard_normal(start.W0.shape),
                rng.standard_normal(start.V0.shape),
            )
            rows.append({"d": d, "k": k, "m": m, **both._asdict()})
    return {"cases": rows}


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


claim = Claim(
    id="fact.c4",
    source="Fact C.4",
    statement=(
        "The slope of |y - out|^2 / 2 along (-W', -V') is <y - out, f(W') + g(V')> with "
        "f = A D_V,W (V(0)+V)(A D_W W'(x,1), 0) + A D_W W'(x,1) and g = A D_V,W V'(out1, 1): equal to automatic "
        "differentiation, at random weights and directions."
    ),
    stated="equal, up to rounding",
    seconds=8,
    measure=measure,
    judge=judge,
)
