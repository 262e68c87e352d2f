"""Judges of the claims of appendices B, C and E: right numbers are believed, wrong ones are not."""

import copy
import json
import math
from typing import Any

import numpy as np
import pytest

from kernelgap.paper.claims.claim import Claim
from kernelgap.paper.claims.lemmas import (
    fact_c4,
    lemma_c1,
    lemma_c2,
    lemma_c3,
    lemma_e1,
    lemma_e2,
    lemma_e3,
    prob_b,
)
from kernelgap.paper.theory.coupling import STATED, stated
from kernelgap.paper.theory.indicator import hermite
from kernelgap.paper.theory.probability import FLIP_CONSTANT

WIDTHS = [1024, 4096, 16384]


def _fit(value: float, half: float = 0.02) -> dict[str, float]:
    return {"value": value, "low": value - half, "high": value + half, "constant": 1.0}


def _c1() -> dict[str, Any]:
    worst = {}
    for part in STATED:
        factor = 0.98 * FLIP_CONSTANT if part in "ad" else 1.0
        value = {m: factor * stated(part, *lemma_c1._path(part, m), m) for m in WIDTHS}
        worst[part] = [[0.999 * value[m], 1.001 * value[m]] for m in WIDTHS]
    exponents = {part: lemma_c1._stated_exponent(part) for part in STATED}
    return {
        "widths": WIDTHS,
        "directions": 24,
        "unmet": [],
        "worst": worst,
        "random": {part: [1.0] * 3 for part in "abdef"},
        "exponents": {part: _fit(value - 0.03) for part, value in exponents.items()},
        "stated": exponents,
        "constants": {part: [1.0] * 3 for part in STATED},
        "slow": _fit(STATED["f"][0] + 0.03),
    }


def test_lemma_c1_holds_where_all_parts_do() -> None:
    assert lemma_c1.claim.judge(_c1()).outcome == "holds"
    outside = lemma_c1.claim.judge({**_c1(), "unmet": ["tau_v <= sigma_v at m = 1024"]})
    assert outside.outcome == "undecided"
    assert "tau_v <= sigma_v" in outside.reason
    assert len(lemma_c1.picture(_c1()).lines) == 3


@pytest.mark.parametrize("part", "bcdefg")
def test_lemma_c1_judges_exponents_by_their_whole_interval(part: str) -> None:
    for shift, outcome, words in ((0.1, "fails", "not as stated"), (0.01, "undecided", "cannot be told")):
        numbers = _c1()
        numbers["exponents"][part] = _fit(numbers["stated"][part] + shift)
        verdict = lemma_c1.claim.judge(numbers)
        assert verdict.outcome == outcome
        assert f"({part}) {words}" in verdict.reason


def test_lemma_c1_a_is_judged_by_its_constant_and_f_over_tau_too() -> None:
    numbers = _c1()
    numbers["exponents"]["a"] = _fit(0.9)  # whatever its exponent
    assert lemma_c1.claim.judge(numbers).outcome == "holds"
    numbers["worst"]["a"][-1] = [1.05 * value for value in numbers["worst"]["a"][-1]]
    assert "(a) not as stated" in lemma_c1.claim.judge(numbers).reason
    verdict = lemma_c1.claim.judge({**_c1(), "slow": _fit(2 / 3)})
    assert verdict.outcome == "fails"
    assert "whole row" in verdict.reason


def test_lemma_c1_is_measured_within_its_hypotheses_over_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"quick": (range(7, 10), 3, 3, 2, 8)}
    monkeypatch.setattr(lemma_c1, "SIZES", sizes)
    numbers = lemma_c1.measure("quick", 5)
    json.dumps(numbers, allow_nan=False)
    assert [text for text in numbers["unmet"] if "m = 128" in text or "m = 256" in text] == []
    assert "tau_v >= sigma_v (k/m)^(3/8) at m = 512" in numbers["unmet"]  # the smallest ratio asks for more
    assert lemma_c1.claim.judge(numbers).outcome == "undecided"


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
    assert "B.4, m=100, delta=0.3" in numbers["rare"]
    assert all(tail["high"] <= tail["bound"] for tail in numbers["tails"])
    rare = copy.deepcopy(numbers)  # without a hit, but of too few draws to show it
    rare["tails"][0] |= {"hits": 0, "low": 0.0, "bound": 1e-10}
    verdict = prob_b.claim.judge(rare)
    assert verdict.outcome == "undecided"
    assert rare["tails"][0]["name"] in verdict.reason
    assert prob_b.claim.judge({**numbers, "chi_square_worst": 1.01}).outcome == "fails"
    longer = {**numbers, "turned": [{**numbers["turned"][0], "largest": 1.001}]}
    assert "second half" in prob_b.claim.judge(longer).reason
    assert prob_b.claim.judge(longer).outcome == "fails"


