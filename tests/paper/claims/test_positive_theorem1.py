"""Theorem 1, its corollary and its footnotes, by training: verdicts on true and on false numbers."""

from typing import Any

import pytest

from kernelgap.paper.claims import get


def interval(value: float, low: float, high: float) -> dict[str, float]:
    return {"value": value, "low": low, "high": high, "constant": 1.0}


def risk_row(alpha: float, **other: Any) -> dict[str, Any]:
    row = {"name": f"alpha {alpha}", "alpha": alpha, "largest_alpha": 0.059, "width": 400, "least_width": 220.0}
    row |= {"table1": 9.1, "steps": 30_000, "threshold": 2 * alpha**2, "left": 2 * alpha**2, "delta": 2.0}
    return {**row, "averaged": [0.001, 0.002], "final": [1e-5, 2e-5], **other}


ROWS = [risk_row(a) for a in (0.058, 0.05, 0.042)]
RISK: dict[str, Any] = {
    "rows": ROWS,
    "members": [risk_row(0.05)],
    "exponents": {"averaged": interval(7.8, 7.5, 8.1), "final": interval(9, 8, 10)},
    "speaks": 0.0025,
}


@pytest.mark.parametrize(
    ("false", "outcome", "reason"),
    [
        ({}, "holds", "alpha from 0.042 to 0.058"),
        ({"rows": [risk_row(0.058, averaged=[0.001, 0.02]), *ROWS[1:]]}, "fails", "alpha 0.058"),
        ({"members": [risk_row(0.05, averaged=[0.02])]}, "fails", "0.02 on average"),
        ({"rows": [risk_row(0.058, averaged=[0.001, float("inf")]), *ROWS[1:]]}, "fails", "on average"),
        ({"rows": [*ROWS[:2], risk_row(0.3)]}, "undecided", "speaks of alpha <= 0.059"),
        ({"rows": [*ROWS[:2], risk_row(0.042, least_width=900.0)]}, "undecided", "widths from 900 on"),
        ({"exponents": {**RISK["exponents"], "averaged": interval(3, 2.5, 3.5)}}, "fails", ""),
        ({"exponents": {**RISK["exponents"], "averaged": interval(4.2, 3.5, 4.9)}}, "undecided", ""),
    ],
)
def test_risk_must_be_under_what_F_leaves_within_the_theorem(false: dict[str, Any], outcome: str, reason: str) -> None:
    verdict = get("thm1.risk").judge({**RISK, **false})
    assert verdict.outcome == outcome
    assert reason in verdict.reason


LINE = {"constant": 431.0, "slope": 8.7, "constant_interval": [400, 460], "slope_interval": [8, 9.4], "off": 0.04}


def case(alpha: float, largest: float, slope: tuple[float, float], **other: Any) -> dict[str, Any]:
    rows = [{"d": d, "needed": [400 + 9.0 * d, 500 + 9.0 * d], "any_kernel": d**3} for d in (32, 64, 128)]
    fit = interval(sum(slope) / 2, *slope)
    fits = {"exponent": fit, "latest": fit, "exponent_any_kernel": interval(3, 2.9, 3.1), "affine": LINE}
    return {"k": 3, "alpha": alpha, "largest_alpha": largest, "rows": rows, **fits, **other}


@pytest.mark.parametrize(
    ("cases", "outcome"),
    [
        ((case(0.3, 0.01, (0.7, 0.9)), case(0.05, 0.06, (0.2, 0.6))), "holds"),
        ((case(0.3, 0.01, (0.9, 1.1)), case(0.05, 0.06, (0.2, 0.6))), "undecided"),  # 1 is inside
        ((case(0.3, 0.01, (1.2, 1.6)), case(0.05, 0.06, (0.2, 0.6))), "fails"),
        ((case(0.3, 0.01, (0.7, 0.9)), case(0.05, 0.06, (0.2, 0.6), latest=interval(2, 1.8, 2.2))), "fails"),
        ((case(0.3, 0.01, (0.7, 0.9)), case(0.05, 0.01, (0.2, 0.6))), "undecided"),  # no alpha is admitted
        ((case(0.3, 0.01, (0.7, 0.9), affine={**LINE, "off": 0.4}), case(0.05, 0.06, (0.2, 0.6))), "undecided"),
    ],
)
def test_samples_must_not_grow_faster_than_linearly(cases: tuple[dict[str, Any], ...], outcome: str) -> None:
    verdict = get("thm1.samples").judge({"share": 0.25, "width": 100, "cases": list(cases)})
    assert verdict.outcome == outcome
    assert "N = 431 + 8.7 d" in verdict.measured


def test_a_start_that_did_not_get_there_leaves_it_open() -> None:
    claim = get("thm1.samples")
    missed = case(0.3, 0.01, (0.7, 0.9))
    missed["rows"][0]["needed"] = [100.0, None]
    verdict = claim.judge({"share": 0.25, "width": 100, "cases": [missed]})
    assert (verdict.outcome, "d = 32" in verdict.reason) == ("undecided", True)
    assert claim.picture is not None
    assert claim.picture({"cases": [missed]}).lines[0].x == [64, 128]


def need_row(alpha: float, needed: list[float | None], k: int = 2, largest: float = 0.06) -> dict[str, Any]:
    return {"d": 16, "k": k, "alpha": alpha, "level": 1.0, "needed": needed, "largest_alpha": largest, "delta": 4.0}


