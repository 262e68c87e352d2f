"""Algorithms: verdicts on true and on false numbers."""

from typing import Any

import numpy as np
import pytest

from kernelgap.paper.claims import get
from kernelgap.paper.claims.algorithms.noisy import aligned

THEOREM = {"largest_alpha": 0.06, "delta": 2.0, "eta_w": 1.0, "eta_v": 0.005, "T": 160.0}
SGD: dict[str, Any] = {
    "steps": 160,
    "off": {"W": 1e-6, "V": 1e-6},
    "output layer moved": False,
    "risk": [0.7357, 0.7357],
    "theorem": THEOREM,
}


@pytest.mark.parametrize("false", [{"off": {"W": 1e-6, "V": 0.1}}, {"output layer moved": True}, {"risk": [0.8, 0.7]}])
def test_another_algorithm_is_refused(false: dict[str, Any]) -> None:
    claim = get("algo.sgd")
    assert claim.judge(SGD).outcome == "holds"
    assert claim.judge({**SGD, **false}).outcome == "fails"


def test_another_schedule_is_refused() -> None:
    claim = get("algo.multipass")
    schedule = {"momentum": 0.9, "batch": 50, "epochs": 800, "drop": 10.0, "drop_epoch": 400}
    numbers = {"schedule": schedule, "grid": [0.001, 0.002, 0.005, 0.01], "off": {"W": 1e-7}}
    assert claim.judge(numbers).outcome == "holds"
    assert claim.judge({**numbers, "schedule": {**schedule, "momentum": 0.95}}).outcome == "fails"
    assert claim.judge({**numbers, "schedule": {**schedule, "drop_epoch": 401}}).outcome == "fails"
    assert claim.judge({**numbers, "grid": [0.001, 0.003]}).outcome == "fails"
    assert claim.judge({**numbers, "off": {"W": 0.01}}).outcome == "fails"


def test_noise_must_be_as_stated_and_let_the_network_learn() -> None:
    claim = get("algo.noisy")
    rows = [
        {"rate": 0.01, "noise": 1.0, "risk": 0.4, "aligned": 0.1},
        {"rate": 0.1, "noise": 0.1, "risk": 0.03, "aligned": 0.1},
    ]
    numbers = {"threshold": 0.27, "rows": rows, "aligned at start": 0.05, "noise": 1.7}
    verdict = claim.judge(numbers)
    assert verdict.outcome == "holds"
    assert "stated strength" in verdict.reason
    assert claim.judge({**numbers, "noise": 9.0}).outcome == "fails"
    assert claim.judge({**numbers, "rows": [{**row, "risk": 0.5} for row in rows]}).outcome == "fails"
    assert claim.judge({**numbers, "rows": [{**row, "risk": None} for row in rows]}).outcome == "fails"


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