def test_lemma_e2_is_measured_and_judged() -> None:
    numbers = lemma_e2.claim.measure("quick", 0)
    json.dumps(numbers, allow_nan=False)
    verdict = lemma_e2.claim.judge(numbers)
    assert verdict.outcome == "holds"
    assert "lemma.e3" in verdict.reason
    for name, value in {
        "error": 2 * numbers["functions"][0]["epsilon"],
        "log_range": numbers["functions"][0]["log_allowed"] + 0.1,
        "log_lipschitz": numbers["functions"][0]["log_allowed"] + 0.1,
        "second_moment": 1.1 * numbers["functions"][0]["second_allowed"],
    }.items():
        wrong = copy.deepcopy(numbers)
        wrong["functions"][0][name] = value
        assert lemma_e2.claim.judge(wrong).outcome == "fails"
    assert {row["share"] for row in numbers["functions"]} == set(lemma_e2.SHARES)
    wrong = copy.deepcopy(numbers)  # beyond what is allowed for the smallest epsilon alone
    wrong["functions"][len(lemma_e2.SHARES) - 1]["error"] = 1.01 * numbers["functions"][4]["epsilon"]
    verdict = lemma_e2.claim.judge(wrong)
    assert verdict.outcome == "fails"
    assert "error for sin(z) at epsilon = 0.001 / C_s" in verdict.reason
    errors = [cut["error"] for cut in numbers["cuts"]]
    assert errors[0] < 1e-12
    assert errors[-1] > numbers["epsilon_of_cuts"]  # a cut-off can be too short
    assert lemma_e2.picture(numbers).levels


def test_claim_e3_fails_as_printed_and_holds_corrected() -> None:
    printed, corrected = lemma_e3.claims
    numbers = printed.measure("quick", 0)
    json.dumps(numbers, allow_nan=False)
    verdict = printed.judge(numbers)
    assert verdict.outcome == "fails"
    assert "From i = 3" in verdict.reason
    assert printed.judge({**numbers, "rows": numbers["rows"][:1]}).outcome == "holds"  # i = 1
    assert corrected.judge(numbers).outcome == "holds"
    wrong = copy.deepcopy(numbers)
    wrong["rows"][1]["exact"] *= 1.0001
    assert corrected.judge(wrong).outcome == "fails"
    rng = np.random.default_rng(0)
    w = rng.standard_normal((400_000, 2))
    for i, row in zip((1, 3), numbers["rows"], strict=False):
        x = numbers["places"][1]
        values = hermite(i, w[:, 0]) * (w @ np.array([x, math.sqrt(1 - x * x)]) >= 0)
        assert row["integrals"][1] == pytest.approx(values.mean(), abs=4 * values.std() / math.sqrt(len(w)))


def _e1() -> dict[str, Any]:
    row = {
        "function": "sin(z)",
        "p": 1,
        "epsilon": 0.1,
        "errors": [[0.3, 0.2], [0.1, 0.09], [0.05, 0.04]],
        "exponent": _fit(-0.5),
        "reached": 4096,
        "norms": [[0.5, 0.51]] * 3,
        "rows": [[20.0, 21.0]] * 3,
        "log_C_eps": 4.0,
        "mean_square_over_expected": 1.02,
    }
    return {"widths": WIDTHS, "functions": [row]}


def test_lemma_e1_is_judged() -> None:
    assert lemma_e1.claim.judge(_e1()).outcome == "holds"
    for name, value, outcome in (
        ("reached", None, "undecided"),
        ("exponent", _fit(0.2), "fails"),
        ("norms", [[1.2, 1.21]] * 3, "fails"),
        ("norms", [[0.5, 0.51], [0.9, 1.05], [0.5, 0.51]], "undecided"),
        ("rows", [[60.0, 60.1]] * 3, "fails"),
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
        "norm_W": [[0.4, 0.41]] * 3,
        "norm_V": [[0.7, 0.71]] * 3,
    }


