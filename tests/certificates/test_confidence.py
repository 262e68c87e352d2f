"""The upper confidence limit of the mean of bounded losses: exact, tight, and right as often as it says."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest

from kernelgap.certificates.confidence import is_upper_limit, starts_for, upper_limit

SURE = Fraction(19, 20)


def test_the_limit_is_the_least_that_the_inequality_supports(rng):
    for n in (1, 2, 5, 40):
        most = Fraction(int(rng.integers(1, 50)), 7)
        risks = [most * Fraction(int(rng.integers(0, 1000)), 1000) for _ in range(n)]
        limit = upper_limit(risks, most, SURE)
        power = prod(most - risk for risk in risks) / 20
        assert (most - limit) ** n <= power
        assert is_upper_limit(limit, risks, most, SURE)
        step = Fraction(1, 2**59)
        assert not is_upper_limit(limit - step, risks, most, SURE)
        assert is_upper_limit(most, risks, most, SURE)
        assert not is_upper_limit(most + step, risks, most, SURE)
        assert float(limit) == pytest.approx(float(most - float(power) ** (1 / n)), rel=1e-9)


def test_a_risk_at_the_bound_leaves_no_limit():
    assert upper_limit([Fraction(3), Fraction(0)], Fraction(3), SURE) == 3


@pytest.mark.parametrize("confidence", [Fraction(0), Fraction(1), Fraction(-1), Fraction(3, 2)])
def test_a_confidence_that_is_none_supports_nothing(confidence):
    assert not is_upper_limit(Fraction(1), [Fraction(0)] * 5, Fraction(1), confidence)


def test_the_mean_lies_above_the_limit_as_seldom_as_it_says(rng):
    """Losses that are mostly small and now and then as large as they can be: the hardest case."""
    for share in (0.05, 0.2, 0.5):
        wrong = 0
        for _ in range(2000):
            risks = [Fraction(int(loss)) for loss in rng.random(8) < share]
            wrong += upper_limit(risks, Fraction(1), Fraction(4, 5)) < Fraction(repr(share))
        assert wrong / 2000 <= 0.2 + 3 * (0.2 * 0.8 / 2000) ** 0.5


def test_the_starts_that_would_do_are_just_enough():
    risk, level, most = Fraction(1, 100), Fraction(13, 10), Fraction(100)
    count = starts_for(risk, level, most, SURE)
    assert upper_limit([risk] * count, most, SURE) < level
    assert upper_limit([risk] * (count - 1), most, SURE) >= level
    assert starts_for(Fraction(2), level, most, SURE) is None
    assert starts_for(risk, most, most, SURE) == 1
    assert np.isclose(count, np.log(20) / np.log((100 - 0.01) / (100 - 1.3)), atol=1)
