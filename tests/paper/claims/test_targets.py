"""Claims about targets, complexity and Table 1: measured once, and fed false numbers that they must refuse."""

import copy
import json

import numpy as np
import pytest

from kernelgap.paper import claims
from support.claims import judged

QUICK = [
    *("target.concept1", "target.concept2", "target.lemma_a2", "target.hard", "target.sec8", "target.slides"),
    *("complexity.cs", "complexity.example41", "complexity.compose", "complexity.polarise", "thm1.table1"),
    "thm1.nonvacuous",
]


@pytest.fixture(scope="module")
def measured():
    return {name: json.loads(json.dumps(claims.get(name).measure("quick", 0), allow_nan=False)) for name in QUICK}


@pytest.mark.parametrize("name", QUICK)
def test_it_holds(name, measured):
    verdict = claims.get(name).judge(measured[name])
    assert verdict.outcome == "holds"
    assert verdict.measured
    assert verdict.reason


@pytest.mark.parametrize("name", [name for name in QUICK if claims.get(name).picture])
def test_it_draws(name, measured):
    picture = claims.get(name).picture(measured[name])
    assert all(len(line.x) == len(line.y) > 1 for line in picture.lines)


STEEP = {"value": 1.2, "low": 1.1, "high": 1.3, "constant": 1.0}
FALSE = [
    ("complexity.cs", ("sums", 0, "C_s_off"), 1e-3),
    ("complexity.cs", ("sums", 3, "talk_off"), 1e-6),
    ("complexity.cs", ("C_eps", 1, "off"), 1e-6),
    ("complexity.cs", ("log_constant_off",), 1e-6),
    ("complexity.example41", ("entire", 0, "exponent"), STEEP),
    ("complexity.example41", ("entire", 0, "log_C_eps"), [1e9] * 4),
    ("complexity.example41", ("cut", 0, "exponent"), STEEP),
    ("complexity.example41", ("cut", 0, "degree_exponent"), STEEP),
    ("complexity.example41", ("power_bound",), 0.5),
    ("complexity.compose", ("curves", "talk F", "exponent"), STEEP),
    ("complexity.compose", ("curves", "talk z^10", "exponent"), STEEP),
    ("complexity.compose", ("curves", "C_s z^10 of F", "exponent"), {**STEEP, "value": 4.9}),
    (
        "complexity.compose",
        ("curves", "talk degree 10 of F", "exponent"),
        {**STEEP, "value": 5.3, "low": 5.2, "high": 5.4},
    ),
    ("complexity.polarise", ("grid", "3"), 1),
    ("complexity.polarise", ("fractions", "4"), "1/1000000"),
    ("complexity.polarise", ("forms", 0, "of_bound"), 1.5),
    ("complexity.polarise", ("forms", 2, "p_G"), 8),
    ("complexity.polarise", ("forms", 2, "C_G"), 1e6),
    ("complexity.polarise", ("C_F",), [1.0, 2.0]),
    ("complexity.compose", ("leading", "talk"), [1e99] * 20),
    ("thm1.nonvacuous", ("problems", 0, "at", 2, "log10_m"), None),
    ("thm1.nonvacuous", ("problems", 5, "at", 4, "log10_T"), float("inf")),
    ("thm1.nonvacuous", ("problems", 1, "at", 0, "delta"), 1.0),
    ("thm1.table1", ("problems", 0, "log10_m"), None),
    ("thm1.table1", ("problems", 0, "unbounded"), False),
    ("thm1.table1", ("problems", 0, "shrinking_alpha"), None),
    ("target.concept1", ("members", 3, "difference"), 1.1),
    ("target.concept1", ("members", 0, "norm"), 2.0),
    ("target.concept1", ("members", 0, "largest_a"), 1.01),
    ("target.concept1", ("members", 0, "mean_square"), 1.001),
    ("target.concept1", ("members", 0, "B_F"), 1e9),
    ("target.concept1", ("circle",), 1e-14),
    ("target.concept2", ("members", 3, "difference"), 1.1),
    ("target.concept2", ("members", 3, "even_orders"), 1e-20),
    ("target.concept2", ("members", 3, "norm"), 1.1),
    ("target.lemma_a2", ("functions", 0, "of_bound"), 1.01),
    ("target.lemma_a2", ("targets", 0, "of_bound"), 1.01),
    ("target.lemma_a2", ("functions", 0, "terms"), 3),
    ("target.lemma_a2", ("functions", 0, "C_s"), 1.1),
    ("target.lemma_a2", ("functions", 0, "log_C_eps"), 0.1),
    ("target.hard", ("instances", 0, "difference"), 1e-3),
    ("target.hard", ("instances", 0, "distinct"), False),
    ("target.hard", ("instances", 0, "mean_square"), 0.17),
    ("target.hard", ("instances", 0, "overlap"), 0.01),
    ("target.sec8", ("threshold",), 0.72),
    ("target.sec8", ("difference",), 0.6),
    ("target.sec8", ("composite_degrees",), [4]),
    ("target.slides", ("used",), 30),
    ("target.slides", ("shared",), 1),
]


@pytest.mark.parametrize(("name", "where", "value"), FALSE)
def test_it_refuses_false_numbers(name, where, value, measured):
    numbers = copy.deepcopy(measured[name])
    place = numbers
    for key in where[:-1]:
        place = place[key]
    assert place[where[-1]] != value
    place[where[-1]] = value
    assert claims.get(name).judge(numbers).outcome == "fails"


def test_the_controls_of_lemma_a2_differ(measured):
    rows = measured["target.lemma_a2"]["functions"]
    assert all(r["off_the_sphere"] > 1e-3 for r in rows)
    assert all(r["unscaled"] > 1e-3 for r in rows if r["unscaled"] is not None)
    assert sum(r["unscaled"] is not None for r in rows) >= 6


ASCENT = [{"activation": "1", "slope": 0.999}, {"activation": "z", "slope": 0.58}]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "holds"),
        ({"size": 1.001}, "fails"),
        ({"slope": 1.001}, "fails"),
        ({"ascent": [{"activation": "z", "slope": 1.2}]}, "fails"),
    ],
)
def test_fact_a3_is_judged(changes, outcome):
    numbers = {"size": 0.3, "slope": 0.4, "at_zero": 0.2, "ascent": ASCENT, **changes}
    verdict = claims.get("target.fact_a3").judge(numbers)
    assert verdict.outcome == outcome
    assert "|(x,1)|" in verdict.reason


def test_fact_a3_as_printed_fails_where_F_of_0_is_not_0():
    claim, numbers, _ = judged("target.fact_a3.printed", "fails", seed=1)
    assert numbers["largest"][0] < 1 < numbers["largest"][-1]  # far out it holds
    ratios = np.array(numbers["largest"][-3:])
    np.testing.assert_allclose(ratios[1:] / ratios[:-1], 10, rtol=1e-3)  # |F(0)| over a bound that goes to 0
    assert claim.judge({**numbers, "largest": [0.5] * len(numbers["lengths"])}).outcome == "holds"


@pytest.mark.slow
def test_fact_a3_end_to_end():
    _, numbers, _ = judged("target.fact_a3", "holds", seed=1)
    assert max(r["slope"] for r in numbers["ascent"]) > 0.99
    assert np.isfinite(numbers["at_zero"])
    assert numbers["at_zero"] > 0