def test_lemma_c2_is_judged() -> None:
    assert lemma_c2.claim.judge(_c2()).outcome == "holds"
    for change, outcome in (
        ({"alpha_tilde": 0.05}, "undecided"),
        ({"norm_V": [[3.0, 3.1]] * 3}, "fails"),  # at C* = 1, not within 10^4 of it
        ({"largest_exponent": _fit(0.1)}, "fails"),
    ):
        assert lemma_c2.claim.judge({**_c2(), **change}).outcome == outcome


def _c3() -> dict[str, Any]:
    return {
        "widths": WIDTHS,
        "unmet": [],
        "worst": {part: [[1.0]] * 3 for part in "abc"},
        "exponents": {part: _fit(value - 0.05) for part, value in lemma_c3.TERMS.items()},
        "terms": lemma_c3.TERMS,
        "constants": dict.fromkeys("abc", 0.5),
        "alpha_tilde": [0.6, 0.65, 0.7],
        "stated": {part: [0.2] * 3 for part in "abc"},
        "stated_ratios": {part: [0.1] * 3 for part in "abc"},
        "stated_exponents": {part: _fit(-0.3) for part in "abc"},
    }


def test_lemma_c3_is_judged_by_its_terms_and_its_stated_bounds() -> None:
    assert lemma_c3.claim.judge(_c3()).outcome == "holds"
    for name, part, value, outcome, words in (
        ("exponents", "b", -0.1, "fails", "(b), term not as stated"),
        ("exponents", "c", -1 / 12, "undecided", "(c), term cannot be told"),
        ("stated_exponents", "a", 0.1, "fails", "(a), bound not as stated"),
        ("stated_exponents", "c", 0.01, "undecided", "(c), bound cannot be told"),
    ):
        numbers = _c3()
        numbers[name][part] = _fit(value)
        verdict = lemma_c3.claim.judge(numbers)
        assert verdict.outcome == outcome
        assert words in verdict.reason
    outside = lemma_c3.claim.judge({**_c3(), "unmet": ["|W*|_F is 1.2 of tau/10"]})
    assert outside.outcome == "undecided"
    assert "|W*|_F" in outside.reason


def test_lemma_c3_is_measured_within_its_hypotheses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemma_c3, "SIZES", {"quick": (range(7, 10), 3, 2, 4)})
    numbers = lemma_c3.measure("quick", 5)
    json.dumps(numbers, allow_nan=False)
    assert numbers["unmet"] == []
    for part in "ac":  # alpha~^4, and mean squares
        assert numbers["stated"][part][0] == pytest.approx(numbers["alpha_tilde"][0] ** 4)
        mean = sum(value**2 for value in numbers["worst"][part][0]) / 3
        assert numbers["stated_ratios"][part][0] == pytest.approx(mean / numbers["stated"][part][0])


def test_fact_c4_is_judged() -> None:
    case = {"automatic": 1.0, "formula": 1.0 + 1e-13, "rounding": 1e-12, "clear": True}
    assert fact_c4.claim.judge({"cases": [case]}).outcome == "holds"
    assert fact_c4.claim.judge({"cases": [case, {**case, "formula": 1.0 + 1e-11}]}).outcome == "fails"
    assert fact_c4.claim.judge({"cases": [{**case, "clear": False}]}).outcome == "undecided"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        (lemma_c1.claim, "fails"),
        (lemma_c2.claim, "holds"),
        (lemma_c3.claim, "holds"),
        (lemma_e1.claim, "holds"),
        (fact_c4.claim, "holds"),
    ],
    ids=lambda value: value.id if isinstance(value, Claim) else value,
)
def test_measured_at_quick_scale(claim: Claim, outcome: str) -> None:
    numbers = claim.measure("quick", 0)
    json.dumps(numbers, allow_nan=False)
    assert claim.judge(numbers).outcome == outcome
    if claim.picture is not None:
        assert claim.picture(numbers).lines
