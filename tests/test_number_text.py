"""Numbers as a person reads them."""

import math

import pytest

from kernelgap.number_text import digits, finite_or_none, percent, points


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.02134, "0.0213"), (1.5, "1.5"), (12.04, "12"), (999.9, "1,000"), (41_321, "41,300"),
        (88_675_954, "88.7 million"), (2.96e9, "2.96 billion"), (1e12, "1,000 billion"), (3e-5, "3.00e-05"),
        (-0.0213, "-0.0213"), (999_999, "1,000,000"),
    ],
)  # fmt: skip
def test_digits(value, text):
    assert digits(value) == text


def test_shares():
    assert [percent(share) for share in (0, 0.004, 0.05, 0.171, 1.5)] == ["0%", "0.4%", "5%", "17%", "150%"]
    assert points(-0.031) == "3.1 points"


def test_what_json_does_not_have():
    assert [finite_or_none(value) for value in (math.inf, math.nan, 0.5, 2, "a")] == [None, None, 0.5, 2, "a"]
