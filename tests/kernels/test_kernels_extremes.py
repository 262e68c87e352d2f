"""Inputs that are huge, opposite, or none: values keep their digits, and what overflows is named."""

import warnings

import jax
import numpy as np
import pytest

from kernelgap import kernels, networks
from kernelgap.errors import InputError
from kernelgap.kernels.kernel import check_overflow
from kernelgap.kernels.pairs import NumpyPairs, SamePairs, UpperPairs

X = np.random.default_rng(0).standard_normal((5, 3))


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e7, 1e9])
def test_waves_of_opposite_inputs(scale):
    """cos is even and sin is odd: K(x,-x) = K(x,x) and -K(x,x), which |x|^2 + |z|^2 + 2<x,z> misses at 1e7."""
    x = scale * X
    for feature, sign in {"cos": 1.0, "sin": -1.0}.items():
        kernel = kernels.random_features(feature)
        np.testing.assert_allclose(np.diagonal(kernel(x, -x)), sign * kernel.diagonal(x), rtol=1e-14)
        both = kernel(np.concatenate([x, -x]))
        np.testing.assert_allclose(np.diagonal(both, 5), sign * kernel.diagonal(x), rtol=1e-14)


def test_waves_of_nearly_opposite_inputs():
    x = 1e7 * X
    z = -x + 0.5
    expected = np.exp(-np.sum((x + z) ** 2, axis=1) / 2) / 2
    np.testing.assert_allclose(np.diagonal(kernels.random_features("cos")(x, z)), expected, rtol=1e-12)
    lengths = np.sum(x**2, axis=1) + np.sum(z**2, axis=1)
    plain = np.exp(-(lengths + 2 * np.sum(x * z, axis=1)) / 2) / 2
    assert np.max(np.abs(plain - expected)) > 1e-3


def test_squared_sums_are_distances_from_the_opposite():
    Z = np.concatenate([X[:2] + 1.0, -X[2:] + 1e-9])
    sums = np.sum((X[:, None] + Z) ** 2, axis=2)
    np.testing.assert_allclose(NumpyPairs(X, Z).squared_sum, sums, rtol=1e-12)
    both = np.concatenate([X, -X])
    rows, columns = np.triu_indices(10, 1)
    np.testing.assert_allclose(
        UpperPairs(both).squared_sum, np.sum((both[rows] + both[columns]) ** 2, axis=1), rtol=1e-12
    )
    np.testing.assert_allclose(SamePairs(X).squared_sum, np.sum((2 * X) ** 2, axis=1), rtol=1e-14)
    np.testing.assert_array_equal(np.diagonal(NumpyPairs(1e8 * X, -1e8 * X).squared_sum), 0.0)


@pytest.mark.parametrize("name", ["ck3", "ntk3", "ntk3res", "ck3res"])
def test_hidden_biases_do_not_overflow(name):
    """At 1e100 the biases are nothing beside the inputs."""
    with_bias = kernels.get(f"{name}(hidden_bias=True)")(1e100 * X)
    np.testing.assert_allclose(with_bias / 1e200, kernels.get(name)(X), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e100])
def test_hidden_biases_keep_the_diagonal_exact(scale):
    x = scale * np.random.default_rng(1).standard_normal((200, 3))
    squared = np.einsum("nd,nd->n", x, x)
    np.testing.assert_array_equal(np.diagonal(kernels.get("ck3(hidden_bias=True)")(x)), squared + 2)
    if scale == 1.0:  # what the product of two square roots would give
        assert np.any(np.sqrt(squared + 2) * np.sqrt(squared + 2) != squared + 2)


def test_erf_features_do_not_overflow():
    cosine = kernels.get("random_features(feature='sign')")(X)
    np.testing.assert_allclose(kernels.get("random_features(feature='erf')")(1e100 * X), cosine, rtol=1e-7)


def empirical():
    params = networks.two_layer.init(jax.random.key(0), inputs=3, outputs=2, width=4)
    return kernels.empirical(networks.two_layer, params)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("ck2", 1e200),
        ("arcsin", 1e200),
        ("gaussian(bandwidth=1.0)", 1e200),
        ("gaussian", 1e200),
        ("laplace", 1e200),
        ("random_features(count=4)", 1e200),
        ("cntk(image=(1, 1, 3))", 1e200),
        ("polynomial", 1e100),
        ("ck2 * ntk2 + arcsin", 1e100),
        ("1e200 * linear", 1e100),
        ("empirical", 1e200),
    ],
)
def test_what_overflows_is_named(text, scale):
    kernel = empirical() if text == "empirical" else kernels.get(text)
    for Z in (None, scale * X[:2]):
        with pytest.raises(InputError, match=r"overflow.*: rescale"):
            kernel(scale * X, Z)
    assert np.isfinite(kernel(X)).all()


def test_overflow_of_the_diagonal_and_of_all_outputs_is_named():
    for values in (kernels.get("polynomial").diagonal, empirical().diagonal, empirical().full):
        with pytest.raises(InputError, match=r"overflows on these inputs: rescale them"):
            values(1e200 * X)


def test_large_values_whose_sum_overflows_are_kept():
    values = kernels.get("linear")(np.full((3, 1), 1e154))
    np.testing.assert_allclose(values, 1e308)
    with np.errstate(over="ignore"):
        assert np.sum(values) == np.inf


def test_features_that_are_not_finite():
    with pytest.raises(InputError, match="not all finite"):
        kernels.random_features(lambda u: np.log(-np.abs(u)), count=3)(X)


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
def test_no_rows(name):
    none = X[:0]
    for kernel in (kernels.get(name).fit(X), kernels.get(f"{name} + ck2").fit(X)):
        assert kernel(none).shape == (0, 0)
        assert kernel(none, X).shape == (0, 5)
        assert kernel(X, none).shape == (5, 0)
    with pytest.raises(InputError, match="no rows to take the median distance of"):
        kernels.get(name)(none)


def test_overflow_of_both_signs_is_one_sentence_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="overflows on these inputs"):
            check_overflow(np.array([np.inf, -np.inf]), "x")
        check_overflow(np.full(2, 1e308), "x")  # only the sum overflows
