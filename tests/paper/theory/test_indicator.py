import math

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss

from kernelgap.errors import InputError
from kernelgap.paper.theory.indicator import (
    Indicator,
    half_line_mean,
    hermite,
    largest,
    odd_series,
    printed_lower_bound,
)

SIN = tuple(0.0 if i % 2 == 0 else (-1.0) ** (i // 2) / math.factorial(i) for i in range(16))


def test_hermite_polynomials_are_orthogonal_with_norm_factorial() -> None:
    z, weights = hermegauss(40)
    weights = weights / math.sqrt(2 * math.pi)
    table = np.array([hermite(i, z) for i in range(12)])
    gram = (table * weights) @ table.T
    np.testing.assert_allclose(gram, np.diag([float(math.factorial(i)) for i in range(12)]), atol=1e-5 * gram.max())
    assert hermite(3, np.array(2.0)) == 2.0**3 - 3 * 2.0


def test_half_line_means_by_monte_carlo(rng: np.random.Generator) -> None:
    x1 = 0.6
    w = rng.standard_normal((400_000, 2))
    positive = w @ [x1, math.sqrt(1 - x1**2)] >= 0
    for i in (1, 2, 3, 5):
        values = hermite(i, w[:, 0]) * positive
        error = values.std() / math.sqrt(len(values))
        assert abs(values.mean() - half_line_mean(i) * x1**i) < 4.5 * error


def test_the_printed_lower_bound_is_too_high_from_the_third_order_on() -> None:
    assert abs(half_line_mean(1)) >= printed_lower_bound(1)
    assert all(abs(half_line_mean(i)) < printed_lower_bound(i) for i in range(3, 40, 2))


def test_largest_value_on_an_interval() -> None:
    for i in (1, 2, 5, 8):
        for bound in (0.7, 2.0, 30.0):
            z = np.linspace(-bound, bound, 20_001)
            assert largest(i, bound) == pytest.approx(np.abs(hermite(i, z)).max(), rel=1e-6)


def test_the_mean_is_the_function_by_quadrature_and_by_monte_carlo(rng: np.random.Generator) -> None:
    h = Indicator(SIN, epsilon=1e-3)
    x1 = np.array([-1.0, -0.999999, -0.4, 0.0, 0.3, 0.99, 1.0])
    np.testing.assert_allclose(h.mean(x1), np.sin(x1), atol=1e-12)
    alpha, beta = rng.standard_normal((2, 300_000))
    for x in (-0.4, 0.99):
        values = (alpha * x + beta * math.sqrt(1 - x * x) >= 0) * h(alpha)
        assert abs(values.mean() - math.sin(x)) < 4.5 * values.std() / math.sqrt(len(values))


def test_a_cut_that_bites_shows_in_the_error_and_nowhere_else(rng: np.random.Generator) -> None:
    h = Indicator((0.2, 1.0, 0.0, 0.5), epsilon=0.01, shrink=0.008)
    assert h.bounds[1] < 1.0
    alpha = rng.standard_normal(400_000)
    values = h(alpha)
    assert values.mean() == pytest.approx(0.4, abs=4.5 * values.std() / math.sqrt(len(values)))
    assert h.second_moment() == pytest.approx((values**2).mean(), rel=0.02)
    positive = (alpha >= 0) * values  # x_1 = 1
    assert abs(positive.mean() - h.mean(np.array([1.0]))[0]) < 4.5 * positive.std() / math.sqrt(len(values))
    assert abs(h.mean(np.array([1.0]))[0] - h.target(np.array(1.0))) > 0.01
    # Claim E.4: at most sum |c'_i| E[(|h_i(z)| + |h_i(B_i)|) 1[|z| >= B_i]]
    masses = [
        abs(h.series[i]) * ((np.abs(hermite(i, alpha)) + abs(hermite(i, h.bounds[i]))) * (np.abs(alpha) >= h.bounds[i]))
        for i in h.orders
    ]
    assert abs(h.mean(np.array([1.0]))[0] - h.target(np.array(1.0))) < sum(mass.mean() for mass in masses)


def test_range_slope_and_moments_bound_what_h_does() -> None:
    h = Indicator(SIN[:8], epsilon=0.05, shrink=0.03)
    z = np.linspace(-12, 12, 40_001)
    assert np.abs(h(z)).max() <= h.range()
    steps = np.abs(np.diff(h(z))) / np.diff(z)
    assert steps.max() <= h.lipschitz() * (1 + 1e-6)
    inner = np.abs(z) < h.bounds[1]
    np.testing.assert_allclose(h.slope(z[inner])[1:-1], np.gradient(h(z[inner]), z[inner])[1:-1], atol=1e-3)
    np.testing.assert_allclose(
        h.slope(z)[20_000:30_000:997],
        [(h(np.array(t + 1e-6)) - h(np.array(t - 1e-6))) / 2e-6 for t in z[20_000:30_000:997]],
        atol=1e-5,
    )
    wide = Indicator(SIN[:8], epsilon=0.05)
    uncut = sum(wide.series[i] ** 2 * math.factorial(i) for i in (0, *wide.orders))  # by orthogonality
    assert wide.second_moment() == pytest.approx(uncut, rel=1e-12)
    assert wide.second_moment_given(0.0) == pytest.approx(wide.second_moment() / 2)


def test_even_powers_are_refused() -> None:
    with pytest.raises(InputError, match="odd-order"):
        Indicator((0.0, 1.0, 0.5), epsilon=0.1)
    with pytest.raises(InputError):
        odd_series([1.0, math.nan])
    with pytest.raises(InputError):
        Indicator((0.0, 1.0), epsilon=1.5)
