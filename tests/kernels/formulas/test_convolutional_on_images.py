"""Kernels on images: accuracies against a computation of our own here, with other formulas and another solver.

KERNELGAP_IMAGES names a set of images that ``read_images`` reads; without it, the tests on real images are skipped.
"""

import os

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics.pairwise import euclidean_distances

from kernelgap import kernels
from kernelgap.estimators import KernelClassifier
from kernelgap.images.data import Images, read_images

REAL = pytest.mark.skipif("KERNELGAP_IMAGES" not in os.environ, reason="KERNELGAP_IMAGES names no images")
POINTS = 0.005  # half of a percentage point


def median_distance(X):
    """Over evenly spaced rows, at most 1,000 of them."""
    some = X[:: -(-len(X) // 1000)]
    apart = euclidean_distances(some)[np.triu_indices(len(some), 1)]
    return np.median(apart[apart > 0])


def gaussian(X, Z, h):
    return np.exp(-(euclidean_distances(X, Z) ** 2) / (2 * h**2))


def laplace(X, Z, h):
    return np.exp(-euclidean_distances(X, Z) / h)


def tangent(hidden_layers):
    """Arc-cosine kernels of order 1 and 0, layer by layer: Sigma' = k1, Theta' = Sigma' + Theta k0."""

    def gram(X, Z, h):
        lengths = np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Z, axis=1))
        sigma = X @ Z.T
        theta = sigma.copy()
        for _ in range(hidden_layers):
            cosine = np.clip(sigma / lengths, -1, 1)
            angle = np.arccos(cosine)
            sigma = lengths * (np.sqrt(1 - cosine**2) + (np.pi - angle) * cosine) / np.pi
            theta = sigma + theta * (np.pi - angle) / np.pi
        return theta

    return gram


OWN = {  # kernel: own Gram matrix, the factor of the median distance, the ridge over the mean of K(x,x)
    "gaussian(factor=0.5)": (gaussian, 0.5, 0.1),
    "laplace(factor=2.0)": (laplace, 2.0, 1e-3),
    "ntk2": (tangent(1), 1.0, 1e-2),
    "ntk3": (tangent(2), 1.0, 1e-2),
}


def own_predictions(gram, X, labels, new, h, share):
    """The class with the largest output of (K + ridge I)^-1 on one-hot labels, by Cholesky's factorisation."""
    K = gram(X, X, h)
    ridge = share * np.mean(np.diag(K))
    K.flat[:: len(X) + 1] += ridge
    weights = cho_solve(cho_factor(K, lower=True, overwrite_a=True), np.eye(10)[labels] - 0.1)
    outputs = [gram(new[i : i + 1000], X, h) @ weights for i in range(0, len(new), 1000)]
    return ridge, np.argmax(np.concatenate(outputs), axis=1)


def both(text, X, labels, new):
    """Our estimator's predictions and those of the computation here."""
    gram, factor, share = OWN[text]
    ridge, theirs = own_predictions(gram, X, labels, new, factor * median_distance(X), share)
    return KernelClassifier(text, ridge=float(ridge)).fit(X, labels).predict(new), theirs


@pytest.mark.parametrize("text", sorted(OWN))
def test_the_computation_here_agrees_on_small_images(text, rng):
    """Blurred spots at places of their own, one a class: every prediction is the same, and most are right."""
    labels = rng.integers(0, 10, 260)
    rows, columns = np.mgrid[:8, :8]
    down, right = rows - 1 - (labels % 5)[:, None, None], columns - 1 - (labels // 2)[:, None, None]
    spots = np.exp(-(down**2 + right**2) / 3)
    noisy = np.clip(120 * spots + rng.normal(60, 25, spots.shape), 0, 255)
    train = Images.of(noisy[:200].astype(np.uint8), labels[:200], [str(c) for c in range(10)])
    X = train.scaled(train).reshape(200, -1)
    new = Images.of(noisy[200:].astype(np.uint8), labels[200:], train.classes).scaled(train).reshape(60, -1)
    ours, theirs = both(text, X.astype(float), labels[:200], new.astype(float))
    assert np.array_equal(ours, theirs)
    assert np.mean(ours == labels[200:]) > 0.8


@pytest.mark.parametrize("text", ["ntk2", "gaussian(factor=0.5)"])
def test_another_kernel_would_be_noticed(text, rng):
    """The comparison can fail: with the Gram matrix of the other, outputs differ."""
    X = rng.standard_normal((30, 12))
    gram, factor, _ = OWN[text]
    other, *_ = OWN["ntk3" if text == "ntk2" else "laplace(factor=2.0)"]
    kernel, h = kernels.get(text).fit(X), factor * median_distance(X)
    np.testing.assert_allclose(gram(X, X, h), kernel(X), rtol=1e-6)
    assert not np.allclose(other(X, X, h), kernel(X), rtol=1e-2)


@REAL
@pytest.mark.slow
@pytest.mark.parametrize("n", [1000, 10_000])
@pytest.mark.parametrize("text", sorted(OWN))
def test_accuracy_on_real_images(text, n):
    """n training images of seed 0, scaled, and all test images."""
    data = read_images(os.environ["KERNELGAP_IMAGES"])
    train = data.train.subset(n, seed=0)
    X, new = (part.scaled(train).reshape(len(part), -1).astype(float) for part in (train, data.test))
    ours, theirs = (np.mean(found == data.test.labels) for found in both(text, X, train.labels, new))
    print(f"\n{text} at n = {n}: {ours:.4f}, and by the computation here {theirs:.4f}")
    assert abs(ours - theirs) <= POINTS


@REAL
@pytest.mark.slow
def test_a_convolutional_kernel_on_real_images():
    """It classifies whole images, and better than guessing by far."""
    data = read_images(os.environ["KERNELGAP_IMAGES"])
    train, new = data.train.subset(500, seed=0), data.test.subset(500, seed=0)
    X, Z = (part.scaled(train).reshape(len(part), -1).astype(float) for part in (train, new))
    kernel = kernels.get(f"cntk(image={train.shape}, depth=3)")
    model = KernelClassifier(kernel, random_state=0).fit(X, train.labels)
    accuracy = np.mean(model.predict(Z) == new.labels)
    print(f"\n{kernel.spec}: {accuracy:.4f}")
    assert accuracy > 0.7
