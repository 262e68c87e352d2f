"""What the network learns: verdicts on true and on false numbers."""

from typing import Any

import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.paper.algorithms import Online
from kernelgap.paper.claims import get
from kernelgap.paper.theory.hierarchy import left_by_base, samples_needed
from kernelgap.training.modes import Layers


def interval(value: float, low: float, high: float) -> dict[str, float]:
    return {"value": value, "low": low, "high": high, "constant": 1.0}


def test_risk_must_be_under_what_F_leaves() -> None:
    claim = get("thm1.risk")
    rows = [
        {
            "name": f"alpha {a}",
            "alpha": a,
            "threshold": 3 * a**2,
            "left": 3 * a**2,
            "averaged": 0.001,
            "worst_averaged": 0.002,
            "final": 1e-5,
            "worst_final": 2e-5,
        }
        for a in (0.1, 0.2, 0.3)
    ]
    exponents = {"averaged": interval(0.4, 0.1, 0.7), "final": interval(0.5, 0.1, 0.9)}
    numbers = {"k": 3, "alphas": [0.1, 0.2, 0.3], "rows": rows, "exponents": exponents}
    assert claim.judge(numbers).outcome == "holds"
    for key in ("worst_averaged", "worst_final"):
        verdict = claim.judge({**numbers, "rows": [{**rows[0], key: 0.05}, *rows[1:]]})
        assert verdict.outcome == "fails"
        assert "alpha 0.1" in verdict.reason


def test_samples_must_not_grow_faster_than_linearly() -> None:
    claim = get("thm1.samples")
    rows = [{"d": d, "needed": [20.0 * d, 22.0 * d], "any_kernel": d**3, "most": 60 * d} for d in (32, 64, 128)]
    numbers = {"share": 0.25, "rows": rows, "exponent_any_kernel": interval(3, 2.9, 3.1)}
    assert claim.judge({**numbers, "exponent": interval(1.02, 0.97, 1.07)}).outcome == "holds"
    assert claim.judge({**numbers, "exponent": interval(0.7, 0.6, 0.8)}).outcome == "undecided"  # 1 is not in it
    assert claim.judge({**numbers, "exponent": interval(1.5, 1.3, 1.7)}).outcome == "fails"
    missed = [{**rows[0], "needed": [100.0, None]}, *rows[1:]]
    assert claim.judge({"share": 0.25, "rows": missed}).outcome == "undecided"
    assert claim.picture is not None
    assert claim.picture({"rows": missed}).lines[0].x == [64, 128]


def test_noise_must_cost_a_constant_times_opt() -> None:
    claim = get("thm1.agnostic")
    numbers: dict[str, Any] = {
        "alpha": 0.01,
        "largest_alpha": 0.011,
        "threshold": 3e-4,
        "opt": [1e-5, 0.1, 1.0],
        "diverged": False,
        "floor": 1e-4,
        "risk": [1e-4, 0.05, 0.1],
        "ratio": [[0.7, 0.6, 0.65], [0.5, 0.55, 0.52], [0.1, 0.11, 0.1]],
        "exponent": interval(0.8, 0.7, 0.9),
    }
    assert claim.judge(numbers).outcome == "holds"
    for change, outcome in (
        ({"exponent": interval(1.0, 0.9, 1.1)}, "undecided"),
        ({"exponent": interval(1.4, 1.2, 1.6)}, "fails"),
        ({"ratio": [[47.0, 46.0, 46.5], *numbers["ratio"][1:]]}, "fails"),
        ({"ratio": [[0.7, 46.0, 0.65], *numbers["ratio"][1:]]}, "undecided"),
        ({"diverged": True}, "fails"),
        ({"alpha": 0.3}, "undecided"),
        ({"opt": [1e-3, 0.1, 1.0]}, "undecided"),
    ):
        assert claim.judge({**numbers, **change}).outcome == outcome, change
    assert claim.picture is not None
    assert claim.picture({**numbers, "diverged": True}).lines


def course(base: float | None, composite: float | None, risk: float) -> dict[str, Any]:
    halved = {"base": base, "base_up_to": base, "composite": composite, "composite_up_to": composite, "risk": 1.0}
    return {"halved": halved, "risk": [19.0, risk], "composite_up_to": [1.35, 0.01]}


