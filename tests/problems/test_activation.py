"""Activations against their derivatives at 0, finite differences and what numpy says; the split of Lemma A.2."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelgap.errors import InputError
from kernelgap.problems.activation import Activation

TEXTS = {
    "exp(2z) - 1": lambda z: np.expm1(2 * z),
    "z^3 - 2z": lambda z: z**3 - 2 * z,
    "0.5*sin(3z) + cos(-z)": lambda z: 0.5 * np.sin(3 * z) + np.cos(z),
    "tanh(0.5z)": lambda z: np.tanh(z / 2),
    "tanh(z)^2 + 2": lambda z: np.tanh(z) ** 2 + 2,
    "sigmoid(-2z)": lambda z: 1 / (1 + np.exp(2 * z)),
    "2sinh(z) - 1e-1cosh(.5z)": lambda z: 2 * np.sinh(z) - 0.1 * np.cosh(z / 2),
    "3": lambda z: 3 + 0 * z,
}
Z = np.linspace(-1.3, 1.3, 9)


@pytest.mark.parametrize(("text", "naive"), TEXTS.items())
def test_values_series_and_derivative(text, naive):
    phi = Activation.parse(text)
    np.testing.assert_allclose(phi(Z), naive(Z), rtol=1e-14, atol=1e-15)
    inside = Z[np.abs(Z) < 0.5 * min(phi.radius, 3)]
    series = np.polynomial.polynomial.polyval(inside, phi.coefficients(120))
    np.testing.assert_allclose(series, naive(inside), rtol=1e-13, atol=1e-14)
    slope = (naive(Z + 1e-5) - naive(Z - 1e-5)) / 2e-5
    np.testing.assert_allclose(phi.derivative(Z), slope, atol=1e-8)
    second = np.arange(1, 11) * phi.coefficients(10)[1:]
    np.testing.assert_allclose(phi.derivative.coefficients(9), second, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("text", TEXTS)
def test_text_logs_and_majorant(text):
    phi = Activation.parse(text)
    assert Activation.parse(str(phi)) == phi
    logs, signs = phi.log_coefficients(15)
    np.testing.assert_allclose(signs * np.exp(logs), phi.coefficients(15), rtol=1e-12, atol=1e-16)
    r = 0.9 * min(phi.radius, 2.0)
    absolute = np.abs(phi.coefficients(400)) @ r ** np.arange(401)
    assert absolute <= math.exp(phi.log_majorant(r)) * (1 + 1e-12)
    assert phi.degree is not None or math.exp(phi.log_majorant(r)) <= 3.01 * absolute


@pytest.mark.parametrize("text", TEXTS)
def test_the_split_of_lemma_a2(text):
    phi = Activation.parse(text)
    coefficients = phi.coefficients(12)
    keep = np.array([i == 0 or i % 2 == 1 for i in range(13)])
    np.testing.assert_allclose(phi.plus.coefficients(12), np.where(keep, coefficients, 0), rtol=1e-14)
    np.testing.assert_allclose(phi.minus.coefficients(11), np.where(keep, 0, coefficients)[1:], rtol=1e-14)
    z = np.concatenate([Z, [1e-9, -1e-4, 0.999, 1.001]])
    np.testing.assert_allclose(phi.plus(z) + z * phi.minus(z), phi(z), rtol=1e-14, atol=1e-15)
    slope = (phi.minus(z + 1e-5) - phi.minus(z - 1e-5)) / 2e-5
    np.testing.assert_allclose(phi.minus.derivative(z), slope, atol=2e-7)
    assert phi.plus.only_zero_and_odd
    assert phi.minus.only_zero_and_odd


def test_jax_gives_the_same_and_gradients_pass():
    phi = Activation.parse("exp(2z) - cos(z) + tanh(z)^2").minus
    with jax.enable_x64(True):
        z = jnp.asarray([-1.5, -0.2, 0.0, 0.4, 1.1])
        values, slopes = jax.jit(jax.vmap(jax.value_and_grad(phi.__call__)))(z)
        np.testing.assert_allclose(values, phi(np.asarray(z)), rtol=1e-14)
        np.testing.assert_allclose(slopes, phi.derivative(np.asarray(z)), rtol=1e-11)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=7), st.floats(-2, 2), st.floats(-2, 2))
def test_polynomials_scale(coefficients, inner, outer):
    phi = Activation.polynomial(coefficients).scaled(inner, outer)
    expected = outer * np.polynomial.polynomial.polyval(inner * Z, coefficients)
    np.testing.assert_allclose(phi(Z), expected, rtol=1e-9, atol=1e-9)


def test_a_lowered_activation_scales():
    phi = Activation.parse("exp(z)").minus
    np.testing.assert_allclose(phi.scaled(1.7, 3.0)(Z), 3 * phi(1.7 * Z), rtol=1e-13)


@pytest.mark.parametrize("text", ["", "zz", "relu(z)", "sin(z)^2", "exp(z", "2 +", "sin(y)", "sin z", "tanh(z)^0"])
def test_mistakes_get_a_sentence(text):
    with pytest.raises(InputError, match=r"activation|unknown"):
        Activation.parse(text)
