"""How quantities grow: repeats at each width, exponents, and the size from which on something holds."""

import numpy as np
import pytest

from kernelgap.paper.claims.growth import exponent, first_lasting, interval, means, over_widths


def test_each_width_has_a_value_for_each_repeat_with_its_own_random_numbers() -> None:
    seen = over_widths([2, 4], 3, 7, lambda rng, m, n: {"first": rng.random(), "place": 10 * m + n})
    assert seen["place"] == [[20, 21, 22], [40, 41, 42]]
    assert seen["first"][1][2] == np.random.default_rng([7, 4, 2]).random()
    assert len({value for row in seen["first"] for value in row}) == 6


def test_an_exponent_is_found_and_worded() -> None:
    fit = exponent([1, 2, 4, 8], [[3.0, 3.0], [12.0, 12.0], [48.0, 48.0], [192.0, 192.0]])
    assert fit["value"] == pytest.approx(2)
    assert interval(fit) == "2.00 [2.00, 2.00]"
    assert means([[1.0, 3.0], [5.0]]) == [2.0, 5.0]


def test_the_size_from_which_on_all_are_good() -> None:
    assert first_lasting([1, 2, 4, 8], [True, False, True, True]) == 4
    assert first_lasting([1, 2, 4], [True, True, False]) is None
