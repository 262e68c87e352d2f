"""Judges of the claims of appendices B, C and E: right numbers are believed, wrong ones are not."""

import copy
import json
from typing import Any

import pytest

from kernelgap.paper.claims.claim import Claim
from kernelgap.paper.claims.positive import (
    along_a_run,
    fact_c4,
    lemma_c1,
    lemma_c2,
    lemma_c3,
    lemma_e1,
    lemma_e2,
    prob_b,
)
from kernelgap.paper.theory.coupling import STATED, stated
from kernelgap.paper.theory.probability import FLIP_CONSTANT

WIDTHS = [1024, 4096, 16384]
ALONG = {claim.id: claim for claim in along_a_run.claims}


def _fit(value: float, half: float = 0.02) -> dict[str, float]:
    return {"value": value, "low": value - half, "high": value + half, "constant": 1.0}


def _c1() -> dict[str, Any]:
    worst = {}
    for part in STATED:
        factor = 0.98 * FLIP_CONSTANT if part in "ad" else 1.0
        worst[part] = [[factor * stated(part, *lemma_c1._path(part, m), m)] * 2 for m in WIDTHS]
    exponents = {part: lemma_c1._stated_exponent(part) for part in STATED}
    return {
        "widths": WIDTHS,
        "in_range": True,
        "worst": worst,
        "random": {part: [1.0] * 3 for part in "abdef"},
        "exponents": {part: _fit(value) for part, value in exponents.items()},
        "stated": exponents,
        "constants": {part: [1.0] * 3 for part in STATED},
        "ratio_exponents": {part: _fit(STATED[part][0]) for part in "def"},
        "ratio_stated": {part: STATED[part][0] for part in "def"},
    }


def test_lemma_c1_holds_where_all_parts_do() -> None:
    assert lemma_c1.claim.judge(_c1()).outcome == "holds"
    assert lemma_c1.claim.judge({**_c1(), "in_range": False}).outcome == "undecided"
    assert len(lemma_c1.picture(_c1()).lines) == 3


def test_lemma_c1_names_the_parts_that_break() -> None:
    for part in "bceg":
        numbers = _c1()
        numbers["exponents"][part] = _fit(numbers["stated"][part] + 0.1)
        verdict = lemma_c1.claim.judge(numbers)
        assert verdict.outcome == "fails"
        assert f"({part}) does not" in verdict.reason
    for part in "ad":
        numbers = _c1()
        numbers["worst"][part][-1][0] *= 1.5
        assert f"({part}) does not" in lemma_c1.claim.judge(numbers).reason
    numbers = _c1()
    numbers["ratio_exponents"]["f"] = _fit(2 / 3)
    verdict = lemma_c1.claim.judge(numbers)
    assert verdict.outcome == "fails"
    assert "whole row" in verdict.reason


def test_the_exponents_on_the_path_are_those_announced() -> None:
    announced = {"a": 5 / 6, "b": -1 / 12, "c": 0, "d": 5 / 6, "e": -5 / 24, "f": -5 / 24, "g": -1 / 8}
    for part, value in announced.items():
        assert lemma_c1._stated_exponent(part) == pytest.approx(value)
        ratio = stated(part, *lemma_c1._path(part, 4096), 4096) / stated(part, *lemma_c1._path(part, 64), 64)
        assert ratio == pytest.approx(64**value)


def test_prob_b_is_measured_and_judged() -> None:
    numbers = prob_b.claim.measure("quick", 0)
    json.dumps(numbers, allow_nan=False)
    assert prob_b.claim.judge(numbers).outcome == "holds"
    wrong = copy.deepcopy(numbers)
    wrong["tails"][0]["low"] = wrong["tails"][0]["bound"] * 1.1
    verdict = prob_b.claim.judge(wrong)
    assert verdict.outcome == "fails"
    assert wrong["tails"][0]["name"] in verdict.reason
    assert prob_b.claim.judge({**numbers, "chi_square_worst": 1.01}).outcome == "fails"


