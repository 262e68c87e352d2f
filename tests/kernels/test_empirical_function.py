"""The tangent kernel of anyone's function: against finite differences, and our own networks taken as functions."""

import importlib
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kernelgap as kg
from kernelgap import networks
from kernelgap.errors import InputError
from kernelgap.kernels import empirical

N, M, D, K = 4, 3, 3, 2
module = importlib.import_module("kernelgap.kernels.empirical.kernel")


class Layer(NamedTuple):
    """A tree that is no dictionary, as modules of Equinox are."""

    weight: object
    scale: object
    activation: object


def mlp(params, x):
    """Fully connected, with a layer normalisation: its scale has no outer product."""
    hidden = x @ params["first"].weight
    hidden = params["first"].activation(hidden / (1 + jnp.square(hidden).mean(-1, keepdims=True)) ** 0.5)
    return (hidden * params["first"].scale) @ params["last"][0] + params["last"][1] * params["count"]


def convolution(params, x):
    """One filter over a sequence, one output without an axis of its own."""
    windows = jax.lax.conv_general_dilated(x[:, None, :], params["filter"], (1,), "SAME")
    return jnp.tanh(windows).mean(axis=(1, 2))


def mlp_weights(rng):
    first = Layer(rng.standard_normal((D, 4)), rng.standard_normal(4), jnp.tanh)
    return {"first": first, "last": [rng.standard_normal((4, K)), rng.standard_normal(K)], "count": np.int32(2)}


FUNCTIONS = {
    "mlp": (mlp, mlp_weights),
    "convolution": (convolution, lambda rng: {"filter": rng.standard_normal((2, 1, 3))}),
    "a linear one": (lambda w, x: x @ w, lambda rng: rng.standard_normal((D, K))),
}


def differences(function, params, X, step=1e-5):
    """The gradient of each output at each row, (n k, weights), by central differences alone."""
    leaves, tree = jax.tree.flatten(params)

    def outputs(changed):
        with jax.enable_x64(True):
            out = np.asarray(function(jax.tree.unflatten(tree, changed), jnp.asarray(X)), float)
        return out.ravel()

    columns = []
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
            for at in np.ndindex(leaf.shape):
                up, down = (np.array(leaf) for _ in range(2))
                up[at], down[at] = up[at] + step, down[at] - step
                high, low = (outputs([*leaves[:place], one, *leaves[place + 1 :]]) for one in (up, down))
                columns.append((high - low) / (2 * step))
    return np.array(columns).T


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equals_the_product_of_finite_differences(name, rng, monkeypatch):
    function, draw = FUNCTIONS[name]
    params = draw(rng)
    X, Z = rng.standard_normal((N, D)), rng.standard_normal((M, D))
    jx, jz = (differences(function, params, rows) for rows in (X, Z))
    k = len(jx) // N
    for budget in (2**27, 2**9):  # at once, and in tiles of a row or two
        monkeypatch.setattr(module, "TILE_BYTES", budget)
        kernel = empirical(function, params)
        np.testing.assert_allclose(kernel.full(X, Z), jx @ jz.T, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(kernel.full(X), jx @ jx.T, rtol=1e-7, atol=1e-7)
        mean = np.einsum("nimi->nm", (jx @ jz.T).reshape(N, k, M, k)) / k
        np.testing.assert_allclose(kernel(X, Z), mean, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel(X)), rtol=1e-10)
    if name == "a linear one":  # its kernel is the same at all weights
        return
    other = draw(np.random.default_rng(1))
    assert np.abs(empirical(function, other).full(X, Z) - jx @ jz.T).max() > 1e-3


@pytest.mark.parametrize("name", ["2layer", "3resnet"])
def test_equals_that_of_our_own_networks(name, rng):
    network = networks.get(name)
    params = {name: rng.standard_normal(w.shape) for name, w in network.weights(D, K, 5).items()}
    X, Z = rng.standard_normal((N, D)), rng.standard_normal((M, D))
    ours, theirs = empirical(network, params), empirical(network.apply, dict(params))
    np.testing.assert_allclose(theirs(X, Z), ours(X, Z), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(theirs.full(X), ours.full(X), rtol=1e-12, atol=1e-14)


def test_fully_connected_layers_keep_their_outer_products(rng):
    """A gradient of a layer of width m has m^2 numbers, and its two factors 2 m."""
    params = [rng.standard_normal((D, 9)), rng.standard_normal((9, K))]
    kernel = empirical(lambda w, x: jax.nn.relu(x @ w[0]) @ w[1], params)
    with jax.enable_x64(True):
        structure = kernel._at().structure(rng.standard_normal((1, D)))
    assert structure is not None
    assert (sum(structure.inputs), sum(structure.gradients)) == (D + 9, 9 + K)


def test_it_is_a_kernel_like_others(rng):
    X = rng.standard_normal((30, D))
    kernel = empirical(partial(lambda w, x, power: (x @ w) ** power, power=2), rng.standard_normal(D))
    y = X[:, 0] - X[:, 1]
    model = kg.KernelRegressor(kernel + 0.5 * kg.kernels.get("gaussian"), ridge=1e-6).fit(X, y)
    assert np.abs(model.predict(X) - y).max() < 0.01
    with pytest.raises(InputError, match="code of yours"):
        model.save("anywhere")


@pytest.mark.parametrize(
    ("function", "params", "words"),
    [
        (lambda w, x: x @ w, np.arange(D), "no weight to take gradients by"),
        (lambda w, x: x @ w, np.full(D, np.nan), "not all finite"),
        (lambda w, x: x @ w, np.full(D, 1j), "complex numbers"),
        (lambda w, x: x @ w, np.zeros(D + 1), "cannot be applied"),
        (lambda w: w, np.zeros(D), "cannot be applied"),
        (lambda w, x: (x @ w).sum(), np.ones(D), "must give"),
        (lambda w, x: (x - x.mean(axis=0)) @ w, np.ones(D), "depends on the other rows"),
    ],
)
def test_what_has_no_kernel_is_refused(function, params, words, rng):
    with pytest.raises(InputError, match=words):
        empirical(function, params)(rng.standard_normal((4, D)))


def test_of_a_function_all_weights_are_taken():
    with pytest.raises(InputError, match="all weights"):
        empirical(lambda w, x: x @ w, np.ones(D), train="last")
    with pytest.raises(InputError, match="network must be a Network"):
        empirical(3, {})
