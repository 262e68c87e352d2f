"""What the network learns: verdicts on true and on false numbers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.errors import InputError
from kernelgap.networks import TheoremStart
from kernelgap.paper.algorithms import Online, algorithm1
from kernelgap.paper.claims import get
from kernelgap.paper.theory.hierarchy import follow_online, left_by_base, sample_need, samples_needed
from kernelgap.training.modes import Layers


def interval(value: float, low: float, high: float) -> dict[str, float]:
    return {"value": value, "low": low, "high": high, "constant": 1.0}


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


PAIR = tuple[list[float], list[float]]  # a distance with few samples and with many, one for each start


def backward(passes: PAIR, online: PAIR) -> dict[str, Any]:
    def way(name: str, pair: PAIR) -> dict[str, Any]:
        rows = [
            {"samples": n, "joint": {"base": values, "base_up_to": [0.01, 0.02]}, "alone": {"base_up_to": [0.4, 0.5]}}
            for n, values in zip((500, 2000), pair, strict=True)
        ]
        return {"name": name, "threshold": 1.35, "rows": rows}

    return {"starts": 2, "ways": [way("passes", passes), way("Algorithm 1", online)]}


@pytest.mark.parametrize(
    ("passes", "online", "below", "nearer"),
    [
        (([1.3, 1.2], [0.5, 0.6]), ([1.3, 1.2], [0.5, 0.6]), "holds", "holds"),
        (([1.3, 1.2], [0.5, 0.6]), ([1.9, 1.8], [1.6, 1.7]), "fails", "holds"),  # one way of training stays above alpha
        (([1.3, 1.2], [0.5, 0.6]), ([0.5, 0.6], [0.9, 0.8]), "holds", "fails"),  # or goes away from F
        (([1.3, 1.2], [0.5, 1.4]), ([1.3, 1.2], [0.5, 0.6]), "undecided", "undecided"),  # starts disagree
    ],
)
def test_the_first_block_must_be_corrected(passes: PAIR, online: PAIR, below: str, nearer: str) -> None:
    numbers = backward(passes, online)
    verdict = get("hier.backward").judge(numbers)
    assert verdict.outcome == below
    assert get("hier.backward.samples").judge(numbers).outcome == nearer
    assert f"Algorithm 1: {get('hier.backward').judge(backward(online, online)).outcome} and" in verdict.reason


def test_laziness_must_grow_with_width_and_with_small_rates() -> None:
    claim = get("lazy.two_layer")
    falls = {"changed": interval(-0.5, -0.6, -0.4), "distance": interval(-0.6, -0.8, -0.4)}
    rows = [{"width": 100, "rate": r, "distance": d} for r, d in ((0.5, [0.03, 0.05]), (4.0, [0.04, 0.05]))]
    overflow = [*rows, {"width": 100, "rate": 8.0, "distance": None}]
    verdict = claim.judge({"rows": overflow, "exponents": falls})
    assert verdict.outcome == "holds"
    assert "0.04 (0.03 to 0.05) at 0.5/m" in verdict.reason
    assert claim.judge({"rows": rows, "exponents": {**falls, "changed": interval(0.2, 0.1, 0.3)}}).outcome == "fails"
    unclear = {**falls, "distance": interval(-0.1, -0.3, 0.1)}
    assert claim.judge({"rows": rows, "exponents": unclear}).outcome == "undecided"
    backwards = [{**rows[0], "distance": [0.05, 0.06]}, rows[1]]
    assert claim.judge({"rows": backwards, "exponents": falls}).outcome == "fails"
    stuck = [{**rows[0], "distance": None}, rows[1]]
    assert claim.judge({"rows": stuck, "exponents": falls}).outcome == "fails"


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
    with pytest.raises(InputError, match="first look"):  # nobody knows since when
        samples_needed(run, 5.0)
    early = replace(run, times=np.array([0, 400, 1600]))
    assert samples_needed(early, 2.0) == [pytest.approx(400 * 2 / 3), pytest.approx(400.0)]  # on a straight line
    assert samples_needed(early, 5.0) == [0.0, 0.0]


def test_the_need_is_looked_for_from_the_first_step_on() -> None:
    """A level that every start is under after a few steps counts as these, and training ends there."""
    problem = problems.hard(d=6, k=2, alpha=0.4)
    options: dict[str, Any] = {"width": 9, "rates": (0.2, 0.05), "seeds": [0, 5], "held_out": 700}
    easy = sample_need(problem, level=2.4, most=4000, initialisation=TheoremStart(sigma_w=0.5, sigma_v=1.2), **options)
    assert all(need is not None and need < 60 for need in easy)
    never = sample_need(problem, level=1e-9, most=60, initialisation=TheoremStart(sigma_w=0.5, sigma_v=1.2), **options)
    assert never == [None, None]


def test_the_course_of_algorithm_1_ends_where_the_run_does() -> None:
    problem = problems.hard(d=6, k=2, alpha=0.4)
    start = TheoremStart(sigma_w=0.5, sigma_v=1.2)
    common: dict[str, Any] = {"width": 9, "steps": 60, "seeds": [0, 5], "initialisation": start, "times": [20]}
    courses = follow_online(problem, rates=(0.2, 0.05), held_out=700, **common)
    run = algorithm1(problem, rates=[(0.2, 0.05)], held_out=700, **common)
    for s, course in enumerate(courses):
        assert course.times == (20, 60)
        for name in ("risk", "base", "composite"):
            np.testing.assert_allclose(course.values[name], run.errors[name][s, 0], rtol=1e-4)
