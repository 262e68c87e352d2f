"""Kernels with a metric: against their definition, finite differences and brute force."""

import numpy as np
import pytest

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.kernels.formulas import distance_kernel
from kernelgap.kernels.formulas.distance_kernel import Mahalanobis

D = 4
KAPPA = {"gaussian": lambda r: np.exp(-(r**2) / (2 * 1.5**2)), "laplace": lambda r: np.exp(-r / 1.5)}


@pytest.fixture(params=sorted(KAPPA))
def name(request):
    return request.param


@pytest.fixture
def metric(rng):
    A = rng.standard_normal((D, D - 1))  # singular, as learned ones nearly are
    return A @ A.T


@pytest.fixture
def kernel(name, metric):
    return Mahalanobis(kernels.get(f"{name}(bandwidth=1.5)"), metric)


def test_the_definition(name, kernel, metric, rng):
    X, Z = rng.standard_normal((6, D)) + 10, rng.standard_normal((5, D)) + 10
    direct = np.array([[KAPPA[name](np.sqrt((x - z) @ metric @ (x - z))) for z in Z] for x in X])
    np.testing.assert_allclose(kernel(X, Z), direct, rtol=1e-10)
    np.testing.assert_allclose(np.diag(kernel(X)), 1.0)
    np.testing.assert_array_equal(kernel.diagonal(X), np.ones(6))
    assert np.abs(kernels.get(f"{name}(bandwidth=1.5)")(X, Z) - direct).max() > 1e-2


def test_gradients_against_finite_differences(kernel, rng):
    X, Z, a = rng.standard_normal((6, D)) + 3, rng.standard_normal((9, D)) + 3, rng.standard_normal((9, 2))
    found, h = kernel.gradients(X, Z, a), 1e-5
    assert found.shape == (6, 2, D)
    for i in range(D):
        step = h * np.eye(D)[i]
        numeric = (kernel(X + step, Z) @ a - kernel(X - step, Z) @ a) / (2 * h)
        np.testing.assert_allclose(found[:, :, i], numeric, rtol=1e-6, atol=1e-8)


def test_at_its_own_points_a_tip_counts_as_level(kernel, rng):
    """The mean slope over opposite sides: symmetric differences, as above."""
    Z, a, h = rng.standard_normal((5, D)), rng.standard_normal((5, 1)), 1e-6
    Z[1] = Z[0]  # a repeated row
    found = kernel.gradients(Z, Z, a)[:, 0]
    steps = h * np.eye(D)
    numeric = np.stack([((kernel(Z + s, Z) - kernel(Z - s, Z)) @ a)[:, 0] / (2 * h) for s in steps], axis=1)
    np.testing.assert_allclose(found, numeric, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("block", [1, 40, 2**22])
def test_gradient_products_against_brute_force(kernel, block, rng, monkeypatch):
    monkeypatch.setattr(distance_kernel, "BLOCK", block)
    X, Z, a = rng.standard_normal((7, D)), rng.standard_normal((9, D)), rng.standard_normal((9, 3))
    gradients = kernel.gradients(X, Z, a)
    brute = sum(np.outer(g, g) for at in gradients for g in at) / len(X)
    np.testing.assert_allclose(kernel.gradient_products(X, Z, a), brute, rtol=1e-9, atol=1e-12)


def test_the_bandwidth_is_the_median_distance_in_the_metric(name, metric, rng):
    X = rng.standard_normal((30, D))
    fitted = Mahalanobis(kernels.get(name), metric).fit(X)
    assert fitted.is_fitted
    assert fitted.base == kernels.get(name).fit(fitted.transform(X))
    assert not Mahalanobis(kernels.get(name), metric).is_fitted


def test_a_diagonal_metric_is_a_weight_for_each_column(name, rng):
    weights, X = np.array([4.0, 0.0, 1.0, 9.0]), rng.standard_normal((6, D))
    base = kernels.get(f"{name}(bandwidth=1.5)")
    np.testing.assert_allclose(Mahalanobis(base, np.diag(weights))(X), base(X * np.sqrt(weights)), rtol=1e-12)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (np.ones((2, 3)), "symmetric"),
        (np.array([[1.0, 1.0], [0.0, 1.0]]), "symmetric"),
        (np.diag([1.0, -1.0]), "eigenvalue below 0"),
        (np.diag([1.0, np.nan]), "NaN"),
    ],
)
def test_what_is_no_metric(metric, words):
    with pytest.raises(InputError, match=words):
        Mahalanobis(kernels.get("laplace"), metric)


def test_inputs_of_another_length():
    with pytest.raises(InputError, match="have 3 columns, and the metric is for 2"):
        Mahalanobis(kernels.get("laplace"), np.eye(2))(np.eye(3))