def test_lemma_e2_is_measured_and_judged() -> None:
    numbers = lemma_e2.claim.measure("quick", 0)
    json.dumps(numbers, allow_nan=False)
    verdict = lemma_e2.claim.judge(numbers)
    assert verdict.outcome == "holds"
    assert "slip" in verdict.reason
    for name, value in {
        "error": 2 * numbers["functions"][0]["epsilon"],
        "log_range": numbers["functions"][0]["log_allowed"] + 0.1,
        "log_lipschitz": numbers["functions"][0]["log_allowed"] + 0.1,
        "second_moment": 1.1 * numbers["functions"][0]["second_allowed"],
    }.items():
        wrong = copy.deepcopy(numbers)
        wrong["functions"][0][name] = value
        assert lemma_e2.claim.judge(wrong).outcome == "fails"
    errors = [cut["error"] for cut in numbers["cuts"]]
    assert errors[0] < 1e-12
    assert errors[-1] > numbers["epsilon_of_cuts"]  # a cut-off can be too short
    assert lemma_e2.picture(numbers).levels


def _e1() -> dict[str, Any]:
    row = {
        "function": "sin(z)",
        "p": 1,
        "epsilon": 0.1,
        "errors": [[0.3, 0.2], [0.1, 0.09], [0.05, 0.04]],
        "exponent": _fit(-0.5),
        "reached": 4096,
        "norm_ratio": 0.5,
        "row_ratio": 20.0,
        "log_C_eps": 30.0,
        "mean_square_over_expected": 1.02,
    }
    return {"widths": WIDTHS, "functions": [row]}


def test_lemma_e1_is_judged() -> None:
    assert lemma_e1.claim.judge(_e1()).outcome == "holds"
    for name, value, outcome in (
        ("reached", None, "undecided"),
        ("exponent", _fit(0.2), "fails"),
        ("norm_ratio", 2e4, "fails"),
        ("row_ratio", 1e20, "fails"),
    ):
        numbers = _e1()
        numbers["functions"][0][name] = value
        assert lemma_e1.claim.judge(numbers).outcome == outcome, name


def _c2() -> dict[str, Any]:
    return {
        "widths": WIDTHS,
        "alpha_tilde": 0.3,
        "mean_square": [[0.1, 0.2], [0.02, 0.03], [0.001, 0.002]],
        "largest": [[0.4, 0.3], [0.1, 0.09], [0.05, 0.04]],
        "mean_square_exponent": _fit(-1.0),
        "largest_exponent": _fit(-0.5),
        "norm_ratio_W": 0.4,
        "norm_ratio_V": 0.7,
    }


def test_lemma_c2_is_judged() -> None:
    assert lemma_c2.claim.judge(_c2()).outcome == "holds"
    for change, outcome in (
        ({"alpha_tilde": 0.05}, "undecided"),
        ({"norm_ratio_V": 3e4}, "fails"),
        ({"largest_exponent": _fit(0.1)}, "fails"),
    ):
        assert lemma_c2.claim.judge({**_c2(), **change}).outcome == outcome
    assert len(lemma_c2.half_sphere(50)) == 50


def test_lemma_c3_is_judged() -> None:
    numbers: dict[str, Any] = {
        "widths": WIDTHS,
        "worst": {part: [[1.0]] * 3 for part in "abc"},
        "exponents": {part: _fit(value - 0.05) for part, value in lemma_c3.STATED.items()},
        "stated": lemma_c3.STATED,
        "constants": dict.fromkeys("abc", 0.5),
    }
    assert lemma_c3.claim.judge(numbers).outcome == "holds"
    numbers["exponents"]["b"] = _fit(-0.1)
    assert lemma_c3.claim.judge(numbers).outcome == "fails"


