"""Nystroem features: against their definition, scikit-learn's, and the exact regression that they tend to."""

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem as SklearnNystroem

import kernelgap as kg
from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.regression import (
    choose_nystroem,
    feature_path,
    most_landmarks,
    nystroem_features,
    nystroem_path,
    ridge_path,
)
from kernelgap.regression.nystroem import BLOCK, Nystroem, leverage, needed_memory

SEC8 = kg.problems.get("sec8")
X, Y = SEC8.sample(200, seed=0)
NEW, Y_NEW = SEC8.sample(60, seed=1)
RIDGES = np.array([1e-6, 1e-3, 1e-1])


def features_of(kernel, count, seed=0, **options):
    return nystroem_features(kernels.get(kernel), X, count, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize("kernel", ["laplace", "ntk2", "gaussian(bandwidth=4.0) + ck2"])
def test_the_definition(kernel):
    found = features_of(kernel, 50)
    K, L = found.kernel, found.landmarks
    phi = found.features(NEW)
    np.testing.assert_allclose(phi @ phi.T, K(NEW, L) @ np.linalg.solve(K(L), K(L, NEW)), rtol=1e-8)
    at_landmarks = found.features(L)
    np.testing.assert_allclose(phi @ at_landmarks.T, K(NEW, L), rtol=1e-8)
    assert (K.diagonal(NEW) - np.sum(phi**2, axis=1) > 1e-3 * K.diagonal(NEW)).all()
    assert {tuple(row) for row in L} <= {tuple(row) for row in X}
    assert len(np.unique(L, axis=0)) == 50


def test_equal_to_scikit_learn():
    peer = SklearnNystroem(kernel="rbf", gamma=0.02, n_components=40, random_state=3).fit(X)
    ours = Nystroem(kernels.get("gaussian(bandwidth=5.0)"), peer.components_)
    np.testing.assert_allclose(
        ours.features(NEW) @ ours.features(X).T, peer.transform(NEW) @ peer.transform(X).T, rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize("kernel", ["laplace", "ntk2", "gaussian(factor=3.0)"])
def test_with_more_landmarks_it_tends_to_the_exact_regression(kernel):
    fitted = kernels.get(kernel).fit(X)
    ridges = RIDGES * fitted.diagonal(X).mean()
    exact = ridge_path(fitted(X), Y, ridges).predict(fitted(NEW, X))
    apart = []
    for count in (20, 100, 180, 200):
        path = nystroem_path(features_of(kernel, count), X, Y, ridges)
        apart.append(np.abs(path.predict(NEW) - exact).max(axis=(1, 2)) / np.abs(exact).max(axis=(1, 2)))
    assert (np.diff(apart, axis=0) < 0).all()
    assert (apart[-1] < 1e-9).all()
    assert (apart[-2] > 1e-6).all()


def test_landmarks_that_rounding_cannot_tell_apart(rng):
    """On a line a wide Gaussian kernel has a dozen eigenvalues above rounding; repeated rows add none."""
    line = np.repeat(np.sort(rng.uniform(-1, 1, (100, 1)), axis=0), 2, axis=0)
    targets = np.sin(3 * line)
    K = kernels.get("gaussian(bandwidth=1.0)")
    found = nystroem_features(K, line, 200, rng=rng)
    assert found.root.shape[1] < 30
    path, exact = nystroem_path(found, line, targets, [1e-6]), ridge_path(K(line), targets, [1e-6])
    at = np.linspace(-1, 1, 50)[:, None]
    np.testing.assert_allclose(path.predict(at), exact.predict(K(at, line)), atol=1e-7)
    np.testing.assert_allclose(K(at, found.landmarks) @ path.coefficients[0], path.predict(at)[0], atol=1e-7)


def test_the_path_is_that_of_the_features(monkeypatch):
    found = features_of("laplace", 60)
    plain = feature_path(found.features(X), Y)
    for block in (BLOCK, 60 * 7):
        monkeypatch.setattr("kernelgap.regression.nystroem.BLOCK", block)
        path = nystroem_path(found, X, Y)
        np.testing.assert_allclose(path.ridges, plain.penalties, rtol=1e-12)
        np.testing.assert_allclose(path.path.weights, plain.weights, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(path.errors(NEW, Y_NEW), plain.errors(found.features(NEW), Y_NEW), rtol=1e-8)
        by_landmarks = np.einsum("tp,rpk->rtk", found.kernel(NEW, found.landmarks), path.coefficients)
        np.testing.assert_allclose(path.predict(NEW), by_landmarks, rtol=1e-8, atol=1e-9)


def test_leverage_is_exact_with_every_row():
    K = kernels.get("gaussian").fit(X)
    exact = np.diag(np.linalg.solve(K(X) + 0.5 * np.eye(200), K(X)))
    np.testing.assert_allclose(leverage(Nystroem(K, X), X, 0.5), exact, rtol=1e-8)
    approximate = leverage(Nystroem(K, X[:150]), X, 0.5)
    assert 1e-4 < np.abs(approximate - exact).max() < 0.4


def test_leverage_finds_what_is_rare(rng):
    crowd, rare = 0.1 * rng.standard_normal((980, 5)), 3 * rng.standard_normal((20, 5))
    both = np.concatenate([crowd, rare])
    K = kernels.get("gaussian(bandwidth=1.0)")
    left_out = {}
    for by in ("uniform", "leverage"):
        found = nystroem_features(K, both, 60, rng=np.random.default_rng(0), by=by)
        phi = found.features(both)
        left_out[by] = np.sum(K.diagonal(both) - np.sum(phi**2, axis=1))
    assert left_out["leverage"] < 0.5 * left_out["uniform"]
    larger = nystroem_features(K, both, 60, rng=np.random.default_rng(0), by="leverage", ridge=1.0)
    assert larger.landmarks.shape == (60, 5)


def test_randomness_is_passed_in():
    a, b, c = (features_of("laplace", 30, seed).landmarks for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)
    assert len(features_of("laplace", 500, by="leverage").landmarks) == 200
    by_state = nystroem_features(kernels.get("laplace"), X, 30, rng=np.random.RandomState(0), by="leverage")
    assert len(by_state.landmarks) == 30


def test_memory_is_planned(monkeypatch):
    for free in (2**28, 2**31, 2**36):
        most = most_landmarks(10**9, outputs=3, memory=free)
        assert needed_memory(most, outputs=3) <= free < needed_memory(most + 2, outputs=3)
    assert most_landmarks(100, memory=2**31) == 100
    assert most_landmarks(100, memory=1000) == 0
    found = features_of("laplace", 60)
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 10**5)
    with pytest.raises(InputError, match=r"100 landmarks needs .* GiB are free. Take fewer"):
        features_of("laplace", 100)
    with pytest.raises(InputError, match=r"Regression over 60 features needs"):
        nystroem_path(found, X, Y)
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 10**4)
    with pytest.raises(InputError, match=r"60 features of 200 samples needs .*in blocks"):
        found.features(X)


def test_mistakes():
    for count in (0, True):
        with pytest.raises(InputError, match="number of landmarks"):
            features_of("laplace", count)
    with pytest.raises(InputError, match="Unknown way to draw landmarks"):
        features_of("laplace", 20, by="luck")
    with pytest.raises(InputError, match="not a Gram matrix"):
        features_of("precomputed", 20)
    with pytest.raises(InputError, match="ridge must be a positive number"):
        features_of("laplace", 20, by="leverage", ridge=0.0)
    with pytest.raises(InputError, match="one row for each of the 200 samples"):
        nystroem_path(features_of("laplace", 20), X, Y[:5])
    zero = kernels.from_function(lambda A, B: np.zeros((len(A), len(B))))
    with pytest.raises(InputError, match="0 on all landmarks"):
        Nystroem(zero, X).features(NEW)


def test_a_ridge_is_chosen_on_a_holdout_and_used_with_all_samples():
    found = features_of("laplace", 60)
    choice = choose_nystroem(found, X, Y, [1e-3, 0.1, 10.0], rng=np.random.default_rng(5), held_out=0.3)
    order = np.random.default_rng(5).permutation(200)
    out, kept = order[:60], order[60:]
    errors = nystroem_path(found, X[kept], Y[kept], [1e-3, 0.1, 10.0]).errors(X[out], Y[out])
    np.testing.assert_allclose(choice.errors, errors, rtol=1e-7)
    assert choice.ridge == choice.ridges[errors.argmin()]
    whole = nystroem_path(found, X, Y, [choice.ridge])
    np.testing.assert_allclose(choice.coefficients, whole.coefficients[0], rtol=1e-6, atol=1e-9)
    with pytest.raises(InputError, match="with 1 sample"):
        choose_nystroem(found, X[:1], Y[:1], rng=np.random.default_rng(0))
