"""Numbers as a person reads them."""

import math

import pytest

from kernelgap.audit.statistics.wording import between, digits, less, percent, points


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


def test_shares_and_intervals():
    assert [percent(share) for share in (0, 0.004, 0.05, 0.171, 1.5)] == ["0%", "0.4%", "5%", "17%", "150%"]
    assert points(-0.031) == "3.1 points"
    assert less(12.3) == "12.3 times less"
    assert less(1.25) == "20% less"
    assert between(1, 2000) == "95% interval 1 to 2,000"
    assert between(300, math.inf) == "95% interval from 300 on, without an upper end"
