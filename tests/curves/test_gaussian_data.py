"""Estimates from a covariance: exact cases, Monte Carlo on Gaussian data, and wrong input."""

import math
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.curves import predict_from_covariance
from kernelgap.curves.gaussian_data import count_products, derivatives
from kernelgap.errors import InputError

GAMMAS = np.arange(1, 41) ** -0.4
TARGET = {(1,): 1.0, (0, 1): 0.5, (1, 1): 0.7, (0, 0, 2): 0.3}
NORM = sum(value**2 for value in TARGET.values())
CASES = [
    (name, n) for name in ("polynomial(degree=2)", "gaussian", "ntk2(bias=True)", "laplace") for n in (50, 200, 600)
]
RIDGE = 1e-2


def hermite(index, z):
    """The product of normalised Hermite polynomials, by NumPy's."""
    value = np.ones(len(z))
    for i, degree in enumerate(index):
        coefficients = [0.0] * degree + [1.0]
        value = value * np.polynomial.hermite_e.hermeval(z[:, i], coefficients) / math.sqrt(math.factorial(degree))
    return value


def sampled(n, rng):
    z = rng.standard_normal((n, len(GAMMAS)))
    return z * np.sqrt(GAMMAS), sum(c * hermite(a, z) for a, c in TARGET.items())


@cache
def measured(kernel, n):
    """The mean risk of regression on Gaussian data, on 1,500 points for each of three samples."""
    risks = []
    for seed in range(3):
        rng = np.random.default_rng([seed, n])
        (X, y), (X_test, y_test) = sampled(n, rng), sampled(1500, rng)
        a = np.linalg.solve(kernel(X, X) + RIDGE * np.eye(n), y)
        risks.append(np.mean((kernel(X_test, X) @ a - y_test) ** 2))
    return float(np.mean(risks))


def risks_of(target):
    """Estimated and measured risks."""
    curves = [predict_from_covariance(GAMMAS, target, name, n, RIDGE) for name, n in CASES]
    fits = [measured(kg.kernels.get(curve.kernel), n) for curve, (_, n) in zip(curves, CASES, strict=True)]
    return np.array([curve.risk for curve in curves]), np.array(fits)


def test_estimates_agree_with_regression_on_gaussian_data():
    estimated, fits = risks_of(TARGET)
    assert np.median(np.abs(estimated / fits - 1)) < 0.1
    assert np.max(np.abs(estimated - fits)) < 0.07 * NORM  # where little is left, it is the least accurate


def test_a_target_in_the_weakest_directions_does_not_agree():
    """The check above can fail."""
    estimated, fits = risks_of({(0,) * 36 + index: value for index, value in TARGET.items()})
    assert np.median(np.abs(estimated / fits - 1)) > 0.2
    assert np.max(np.abs(estimated - fits)) > 0.2 * NORM


def test_linear_and_quadratic_kernels_have_their_exact_eigenvalues():
    """<x,y> has gamma_i; <x,y>^2 has 2 gamma_i gamma_j, and tr Sigma^2 for the constant function."""
    total, dimension = GAMMAS.sum(), GAMMAS.sum() ** 2 / (GAMMAS**2).sum()
    means, _ = derivatives(kg.kernels.get("linear"), total, dimension)
    assert means[:4] == pytest.approx([0, total, 0, 0], abs=1e-9)
    means, _ = derivatives(kg.kernels.get("polynomial(degree=2, offset=0)"), total, dimension)
    assert means[:4] == pytest.approx([(GAMMAS**2).sum(), 0, 2 * total**2, 0], abs=1e-6)


def test_linear_regression_has_its_known_error():
    """Without a ridge, 40 inputs, noise alone: noise^2 40 / (n - 40)."""
    curve = predict_from_covariance(GAMMAS, {}, "linear", [100, 1000], 0.0, noise=0.5)
    assert curve.risk == pytest.approx([0.25 * 40 / 60, 0.25 * 40 / 960], rel=0.01)


def test_products_are_counted():
    shares = np.array([0.5, 0.3, 0.2])
    counts, sums = count_products(shares, 4)
    for degree in range(5):
        products = [math.prod(each) for each in combinations_with_replacement(shares, degree)]
        assert counts[degree].sum() == len(products)
        assert sums[degree].sum() == pytest.approx(math.fsum(products))
        means = sums[degree][counts[degree] > 0] / counts[degree][counts[degree] > 0]
        assert max(min(abs(m / p - 1) for m in means) for p in products) < 0.06 * (degree + 1)


def test_a_matrix_is_its_eigenvalues(rng):
    turn = np.linalg.qr(rng.standard_normal((40, 40)))[0]
    given = predict_from_covariance(turn * GAMMAS @ turn.T, TARGET, "gaussian", [100, 1000], 0.1)
    plain = predict_from_covariance(GAMMAS, TARGET, "gaussian", [100, 1000], 0.1)
    assert np.allclose(given.risk, plain.risk, rtol=1e-6)
    assert "estimate" in given.sentence
    assert given.samples_for(given.risk[1]) == pytest.approx(1000, abs=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"covariance": np.ones((2, 3))}, "symmetric"),
        ({"covariance": np.diag([1.0, 1.0, 1.0, -1.0])}, "at least 0"),
        ({"covariance": np.zeros(5)}, "is 0"),
        ({"covariance": [1.0, 0.1]}, "effective dimension"),
        ({"covariance": [1.0, math.nan]}, "NaN"),
        ({"covariance": []}, "empty"),
        ({"kernel": "random_features(feature='sign', count=50)"}, "formula"),
        ({"n": 0}, "n must be at least 1"),
        ({"n": 1e16}, "at most"),
        ({"ridge": -1.0}, "ridge must be at least 0"),
        ({"ridge": math.nan}, "NaN"),
        ({"noise": -0.1}, "noise must be"),
        ({"target": {(1, -1): 1.0}}, "multi-index"),
        ({"target": {1: 1.0}}, "multi-index"),
        ({"target": {(0,) * 40 + (1,): 1.0}}, "at most 40"),
        ({"target": {(1,): "much"}}, "coefficient"),
        ({"target": {(1,): math.nan}}, "coefficient"),
    ],
)
def test_wrong_input_is_refused_with_a_sentence(arguments, message):
    given = {"covariance": GAMMAS, "target": TARGET, "kernel": "gaussian", "n": 100, "ridge": 0.1, **arguments}
    with pytest.raises(InputError, match=message):
        predict_from_covariance(**given)
