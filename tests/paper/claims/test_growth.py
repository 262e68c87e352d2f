"""How quantities grow: repeats at each width, exponents, and the size from which on something holds."""

import numpy as np
import pytest

from kernelgap.paper.claims import growth


def test_each_width_has_a_value_for_each_repeat_with_its_own_random_numbers() -> None:
    seen = growth.over_widths([2, 4], 3, 7, lambda rng, m, n: {"first": rng.random(), "place": 10 * m + n})
    assert seen["place"] == [[20, 21, 22], [40, 41, 42]]
    assert seen["first"][1][2] == np.random.default_rng([7, 4, 2]).random()
    assert len({value for row in seen["first"] for value in row}) == 6


def test_an_exponent_is_found_and_worded() -> None:
    fit = growth.exponent([1, 2, 4, 8], [[3.0, 3.0], [12.0, 12.0], [48.0, 48.0], [192.0, 192.0]])
    assert fit["value"] == pytest.approx(2)
    assert growth.interval(fit) == "2.00 [2.00, 2.00]"
    assert growth.means([[1.0, 3.0], [5.0]]) == [2.0, 5.0]


def test_the_size_from_which_on_all_are_good() -> None:
    assert growth.first_lasting([1, 2, 4, 8], [True, False, True, True]) == 4
    assert growth.first_lasting([1, 2, 4], [True, True, False]) is None


def fit(low: float, high: float) -> dict[str, float]:
    return {"value": (low + high) / 2, "low": low, "high": high}


def test_an_upper_bound_is_judged_by_the_whole_interval() -> None:
    for low, high, outcome in ((0.1, 0.4, "holds"), (0.1, 0.5, "holds"), (0.4, 0.6, "undecided"), (0.51, 0.6, "fails")):
        assert growth.at_most(fit(low, high), 0.5) == outcome
        assert growth.at_least(fit(-high, -low), -0.5) == outcome  # the same, seen from the other side


def test_a_statement_with_parts_fails_with_one_and_holds_with_all() -> None:
    assert growth.together(["holds", "undecided", "fails"]) == "fails"
    assert growth.together(["holds", "undecided"]) == "undecided"
    assert growth.together(["holds", "holds"]) == "holds"


def test_the_interval_of_a_constant_covers_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    fits = [growth.constant(rng.normal(3.0, 0.5, 5).tolist()) for _ in range(4000)]
    share = np.mean([f["low"] <= 3.0 <= f["high"] for f in fits])
    assert share == pytest.approx(0.95, abs=0.015)  # 4 standard errors
    assert growth.at_most(growth.constant([0.1]), 3.0) == "undecided"  # one measurement has no interval
