"""What the spectra of kernels predict: verdicts on true and on false numbers."""

from typing import Any

import pytest

from kernelgap import problems
from kernelgap.curves import predict
from kernelgap.paper.claims import get
from kernelgap.paper.claims.negative.curve_kernel import compare_with_fits


def cases(*errors: float, near: bool = False) -> list[dict[str, Any]]:
    about = {"kernel": "ck2", "problem": "sec8", "n": 100, "ridge": 1.0, "near": near}
    return [{**about, "measured": 2.0, "predicted": 2.0 * (1 + error)} for error in errors]


def test_predictions_are_refused_where_the_middle_or_the_tail_is_off() -> None:
    judge = get("curve.kernel").judge
    good = cases(*[0.01] * 39, -0.2)
    assert judge({"rows": good, "fits": 5}).outcome == "holds"
    assert judge({"rows": cases(*[0.03] * 40), "fits": 5}).outcome == "fails"
    assert judge({"rows": cases(*[0.01] * 36, *[-0.1] * 4), "fits": 5}).outcome == "fails"
    assert "20.0%" in judge({"rows": good, "fits": 5}).measured
    apart = judge({"rows": good + cases(*[0.5] * 20, near=True), "fits": 5})
    assert apart.outcome == "holds"
    assert "20 near" in apart.reason


def test_another_kernel_than_the_one_that_was_fitted_does_not_agree() -> None:
    rows = compare_with_fits("ck3", "sec8", 300, range(3))
    assert all(abs(row["predicted"] / row["measured"] - 1) < 0.1 for row in rows)
    wrong = predict(problems.sec8(), "ntk3", 300, [row["ridge"] for row in rows]).risk
    assert max(abs(risk / row["measured"] - 1) for risk, row in zip(wrong, rows, strict=True)) > 0.1


def needs(*pairs: tuple[int | None, int]) -> dict[str, Any]:
    about = {"problem": "sec8", "network": 500, "asked": "ck2", "kernel": "ck2", "risk": 0.02}
    return {"rows": [{**about, "samples": samples, "floor": floor} for samples, floor in pairs]}


@pytest.mark.parametrize(
    ("numbers", "outcome"),
    [(needs((200, 100), (None, 100)), "holds"), (needs((200, 100), (99, 100)), "fails"), (needs((100, 100)), "holds")],
)
def test_a_need_below_the_floor_is_refused(numbers: dict[str, Any], outcome: str) -> None:
    assert get("curve.need").judge(numbers).outcome == outcome
