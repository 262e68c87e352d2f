"""The claims about complexity and Table 1: measured once, and fed false numbers that they must refuse."""

import copy
import json

import pytest

from kernelgap.paper import claims

QUICK = ["complexity.cs", "complexity.example41", "complexity.compose", "complexity.polarise", "thm1.table1"]


@pytest.fixture(scope="module")
def measured():
    return {name: json.loads(json.dumps(claims.get(name).measure("quick", 0), allow_nan=False)) for name in QUICK}


@pytest.mark.parametrize("name", QUICK)
def test_it_holds(name, measured):
    verdict = claims.get(name).judge(measured[name])
    assert verdict.outcome == "holds"
    assert verdict.measured
    assert verdict.reason


@pytest.mark.parametrize("name", [n for n in QUICK if n != "complexity.cs"])
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
    ("thm1.table1", ("problems", 0, "log10_m"), None),
    ("thm1.table1", ("problems", 0, "unbounded"), False),
    ("thm1.table1", ("problems", 0, "shrinking_alpha"), None),
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
