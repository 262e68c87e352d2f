"""Closed forms against sampled features, for each feature; own features and weights."""

import numpy as np
import pytest

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.kernels.formulas.random_features import CLOSED_FORMS, FEATURES

rng = np.random.default_rng(0)
X, Z = 0.8 * rng.standard_normal((4, 3)), 0.8 * rng.standard_normal((3, 3))


def sampled(feature, seeds=40, count=20_000):
    draws = [kernels.random_features(feature, count=count, seed=seed)(X, Z) for seed in range(seeds)]
    return np.mean(draws, axis=0), np.std(draws, axis=0, ddof=1) / seeds**0.5


@pytest.mark.parametrize("feature", CLOSED_FORMS)
def test_closed_form_is_the_mean_of_samples(feature):
    mean, error = sampled(feature)
    values = kernels.random_features(feature)(X, Z)
    assert np.all(error < 0.05 * np.max(np.abs(values)))
    assert np.all(np.abs(values - mean) < 4.5 * error)
    others = [kernels.random_features(other)(X, Z) for other in CLOSED_FORMS if other != feature]
    assert not any(np.all(np.abs(other - mean) < 4.5 * error) for other in others)


def test_relations():
    np.testing.assert_allclose(2 * kernels.random_features("relu")(X, Z), kernels.get("ck2")(X, Z))
    arcsin = kernels.get("arcsin")(X, Z)
    np.testing.assert_allclose(kernels.random_features("sign")(X, Z), 2 / np.pi * arcsin, atol=4 * np.finfo(float).eps)
    waves = kernels.random_features("cos")(X, Z) + kernels.random_features("sin")(X, Z)
    np.testing.assert_allclose(waves, kernels.get("gaussian(bandwidth=1.0)")(X, Z))


def test_features_are_those_of_the_kernel():
    kernel = kernels.random_features("step", count=50, seed=3)
    np.testing.assert_allclose(kernel.features(X) @ kernel.features(Z).T, kernel(X, Z))
    assert np.linalg.matrix_rank(kernels.random_features("relu", count=2)(X)) == 2


def test_own_feature_and_weights():
    def halves(generator, count, d):
        return generator.choice([-0.5, 0.5], size=(count, d))

    kernel = kernels.random_features(np.tanh, halves, count=1000, seed=1)
    W = halves(np.random.default_rng(1), 1000, 3)
    np.testing.assert_allclose(kernel(X, Z), np.tanh(X @ W.T) @ np.tanh(Z @ W.T).T / 1000)
    assert "tanh" in kernel.spec


@pytest.mark.parametrize(("name", "second"), [("gaussian", 1.0), ("signs", 1.0), ("sphere", 1.0)])
def test_weights_have_the_same_second_moments(name, second):
    kernel = kernels.random_features("linear", name, count=200_000)
    np.testing.assert_allclose(kernel(X, Z), second * X @ Z.T, atol=0.03)


def test_refusals():
    with pytest.raises(InputError, match="No closed form"):
        kernels.random_features(np.tanh)
    with pytest.raises(InputError, match="gave the shape"):
        kernels.random_features("relu", lambda generator, count, d: np.ones((2, 2)), count=5)(X)
    with pytest.raises(InputError, match="gave the shape"):
        kernels.random_features(lambda u: u[:1], count=5)(X)
    assert set(CLOSED_FORMS) == set(FEATURES)
