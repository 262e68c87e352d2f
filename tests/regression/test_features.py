"""Linear regression over features, against direct solves and scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, Ridge

from kernelgap.errors import InputError
from kernelgap.regression import feature_path, lasso_path, ridge_path

rng = np.random.default_rng(0)
Y = rng.standard_normal((30, 3))


@pytest.mark.parametrize("m", [5, 29, 30, 31, 80])
def test_l2_in_few_and_in_many_dimensions(m):
    features, new = rng.standard_normal((30, m)), rng.standard_normal((7, m))
    ridges = np.array([1e-3, 0.1, 10.0])
    path = feature_path(features, Y, ridges)
    assert path.weights.shape == (3, m, 3)
    for i, ridge in enumerate(ridges):
        peer = Ridge(alpha=ridge, fit_intercept=False, solver="svd").fit(features, Y)
        np.testing.assert_allclose(path.predict(new)[i], peer.predict(new), rtol=1e-8, atol=1e-8)
    as_kernel = ridge_path(features @ features.T, Y, ridges).errors(new @ features.T, Y[:7])
    np.testing.assert_allclose(path.errors(new, Y[:7]), as_kernel, rtol=1e-8)


@pytest.mark.parametrize("kind", [bool, np.int8, np.float32, list])
def test_any_numbers_are_computed_in_float64(kind):
    values = rng.integers(0, 100, size=(30, 6)) % (2 if kind is bool else 100)
    given = values.tolist() if kind is list else values.astype(kind)
    path = feature_path(given, Y, [0.5])
    np.testing.assert_allclose(path.weights, feature_path(values.astype(float), Y, [0.5]).weights, rtol=1e-12)


def test_default_path_is_the_kernels():
    features = rng.standard_normal((30, 40))
    np.testing.assert_allclose(
        feature_path(features, Y).penalties, ridge_path(features @ features.T, Y).ridges, rtol=1e-12
    )


def test_l1_is_scikit_learns():
    features, new = rng.standard_normal((30, 10)), rng.standard_normal((7, 10))
    penalties = np.array([0.01, 0.3, 0.05])
    path = lasso_path(features, Y, penalties)
    for i, penalty in enumerate(penalties):
        peer = Lasso(alpha=penalty, fit_intercept=False, tol=1e-8).fit(features, Y)
        np.testing.assert_allclose(path.predict(new)[i], peer.predict(new), atol=5e-3)


def test_l1_finds_the_few_features_that_matter():
    features = rng.standard_normal((100, 400))
    target = (features[:, 3] - 2 * features[:, 7])[:, None]
    path = lasso_path(features, target)
    strong = path.weights[np.argsort(path.penalties)[len(path.penalties) // 2], :, 0]
    assert set(np.flatnonzero(np.abs(strong) > 0.05)) == {3, 7}
    new = rng.standard_normal((200, 400))
    truth = (new[:, 3] - 2 * new[:, 7])[:, None]
    assert path.errors(new, truth).min() < 0.01 < 0.5 < feature_path(features, target).errors(new, truth).min()
    assert np.all(path.weights[np.argmax(path.penalties)] == 0)


def test_l1_says_when_it_did_not_converge():
    features = np.ones((30, 40)) + 1e-3 * rng.standard_normal((30, 40))
    with pytest.warns(ConvergenceWarning, match=r"\d of 3 l1 fits did not converge"):
        lasso_path(features, Y, 1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lasso_path(features, Y, 1.0)


def test_bad_input():
    features = rng.standard_normal((30, 4))
    for arguments, words in [
        ((features[:5], Y), "must belong together"),
        ((features, Y[:, 0]), "must belong together"),
        ((np.where(features == features[2, 1], np.nan, features), Y), "The features contains NaN in row 2, column 1"),
    ]:
        for path in (feature_path, lasso_path):
            with pytest.raises(InputError, match=words):
                path(*arguments)
    with pytest.raises(InputError, match="a column for each of the 4 features"):
        feature_path(features, Y).predict(features[:, :3])
    with pytest.raises(InputError, match="no scale"):
        lasso_path(features, 0 * Y)
