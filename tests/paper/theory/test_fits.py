"""Powers and affine laws: exact ones, weighted least squares, and intervals by simulation."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from kernelgap.errors import InputError
from kernelgap.paper.theory.fits import fit_affine, fit_exponent


def test_a_power_is_found_exactly() -> None:
    x = np.array([10.0, 20.0, 50.0, 100.0])
    fit = fit_exponent(x, 3 * x**-1.5)
    assert fit.value == pytest.approx(-1.5, abs=1e-12)
    assert fit.constant == pytest.approx(3)
    assert fit.high - fit.low < 1e-10


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    x = 2.0 ** np.arange(5, 11)
    covered = 0
    for _ in range(400):
        fit = fit_exponent(x, x[:, None] ** 0.7 * np.exp(0.3 * rng.standard_normal((6, 3))))
        covered += fit.low <= 0.7 <= fit.high
    assert 0.91 <= covered / 400 <= 0.98


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1, 2]), ([1, 2, 3], [1, 0, 2]), ([1, 2, 3], [1, np.inf, 2]), ([1, 2, 3], [1, 2])]
)
def test_what_has_no_exponent_is_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(InputError):
        fit_exponent(x, np.array(y, dtype=float))


X = np.array([32.0, 64, 128, 256, 512])


def test_it_is_weighted_least_squares() -> None:
    y = (431 + 8.7 * X) * (1 + 0.03 * np.random.default_rng(0).standard_normal(5))
    fit = fit_affine(X, y)
    (a, b), covariance = curve_fit(lambda x, a, b: a + b * x, X, y, sigma=y, absolute_sigma=False)
    assert (fit.constant, fit.slope) == pytest.approx((a, b), rel=1e-6)
    student = 3.182446305  # 0.975 quantile with 3 degrees of freedom
    for value, (low, high), variance in (
        (a, fit.constant_interval, covariance[0, 0]),
        (b, fit.slope_interval, covariance[1, 1]),
    ):
        assert (low, high) == pytest.approx(
            (value - student * variance**0.5, value + student * variance**0.5), rel=1e-5
        )
    assert fit.off == pytest.approx(np.abs((y - a - b * X) / y).max(), rel=1e-6)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    covered = np.zeros(2)
    for _ in range(2000):
        y = (431 + 8.7 * X) * (1 + 0.02 * rng.standard_normal(5))
        fit = fit_affine(X, y)
        covered += [low <= t <= high for t, (low, high) in ((431, fit.constant_interval), (8.7, fit.slope_interval))]
    assert (np.abs(covered / 2000 - 0.95) < 0.02).all()  # 4 standard errors


def test_of_repeats_each_size_is_one_point() -> None:
    repeats = np.array([[1.0, 3.0], [4.0, 4.0], [5.0, 7.0]])
    assert fit_affine([1, 2, 3], repeats) == fit_affine([1, 2, 3], np.array([2.0, 4.0, 6.0]))
    exact = fit_affine([1, 2, 3], np.array([2.0, 4.0, 6.0]))
    assert (exact.constant, exact.slope, exact.off) == pytest.approx((0, 2, 0), abs=1e-12)


@pytest.mark.parametrize(("x", "y"), [([1, 2], [1.0, 2.0]), ([1, 1, 2], [1.0, 2.0, 3.0]), ([1, 2, 3], [1.0, -2, 3])])
def test_what_no_line_can_be_fitted_to_is_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(InputError, match="affine law"):
        fit_affine(x, np.array(y))
