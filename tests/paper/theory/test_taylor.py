"""Tails, cut-offs and compositions against sums written out and known series."""

import math

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.paper.theory.taylor import Series, composed, degree_for, smooth, tail_bound, truncated


@pytest.mark.parametrize("text", ["exp(3z) - 1", "sin(2z)", "cos(z)", "tanh(z)", "sigmoid(z)", "z^4 - z"])
@pytest.mark.parametrize("degree", [1, 5, 12, 30])
def test_the_tail_bound_bounds_and_is_not_far_off(text, degree):
    phi = smooth(text)
    z = 1.0
    tail = np.abs(phi.coefficients(400)[degree + 1 :]) @ z ** np.arange(degree + 1, 401)
    bound = tail_bound(phi, degree, z)
    assert tail <= bound * (1 + 1e-9)
    assert bound <= 1000 * tail  # cos(z) has no order 31, which costs one factor
    u = np.linspace(-z, z, 41)
    assert np.abs(truncated(phi, degree)(u) - phi(u)).max() <= bound + 1e-14


def test_degree_for_is_the_least():
    phi = smooth("tanh(z)")
    degree = degree_for(phi, 1e-6, 1.0)
    assert tail_bound(phi, degree, 1.0) <= 1e-6 < tail_bound(phi, degree - 1, 1.0)
    assert degree_for(smooth("z^3"), 1e-6, 1.0) == 3
    with pytest.raises(InputError, match="below the radius"):
        degree_for(phi, 1e-6, 1.6)


ROUNDING = 5 * 6 * np.finfo(float).eps * math.e  # 5 products of series, sums of up to 6 terms, all of it at most e


def test_composition():
    np.testing.assert_allclose(
        composed(smooth("exp(z)"), smooth("sin(z)"), 5), [1, 1, 1 / 2, 0, -1 / 8, -1 / 15], atol=ROUNDING
    )
    np.testing.assert_allclose(composed(smooth("z^2 + z"), smooth("exp(z)"), 3), [2, 3, 2.5, 9 / 6])
    with pytest.raises(InputError, match="polynomial outside"):
        composed(smooth("exp(z)"), smooth("cos(z)"), 3)


def test_own_series():
    geometric = Series(lambda i: 0.25**i, 4.0, lambda r: -math.log1p(-r / 4))
    np.testing.assert_allclose(truncated(geometric, 60)(np.array([0.5])), 1 / (1 - 0.125))
    assert smooth(geometric) is geometric
    assert smooth([0.0, 1.0, 2.0]).coefficients(2).tolist() == [0, 1, 2]
    logs, signs = geometric.log_coefficients(3)
    np.testing.assert_allclose(signs * np.exp(logs), 0.25 ** np.arange(4))
