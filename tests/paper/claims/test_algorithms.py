"""Algorithms: verdicts on true and on false numbers."""

from typing import Any

import numpy as np
import pytest

from kernelgap.paper.claims import get
from kernelgap.paper.claims.algorithms.noisy import aligned


def sgd(theorem: dict[str, float] | None = None, alpha: float = 0.05, **row: Any) -> dict[str, Any]:
    said = {"largest_alpha": 0.06, "delta": 2.1, "eta_w": 1.0, "eta_v": 0.005, "T": 160.0, **(theorem or {})}
    good = {"off": {"W": 1e-6, "V": 1e-6}, "output layer moved": False, "risk": [0.7357, 0.7357]}
    rows = [good, {**good, **row}]
    about = {"steps": 160, "alpha": alpha, "answering 0": 2.0, "threshold": 0.005, "theorem": said}
    return {**about, "rows": rows, "speaks": {"alpha": 0.002, "T": 1e12}}


@pytest.mark.parametrize("false", [{"off": {"W": 1e-6, "V": 0.1}}, {"output layer moved": True}, {"risk": [0.8, 0.7]}])
def test_another_algorithm_is_refused(false: dict[str, Any]) -> None:
    assert get("algo.sgd").judge(sgd()).outcome == "holds"
    assert get("algo.sgd").judge(sgd(**false)).outcome == "fails"


def test_the_average_risk_is_compared_with_delta() -> None:
    claim = get("algo.sgd")
    assert "says nothing: answering 0 has 2 < delta" in claim.judge(sgd()).reason
    assert "nothing of the composite signal" in claim.judge(sgd({"delta": 1.0})).reason
    above = claim.judge(sgd({"delta": 0.5}))
    assert (above.outcome, "1.5 delta" in above.reason) == ("undecided", True)
    assert "below the 0.005" in claim.judge(sgd({"delta": 0.004}, risk=[0.001, 0.001]) | _quiet()).reason
    assert claim.judge(sgd(alpha=0.1)).outcome == "undecided"  # not admitted


def _quiet() -> dict[str, Any]:
    return {"rows": [{"off": {"W": 1e-6}, "output layer moved": False, "risk": [0.001, 0.001]}]}


def test_another_schedule_is_refused() -> None:
    claim = get("algo.multipass")
    schedule = {"momentum": 0.9, "batch": 50, "epochs": 800, "drop": 10.0, "drop_epoch": 400}
    numbers = {"schedule": schedule, "grid": [0.001, 0.002, 0.005, 0.01], "off": {"W": 1e-7}}
    assert claim.judge(numbers).outcome == "holds"
    assert claim.judge({**numbers, "schedule": {**schedule, "momentum": 0.95}}).outcome == "fails"
    assert claim.judge({**numbers, "schedule": {**schedule, "drop_epoch": 401}}).outcome == "fails"
    assert claim.judge({**numbers, "grid": [0.001, 0.003]}).outcome == "fails"
    assert claim.judge({**numbers, "off": {"W": 0.01}}).outcome == "fails"


def noisy(small: list[float | None], large: list[float | None], noise: float = 1.7) -> dict[str, Any]:
    rows = [
        {"rate": rate, "decay_w": 0.03, "decay_v": 0.03, "noise": 1.0, "risks": risks, "aligned": [0.4, 0.5]}
        for rate, risks in ((0.002, small), (0.02, large))
    ]
    about = {"d": 8, "k": 2, "width": 40, "steps": 40_000, "threshold": 0.18, "aligned at start": [0.05, 0.06]}
    return {**about, "rows": rows, "noise": noise}


@pytest.mark.parametrize(
    ("numbers", "outcome", "reason"),
    [
        (noisy([0.05, 0.06], [0.4, None]), "holds", "At rate 0.02 noise drowns it"),
        (noisy([0.05, 0.06], [0.05, 0.06], 9.0), "fails", "stated covariance"),
        (noisy([0.5, 0.6], [0.4, 0.5]), "fails", "at every rate tried"),
        (noisy([None, None], [None, None]), "fails", "at every rate tried"),
        (noisy([0.05, 0.06, 0.3], [0.4, 0.5, 0.6]), "undecided", "Not every start"),
    ],
)
def test_noise_must_be_as_stated_and_let_the_network_learn(numbers: Any, outcome: str, reason: str) -> None:
    verdict = get("algo.noisy").judge(numbers)
    assert verdict.outcome == outcome
    assert reason in verdict.reason


def test_weaker_noise_than_stated_is_no_answer() -> None:
    numbers = noisy([0.05, 0.06], [0.05, 0.06])
    numbers["rows"][0]["noise"] = 0.1
    assert get("algo.noisy").judge(numbers).outcome == "undecided"


def test_alignment_is_one_within_the_space_of_A() -> None:
    rng = np.random.default_rng(0)
    A = np.abs(rng.standard_normal((2, 6)))
    X = np.abs(rng.standard_normal((50, 2)))
    inside = {"W": A.T, "b1": np.zeros(6)}  # s(Wx) = A'x, as nothing is negative
    assert aligned(A, inside, X) == pytest.approx(1.0)
    outside = {"W": np.linalg.svd(A)[2][2:4].T, "b1": np.full(6, 9.0)}
    assert aligned(A, outside, X) == pytest.approx(0.0, abs=1e-9)


def test_layerwise_must_be_clearly_worse() -> None:
    claim = get("algo.layerwise")

    def numbers(joint: float, layerwise: float, error: float = 0.01) -> dict[str, Any]:
        found = {"joint": joint, "first": 2.0, "layerwise": layerwise}
        row = {name: {"test": test, "standard_error": error} for name, test in found.items()}
        return {"threshold": 1.35, "samples": 2000, "rows": [row]}

    assert claim.judge(numbers(0.06, 0.6)).outcome == "holds"
    assert claim.judge(numbers(0.06, 0.05)).outcome == "fails"
    assert claim.judge(numbers(0.5, 0.6)).outcome == "undecided"
    assert claim.judge(numbers(0.06, 0.6, error=0.3)).outcome == "fails"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["algo.sgd", "algo.multipass", "algo.noisy", "algo.layerwise"])
def test_end_to_end(name: str) -> None:
    claim = get(name)
    assert claim.judge(claim.measure("quick", 0)).outcome == "holds"