def test_fact_c4_is_judged() -> None:
    case = {"automatic": 1.0, "formula": 1.0 + 1e-13, "rounding": 1e-12, "clear": True}
    assert fact_c4.claim.judge({"cases": [case]}).outcome == "holds"
    assert fact_c4.claim.judge({"cases": [case, {**case, "formula": 1.0 + 1e-11}]}).outcome == "fails"
    assert fact_c4.claim.judge({"cases": [{**case, "clear": False}]}).outcome == "undecided"


def _run(m: int, **changes: float) -> dict[str, Any]:
    row: dict[str, Any] = {
        "m": m,
        "gradient_w": 1.2,
        "gradient_w_constant": 0.4 + 10 / m,
        "gradient_v_constant": 0.2,
        "error": [0.2, 0.1],
        "distance": [1.0, 0.1],
        "parts": dict.fromkeys(("error", *along_a_run.PARTS), 0.1),
        "matrix_leak": [0.1, 0.12],
        "error_constant": 0.3,
        "error_over_tau_w": 0.1,
        "first_output_constant": 0.1,
        "xi_least_gap": 0.01,
        "xi_largest": 2.0,
        "xi_two_ways": 1e-14,
        "xi_means": [0.1] * 10,
        "xi_bound_means": [-0.1] * 10,
        "half_distance_means": [0.1] * 10,
        "heart_share": 0.05,
        "telescoping": 1e-15,
        "left": 8.0,
        "right": 10.0,
    }
    return {**row, **changes}


def _along(**changes: list[float] | float) -> dict[str, Any]:
    """Runs at three widths; a list gives a value for each."""
    runs = []
    for n, m in enumerate(WIDTHS):
        runs.append(_run(m, **{k: v[n] if isinstance(v, list) else v for k, v in changes.items()}))
    return {"widths": WIDTHS, "steps": 100, "runs": runs}


GROWING = [3.0, 12.0, 48.0]


@pytest.mark.parametrize(
    ("id", "change", "outcome"),
    [
        ("claim.c5", {}, "holds"),
        ("claim.c5", {"gradient_w_constant": GROWING}, "fails"),
        ("claim.c5", {"gradient_v_constant": GROWING}, "fails"),
        ("claim.c6", {}, "holds"),
        ("claim.c6", {"error_constant": GROWING}, "fails"),
        ("claim.c6", {"error_over_tau_w": GROWING}, "fails"),
        ("claim.c7", {}, "holds"),
        ("claim.c7", {"first_output_constant": -0.1}, "holds"),
        ("claim.c7", {"first_output_constant": [-0.1, 0.1, 0.2]}, "undecided"),
        ("claim.c7", {"first_output_constant": GROWING}, "fails"),
        ("thm1.xi", {}, "holds"),
        ("thm1.xi", {"xi_least_gap": -0.01}, "fails"),
        ("thm1.xi", {"xi_two_ways": 1e-3}, "fails"),
        ("thm1.xi", {"telescoping": 1e-3}, "fails"),
        ("thm1.xi", {"heart_share": 0.3}, "undecided"),
        ("thm1.xi", {"left": 11.0}, "fails"),
    ],
)
def test_claims_along_a_run_are_judged(id: str, change: dict[str, Any], outcome: str) -> None:
    claim = ALONG[id]
    numbers = _along(**change)
    assert claim.judge(numbers).outcome == outcome
    if claim.picture is not None:
        assert claim.picture(numbers).lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        (lemma_c1.claim, "fails"),
        (lemma_c2.claim, "holds"),
        (lemma_c3.claim, "holds"),
        (lemma_e1.claim, "holds"),
        (fact_c4.claim, "holds"),
        *((claim, "holds") for claim in along_a_run.claims),
    ],
    ids=lambda value: value.id if isinstance(value, Claim) else value,
)
def test_measured_at_quick_scale(claim: Claim, outcome: str) -> None:
    numbers = claim.measure("quick", 0)
    json.dumps(numbers, allow_nan=False)
    assert claim.judge(numbers).outcome == outcome
    if claim.picture is not None:
        assert claim.picture(numbers).lines
