"""Exponents of growth, and their intervals."""

import math

import numpy as np
import pytest


@pytest.fixture(scope="module")
def scaling(benchmark_module):
    return benchmark_module("scaling")


def test_a_power_law_is_found(scaling):
    x = [1.0, 2.0, 4.0, 8.0]
    found = scaling.fit(x, [3.0 * v**2.5 for v in x])
    assert found.exponent == pytest.approx(2.5)
    assert found.within == pytest.approx(0.0, abs=1e-6)
    assert math.exp(found.intercept) == pytest.approx(3.0)


def test_the_interval_holds_the_exponent_as_often_as_it_says(scaling, rng):
    x = np.geomspace(1, 16, 5)
    fits = [scaling.fit(x, x**1.5 * np.exp(0.1 * rng.standard_normal(5))) for _ in range(400)]
    held = np.mean([abs(f.exponent - 1.5) < f.within for f in fits])
    assert 0.90 < held < 0.99  # 95% +- 4.6 standard errors


def test_two_points_have_no_interval(scaling):
    assert scaling.fit([1.0, 2.0], [2.0, 1.0]).within == math.inf


def test_arithmetic_in_d_has_a_smaller_exponent_than_1(scaling):
    (sweep,) = [s for s in scaling.SWEEPS if s.moves == "d"]
    slope = scaling.fit(sweep.values, [sweep.arithmetic(sweep.sizes(v)) for v in sweep.values]).exponent
    assert 0.5 < slope < 1.0