@pytest.mark.parametrize(
    ("fit", "alpha", "outcome"),
    [
        (interval(-1.8, -2, -1.6), 0.05, "holds"),
        (interval(-5, -6, -4.5), 0.05, "fails"),  # the talk's bound, though not the paper's
        (interval(-9, -9.5, -8.5), 0.05, "fails"),
        (interval(-4, -4.4, -3.6), 0.05, "undecided"),
        (interval(-1.8, -2, -1.6), 0.3, "undecided"),  # not admitted
        (None, 0.05, "undecided"),
    ],
)
def test_samples_must_not_grow_faster_than_stated_as_alpha_falls(fit: Any, alpha: float, outcome: str) -> None:
    rows = [need_row(a, [1e4, 2e4]) for a in (alpha, 0.03, 0.02)]
    beyond = [need_row(0.1, [1e3, 2e3], 3)]
    numbers = {"width": 100, "rows": rows, "beyond": beyond, "exponent": fit, "exponent beyond": None}
    assert get("thm1.alpha").judge(numbers).outcome == outcome


@pytest.mark.parametrize(
    ("fit", "largest", "outcome"),
    [
        (interval(1.5, 1.2, 1.8), 1.0, "holds"),
        (interval(3, 2.5, 3.5), 1.0, "fails"),
        (interval(2, 1.5, 2.5), 1.0, "undecided"),
        (interval(1.5, 1.2, 1.8), 0.01, "undecided"),  # the corollary does not speak of these alpha
        (None, 1.0, "undecided"),
    ],
)
def test_samples_over_k_are_judged_where_the_corollary_speaks(fit: Any, largest: float, outcome: str) -> None:
    rows = [need_row(0.3, [1e3, 2e3], k, largest) for k in (2, 3, 4)]
    assert get("thm1.alpha.k").judge({"width": 100, "rows": rows, "exponent": fit}).outcome == outcome


@pytest.mark.parametrize(
    ("ends", "fit", "outcome"),
    [
        ([1e-6, 2e-6], interval(-2, -2.2, -1.8), "holds"),
        ([0.03, 0.05], interval(-2, -2.2, -1.8), "fails"),  # stays above alpha^4
        ([1e-6, 2e-6], interval(0.2, 0.1, 0.3), "fails"),
        ([1e-6, 2e-6], interval(-0.1, -0.3, 0.1), "undecided"),
        ([1e-6, 2e-3], interval(-2, -2.2, -1.8), "undecided"),
    ],
)
def test_the_risk_must_go_on_falling_far_below_alpha_to_the_fourth(ends: list[float], fit: Any, outcome: str) -> None:
    row = {"name": "signs", "fourth": 0.024, "exponent": fit, "times": [10, 100], "risks": [[1.0, e] for e in ends]}
    assert get("thm1.to_zero").judge({"width": 100, "steps": 100, "rows": [row]}).outcome == outcome


@pytest.mark.parametrize(
    ("repeated", "outcome"),
    [
        ([1100.0, 1500.0], "holds"),
        ([4000.0, 5000.0], "undecided"),
        ([1100.0, None], "undecided"),
        ([None, None], "fails"),
    ],
)
def test_every_law_must_be_learned(repeated: list[float | None], outcome: str) -> None:
    laws = {"uniform": [1000.0, 1200.0], "repeated": repeated}
    rows = [{"d1": 8, "background": law, "needed": need, "norm": [0.9, 1.1]} for law, need in laws.items()]
    verdict = get("thm1.distribution").judge({"d": 64, "width": 100, "rows": rows})
    assert verdict.outcome == outcome


@pytest.mark.parametrize(
    ("again", "steps", "outcome"),
    [
        ([0.001, 0.002], [700.0, 900.0], "holds"),
        ([0.2, 0.002], [700.0, 900.0], "fails"),  # ends higher than one fresh pass
        ([0.001, 0.002], [4000.0, 5000.0], "undecided"),
        ([0.001, 0.002], [700.0, None], "undecided"),
    ],
)
def test_passes_must_do_as_fresh_samples_do(again: list[float], steps: list[float | None], outcome: str) -> None:
    row = {"share": 1.0, "samples": 800, "steps": steps, "once": [0.05, 0.06], "again": again}
    row["as many steps"] = [1e-4, 1e-4]
    numbers = {"threshold": 0.27, "level": 0.07, "width": 100, "fresh": [800.0, 850.0], "rows": [row]}
    assert get("thm1.multipass").judge(numbers).outcome == outcome
    del numbers["rows"]  # as where some start did not get there with fresh samples
    assert get("thm1.multipass").judge(numbers).outcome == "undecided"


FALLS = {"distance": interval(-2, -2.3, -1.7), "moved": interval(-2, -2.2, -1.8)}


@pytest.mark.parametrize(
    ("careful", "fits", "outcome"),
    [
        ([0.001, 0.002], FALLS, "holds"),
        ([0.3, 0.4], FALLS, "fails"),  # careful training does not learn
        ([0.001, 0.4], FALLS, "undecided"),
        ([0.001, 0.002], {**FALLS, "distance": interval(0.5, 0.2, 0.8)}, "fails"),
        ([0.001, 0.002], {**FALLS, "moved": interval(-0.1, -0.4, 0.2)}, "undecided"),
        ([0.001, 0.002], None, "undecided"),
    ],
)
def test_all_layers_must_learn_and_carelessly_become_the_last(careful: list[float], fits: Any, outcome: str) -> None:
    row = {"width": 1600, "distance": [0.01, 0.02], "moved": [0.1, 0.2], "common": [0.4, 0.5], "last": [0.4, 0.5]}
    numbers = {"threshold": 0.27, "careful": careful, "A fixed": [0.001, 0.001], "rows": [row], "exponents": fits}
    assert get("thm1.all_layers").judge(numbers).outcome == outcome
