"""Leap exponents, edges of tangent kernels and predicted curves: verdicts on true and on false numbers."""

from typing import Any

import pytest

from kernelgap.paper.claims import get
from kernelgap.paper.claims.growth import exponent
from support.claims import judged

SIZES = (16, 24, 32, 48, 64)


def case(leap: int, power: float, *, wobble: float = 0.0, missed: bool = False) -> dict[str, Any]:
    needed = [10 * d**power * (1 + wobble * (-1) ** i) for i, d in enumerate(SIZES)]
    rows = [
        {"d": d, "needed": [n, n, n], "kernel": d**3, "floor": d**2, "rate": 0.5}
        for d, n in zip(SIZES, needed, strict=True)
    ]
    if missed:
        rows[-1]["needed"] = [1.0, None, None]
    fits = {} if missed else {"exponent": exponent(SIZES, [row["needed"] for row in rows])}
    return {
        "leap": leap,
        "theory": max(leap, 2),
        "rows": rows,
        **fits,
        "exponent_kernel": exponent(SIZES, [d**3 for d in SIZES]),
    }


def numbers(*cases: dict[str, Any]) -> dict[str, Any]:
    return {"share": 0.25, "degree": 3, "cases": list(cases)}


@pytest.mark.parametrize(
    ("powers", "outcome"),
    [
        ((1.0, 1.5, 2.5), "holds"),
        ((2.5, 2.6, 2.9), "fails"),  # leap 1 grows faster than d^2
        ((1.0, 1.5, 3.5), "fails"),
        ((1.5, 1.4, 1.0), "fails"),  # slower with the leap
    ],
)
def test_exponents_beyond_theory_or_in_another_order_are_refused(powers: tuple[float, ...], outcome: str) -> None:
    verdict = get("leap.exponent").judge(numbers(*(case(i + 1, power) for i, power in enumerate(powers))))
    assert verdict.outcome == outcome


def test_wide_intervals_and_starts_that_did_not_learn_decide_nothing() -> None:
    judge = get("leap.exponent").judge
    assert judge(numbers(case(1, 1.9, wobble=0.5), case(2, 1.5), case(3, 2.5))).outcome == "undecided"
    verdict = judge(numbers(case(1, 1.0), case(2, 1.5), case(3, 2.5, missed=True)))
    assert verdict.outcome == "undecided"
    assert "leap 3" in verdict.reason


def edges(*rows: tuple[float, float | None]) -> dict[str, Any]:
    """The edge and the samples needed, by leap."""
    made = [
        {"leap": i + 1, "edges": [0.9 * edge, edge, 1.1 * edge], "needed": [needed] * 3}
        for i, (edge, needed) in enumerate(rows)
    ]
    return {"d": 16, "degree": 6, "most": 1000, "starts": 3, "rows": made}


@pytest.mark.parametrize(
    ("rows", "outcome"),
    [
        (((0.2, 100.0), (0.1, 210.0), (0.01, 1900.0), (0.001, 21_000.0)), "holds"),
        (((0.2, 21_000.0), (0.1, 1900.0), (0.01, 210.0), (0.001, 20.0)), "fails"),  # the less edge, the sooner
        (((0.2, 100.0), (0.1, 5000.0), (0.01, 90.0), (0.001, 400.0)), "undecided"),
        (((0.2, 100.0), (0.1, 210.0), (0.01, 1900.0), (0.001, None)), "undecided"),
    ],
)
def test_targets_that_are_learned_sooner_with_less_of_an_edge_refute(
    rows: tuple[tuple[float, float | None], ...], outcome: str
) -> None:
    verdict = get("tangent.edge").judge(edges(*rows))
    assert verdict.outcome == outcome
    assert "leap 4: edge 0.001" in verdict.measured


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leap.exponent", "tangent.edge", "curve.kernel", "curve.need"])
def test_they_hold_as_measured(name: str) -> None:
    judged(name, "holds", seed=0)