def test_F_must_come_first() -> None:
    claim = get("hier.forward")
    assert claim.judge({"threshold": 1.35, "rows": [course(2.0, 19.0, 0.02)]}).outcome == "holds"
    assert claim.judge({"threshold": 1.35, "rows": [course(19.0, 2.0, 0.02)]}).outcome == "fails"
    assert claim.judge({"threshold": 1.35, "rows": [course(None, 2.0, 0.02)]}).outcome == "fails"
    assert claim.judge({"threshold": 1.35, "rows": [course(2.0, None, 1.6)]}).outcome == "undecided"


def test_the_first_block_must_be_corrected() -> None:
    claim = get("hier.backward")

    def numbers(few: float, many: float, alone: float, plain: tuple[float, float] = (1.3, 0.5)) -> dict[str, Any]:
        rows = [
            {"samples": n, "joint": {"base_up_to": b, "base": as_it_is}, "alone": {"base_up_to": alone}}
            for n, b, as_it_is in ((500, few, plain[0]), (2000, many, plain[1]))
        ]
        return {"threshold": 1.35, "rows": rows}

    assert claim.judge(numbers(0.2, 1e-4, 0.4)).outcome == "holds"
    assert claim.judge(numbers(0.2, 1e-4, 0.4, (1.3, 1.6))).outcome == "fails"  # as it stands, out1 stays away from F
    assert claim.judge(numbers(0.2, 1e-4, 0.4, (0.4, 0.5))).outcome == "fails"  # or does not come nearer
    assert claim.judge(numbers(2.0, 1.5, 3.0)).outcome == "fails"  # stays above alpha
    assert claim.judge(numbers(0.2, 0.1, 0.05)).outcome == "fails"  # no better than alone
    assert claim.judge(numbers(0.1, 0.2, 0.4)).outcome == "fails"  # more samples do not help


def test_laziness_must_grow_with_width_and_with_small_rates() -> None:
    claim = get("lazy.two_layer")
    falls = {"changed": interval(-0.5, -0.6, -0.4), "distance": interval(-0.6, -0.8, -0.4)}
    rows = [{"width": 100, "rate": r, "distance": [d]} for r, d in ((0.5, 0.03), (4.0, 0.04))]
    overflow = [*rows, {"width": 100, "rate": 8.0, "distance": None}]
    assert claim.judge({"rows": overflow, "exponents": falls}).outcome == "holds"
    assert claim.judge({"rows": rows, "exponents": {**falls, "changed": interval(0.2, 0.1, 0.3)}}).outcome == "fails"
    unclear = {**falls, "distance": interval(-0.1, -0.3, 0.1)}
    assert claim.judge({"rows": rows, "exponents": unclear}).outcome == "undecided"
    backwards = [{**rows[0], "distance": [0.05]}, rows[1]]
    assert claim.judge({"rows": backwards, "exponents": falls}).outcome == "fails"


def test_what_F_leaves_is_the_threshold_of_parities_and_less_with_a_linear_part() -> None:
    hard = problems.hard(d=8, k=3, alpha=0.3)
    assert left_by_base(hard, seed=0) == pytest.approx(hard.threshold, rel=0.02)
    linear = problems.get("concept1", d=6, k=2, alpha=0.3, G="z")
    assert left_by_base(linear, seed=0) < 1e-12 < linear.threshold


def test_samples_are_read_off_between_looks() -> None:
    risks = np.array([[[4.0, 1.0, 0.25]], [[4.0, 2.0, 1.0]]])  # two starts, one setting
    run = Online(
        steps=1600,
        averaged_risk=np.ones((2, 1)),
        ends=np.array([1600]),
        passing_risk=np.ones((2, 1, 1)),
        times=np.array([100, 400, 1600]),
        errors={"risk": risks},
        standard_errors={"risk": 0.1 * risks},
        model=Layers(networks.resnet, with_output=False),
        start={},
        trained={},
        frozen={},
    )
    assert samples_needed(run, 2.0) == [pytest.approx(200.0), pytest.approx(400.0)]  # half way on a log-log scale
    assert samples_needed(run, 0.5) == [pytest.approx(800.0), None]
    assert samples_needed(run, 5.0) == [100.0, 100.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "outcome"),
    {
        "thm1.risk": "holds",
        "thm1.samples": "undecided",
        "thm1.agnostic": "holds",
        "hier.forward": "holds",
        "hier.backward": "fails",
        "lazy.two_layer": "holds",
    }.items(),
)
def test_end_to_end(name: str, outcome: str) -> None:
    claim = get(name)
    numbers = claim.measure("quick", 0)
    assert claim.judge(numbers).outcome == outcome
    assert claim.picture is not None
    assert claim.picture(numbers).lines
