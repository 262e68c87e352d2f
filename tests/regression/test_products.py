"""Conjugate gradients for a whole path, against direct solves."""

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.regression import NotPositiveWarning, ridge_path_by_products

rng = np.random.default_rng(0)
FACTOR = rng.standard_normal((80, 30))
K = FACTOR @ FACTOR.T
Y = rng.standard_normal((40, 2))
RIDGES = np.array([1.0, 0.01, 100.0, 0.1, 0.1])


def product(v):
    return (K @ v.ravel()).reshape(v.shape)


def test_all_ridges_from_one_sequence_of_products():
    counted = []
    path = ridge_path_by_products(lambda v: counted.append(1) or product(v), Y, RIDGES, tolerance=1e-10)
    assert path.products == len(counted)
    alone = sum(ridge_path_by_products(product, Y, RIDGES[i : i + 1], tolerance=1e-10).products for i in range(5))
    assert path.products < 0.6 * alone
    assert np.all(path.residuals <= 1e-10)
    for i, ridge in enumerate(RIDGES):
        direct = np.linalg.solve(K + ridge * np.eye(80), Y.ravel()).reshape(Y.shape)
        np.testing.assert_allclose(path.coefficients[i], direct, rtol=1e-6, atol=1e-8)


def test_residuals_are_measured_not_believed():
    """A product that is wrong in a part of the space gives solutions of another system, but residuals of that one."""
    path = ridge_path_by_products(product, Y, RIDGES, tolerance=1e-10, most_products=3)
    for i, ridge in enumerate(RIDGES):
        left = Y - product(path.coefficients[i]) - ridge * path.coefficients[i]
        assert path.residuals[i] == pytest.approx(np.linalg.norm(left) / np.linalg.norm(Y))
    assert path.residuals.max() > 1e-3


def test_a_hard_system_is_solved_as_far_as_rounding_allows():
    scales = np.geomspace(1e-10, 1e4, 80)
    path = ridge_path_by_products(lambda v: (scales * v.ravel()).reshape(v.shape), Y, np.array([1e-6, 1.0]))
    direct = Y.ravel() / (scales + 1e-6)
    assert path.residuals.max() < 1e-8
    np.testing.assert_allclose(path.coefficients[0].ravel(), direct, rtol=1e-2)


def test_nothing_to_learn():
    path = ridge_path_by_products(product, 0 * Y, RIDGES)
    assert np.all(path.coefficients == 0)
    assert np.all(path.residuals == 0)


def test_progress_goes_up_to_one():
    shares = []
    ridge_path_by_products(product, Y, RIDGES, on_progress=shares.append)
    assert shares[-1] == 1.0
    assert all(0 <= share <= 1 for share in shares)


def test_a_kernel_that_is_not_positive_is_reported_and_what_can_be_solved_is():
    sick = K - 2.0 * np.eye(80)
    with pytest.warns(NotPositiveWarning, match=r"v'v is -.* 1 of 2 ridges are not solved") as caught:
        path = ridge_path_by_products(lambda v: (sick @ v.ravel()).reshape(v.shape), Y, [1.0, 5.0])
    assert len(caught) == 1
    assert path.residuals[0] > 1e-3
    assert path.residuals[1] <= 1e-9
    direct = np.linalg.solve(sick + 5.0 * np.eye(80), Y.ravel())
    np.testing.assert_allclose(path.coefficients[1].ravel(), direct, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("targets", "ridges", "words"),
    [
        (Y, [-1.0], "at least 0"),
        (Y, [], "at least 0"),
        (Y[:, 0], 1.0, "one row for each sample"),
        (np.where(Y[7, 1] == Y, np.nan, Y), 1.0, "Y contains NaN in row 7, column 1"),
        ("a", 1.0, "table of numbers"),
    ],
)
def test_bad_input(targets, ridges, words):
    with pytest.raises(InputError, match=words):
        ridge_path_by_products(product, targets, ridges)


def test_what_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 5000)
    with pytest.raises(InputError, match=r"Solutions for 5 ridges needs .* Take fewer ridges"):
        ridge_path_by_products(product, Y, RIDGES)
