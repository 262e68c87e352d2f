"""Claims along runs of Algorithm 1: what is asked of the runs, how they are judged, and that they measure."""

import json
import math
from typing import Any

import pytest

from kernelgap.paper.claims import trajectories
from kernelgap.paper.claims.claim import Claim
from kernelgap.paper.claims.lemmas import app_c3, thm1_xi

WIDTHS = [1024, 4096, 16384]
CLAIMS = {claim.id: claim for claim in (*app_c3.claims, *thm1_xi.claims)}
FALLING, GROWING, NOISY = [0.4, 0.35, 0.3], [0.3, 0.4, 0.5], [0.3, 0.5, 0.3]


def _run(m: int, **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "m": m,
        "tau_w": 1.2,
        "tau_v": 0.3,
        "W": 1.2,
        "V": 0.01,
        "tau_w_built": 1.3,
        "tau_v_built": 0.8,
        "built_at_start": [1e-9, 1e-9],
        "gradient_w": 1.2,
        "gradient_w_constant": 0.4 * m**-0.1,
        "gradient_v_constant": 0.2 * m**-0.1,
        "error": [0.2, 0.1],
        "distance": [1.0, 0.1],
        "one_point": [0.5, 0.04],
        "times": [0, 100],
        "parts": dict.fromkeys(("error", *trajectories.PARTS), 0.1),
        "matrix_leak": [0.1, 0.12],
        "error_constant": 0.3 * m**-0.1,
        "error_over_tau_w": 0.1 * m**-0.1,
        "first_output_constant": 0.1 * m**-0.1,
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


def _along(**changes: Any) -> dict[str, Any]:
    """Six runs at three widths each; a list of three gives a value for each width."""
    runs = []
    for n, m in enumerate(WIDTHS):
        at = {k: v[n] if isinstance(v, list) and len(v) == len(WIDTHS) else v for k, v in changes.items()}
        runs += [_run(m, **at)] * 6
    return {"widths": WIDTHS, "steps": 100, "alpha_tilde": 0.3, "runs": runs}


@pytest.mark.parametrize(
    ("id", "change", "outcome"),
    [
        ("claim.c5", {}, "holds"),
        ("claim.c5", {"gradient_w_constant": GROWING}, "fails"),
        ("claim.c5", {"gradient_v_constant": GROWING}, "fails"),
        ("claim.c5", {"gradient_v_constant": NOISY}, "undecided"),
        ("claim.c5", {"tau_w": 9.0}, "undecided"),
        ("claim.c6", {}, "holds"),
        ("claim.c6", {"error_constant": GROWING}, "fails"),
        ("claim.c6", {"error_over_tau_w": GROWING}, "fails"),
        ("claim.c6", {"tau_w_built": 90.0}, "undecided"),
        ("claim.c6", {"tau_v_built": 1.5}, "undecided"),
        ("claim.c6", {"built_at_start": [0.1, 1e-9]}, "undecided"),
        ("claim.c7", {}, "holds"),
        ("claim.c7", {"first_output_constant": -0.1}, "holds"),
        ("claim.c7", {"first_output_constant": [-0.1, 0.1, 0.2]}, "undecided"),
        ("claim.c7", {"first_output_constant": GROWING}, "fails"),
        ("claim.c7", {"tau_v": 1.1}, "undecided"),
        ("thm1.xi", {}, "holds"),
        ("thm1.xi", {"xi_least_gap": -0.01}, "fails"),
        ("thm1.xi", {"xi_two_ways": 1e-3}, "fails"),
        ("thm1.xi", {"telescoping": 1e-3}, "fails"),
        ("thm1.xi", {"heart_share": 0.3}, "undecided"),
        ("thm1.xi", {"left": 11.0}, "fails"),
        ("thm1.one_point", {}, "holds"),
        ("thm1.one_point", {"one_point": [0.5, -0.01]}, "fails"),
    ],
)
def test_claims_along_a_run_are_judged(id: str, change: dict[str, Any], outcome: str) -> None:
    claim = CLAIMS[id]
    numbers = _along(**change)
    assert claim.judge(numbers).outcome == outcome
    if claim.picture is not None:
        assert claim.picture(numbers).lines


def test_what_lies_outside_says_from_which_width_on_the_statement_speaks() -> None:
    verdict = app_c3.judge_c5(_along(tau_w=9.0))
    assert "0 of 18 runs" in verdict.measured
    assert "tau_w <= m^(1/8-0.001) sigma_w^(1/4) (9 where 1.82 is allowed)" in verdict.reason
    # m^(1/16 - 0.001) = 9
    assert f"from m = 10^{math.log10(9) / (1 / 16 - 0.001):.1f} on" in verdict.reason
    assert "at no width" in app_c3.judge_c7(_along(tau_v=1.1)).reason


def test_runs_outside_are_left_out_while_enough_are_within() -> None:
    numbers = _along()
    numbers["runs"] = [*numbers["runs"], _run(1024, tau_w=9.0, gradient_w_constant=1e6)]
    verdict = app_c3.judge_c5(numbers)
    assert verdict.outcome == "holds"
    assert "18 of 19 runs" in verdict.reason
    assert app_c3.judge_c5({**numbers, "runs": numbers["runs"][2:]}).outcome == "undecided"  # 4 at 1024


def test_one_point_convexity_is_asked_of_the_least_ratio_and_from_a_width_on() -> None:
    numbers = _along()
    for n, row in enumerate(numbers["runs"]):
        ratio = -0.2 if row["m"] == 1024 else 0.5 + 0.01 * n
        numbers["runs"][n] = {**row, "one_point": [1.0, ratio * 0.1]}
    verdict = thm1_xi.judge_one_point(numbers)
    assert verdict.outcome == "holds"
    assert "From m = 4096 on" in verdict.reason
    one = {**numbers, "runs": [*numbers["runs"], {**numbers["runs"][-1], "one_point": [1.0, -0.001]}]}
    verdict = thm1_xi.judge_one_point(one)  # the interval of the mean is positive, one run's ratio is not
    assert verdict.outcome == "undecided"
    assert "1 runs have a ratio that is not positive" in verdict.reason
    for n in (-1, -2, -3):
        numbers["runs"][n] = {**numbers["runs"][n], "one_point": [1.0, -0.08]}
    assert thm1_xi.judge_one_point(numbers).outcome == "undecided"


def test_runs_are_measured() -> None:
    small = trajectories.Series(trajectories.SMALL.member, 0.05, {"quick": (range(7, 10), 5, 20)})
    numbers = trajectories.of_runs(small, "W tau_w tau_v one_point distance", "quick", 1)
    json.dumps(numbers, allow_nan=False)
    assert [row["m"] for row in numbers["runs"]] == [128] * 5 + [256] * 5 + [512] * 5
    for row in numbers["runs"]:
        assert row["tau_w"] == pytest.approx(max(1.0, row["W"]))
        assert row["tau_v"] >= row["m"] ** (1 / 8) * (2 / row["m"]) ** (3 / 8) * (1 - 1e-12)
        assert len(row["one_point"]) == len(row["distance"]) == trajectories.BLOCKS + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "outcomes"),
    [
        (CLAIMS["claim.c5"], {"holds"}),
        (CLAIMS["claim.c6"], {"undecided"}),
        (CLAIMS["claim.c7"], {"holds", "undecided"}),
        (CLAIMS["thm1.xi"], {"holds"}),
        (CLAIMS["thm1.one_point"], {"holds"}),
    ],
    ids=lambda value: value.id if isinstance(value, Claim) else "",
)
def test_measured_at_quick_scale(claim: Claim, outcomes: set[str]) -> None:
    numbers = claim.measure("quick", 0)
    json.dumps(numbers, allow_nan=False)
    assert claim.judge(numbers).outcome in outcomes
