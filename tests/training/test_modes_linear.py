"""Linear models trained by SGD against their closed forms, and the curvature against dense eigenvalues."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kernelgap as kg
from kernelgap import networks
from kernelgap.training import Schedule, get_model, train_grid
from kernelgap.training.rates import curvature

PROBLEM = kg.problems.hard(d=5, k=2, alpha=0.3)
N = 24


def jacobian(network, params, X):
    """d out / d params as an (n outputs) x (parameters) matrix, by reverse mode, and out at the start."""
    x = jnp.asarray(X, dtype=jnp.float32)
    names = sorted(set(params) - set(network.gates))
    J = jax.jacrev(lambda p: network.apply({**params, **p}, x))({n: params[n] for n in names})
    J = np.concatenate([np.asarray(J[n], float).reshape(len(X) * PROBLEM.outputs, -1) for n in names], axis=1)
    return J, np.asarray(network.apply(params, x), float).ravel(), names


def full_batch(network, mode, params, rates, decays, epochs, momentum=0.0):
    schedule = Schedule(epochs=epochs, batch=N, momentum=momentum, drop=1.0)
    data = PROBLEM.sample(N, seed=0)
    return train_grid(get_model(network, mode), params, rates, decays, data, schedule=schedule, seed=[0], epochs=[])


@pytest.mark.parametrize(
    "name",
    ["3resnet", *(pytest.param(n, marks=pytest.mark.slow) for n in sorted(networks.NETWORKS) if n != "3resnet")],
)
def test_linearised_training_has_its_closed_form(name):
    """Gradient descent on |r0 + J w|^2 / (2n) + decay |w|^2 / 2 after T steps, solved by eigenvalues."""
    network = networks.get(name)
    params = network.init(jax.random.key(4), inputs=5, outputs=2, width=6)
    X, Y = PROBLEM.sample(N, seed=0)
    J, out, names = jacobian(network, params, X)
    rate, decay, steps = 0.05, 0.01, 200
    hessian = J.T @ J / N + decay * np.eye(J.shape[1])
    gradient = J.T @ (out - Y.ravel()) / N
    values, vectors = np.linalg.eigh(hessian)
    shrink = (1 - (1 - rate * values) ** steps) / values  # sum of (1 - rate h)^t rate
    w = -vectors @ (shrink * (vectors.T @ gradient))

    result = full_batch(network, "ntk", params, [rate], [decay], steps)
    found = np.concatenate([result.trained[n][0].ravel() for n in names])
    np.testing.assert_allclose(found, w, rtol=0, atol=2e-4 * np.abs(w).max())
    np.testing.assert_allclose(result.predictor(0)(X).ravel(), out + J @ w, atol=1e-4)


@pytest.mark.parametrize("name", sorted(n for n in networks.NETWORKS if "gated" not in n))
def test_last_layer_converges_to_ridge_regression(name):
    network = networks.get(name)
    params = network.init(jax.random.key(4), inputs=5, outputs=2, width=6)
    X, Y = PROBLEM.sample(N, seed=0)
    features = np.asarray(network.features(params, jnp.asarray(X, dtype=jnp.float32)), float)
    decay = 0.05
    ridge = np.linalg.solve(features.T @ features / N + decay * np.eye(6), features.T @ Y / N).T
    rate = 1.0 / np.linalg.eigvalsh(features.T @ features / N)[-1]
    result = full_batch(network, "last", params, [rate], [decay], 2000, momentum=0.9)
    np.testing.assert_allclose(result.trained["A"][0], ridge, atol=1e-4 * np.abs(ridge).max())


@pytest.mark.parametrize("mode", networks.MODES)
def test_curvature_is_the_largest_eigenvalue(mode):
    network = networks.resnet
    params = network.init(jax.random.key(4), inputs=5, outputs=2, width=6)
    X, _ = PROBLEM.sample(N, seed=0)
    model = get_model(network, mode)
    trained, frozen = model.split(params)
    x = model.prepare(frozen, jnp.asarray(X, dtype=jnp.float32))
    J = jax.jacrev(lambda w: model.predict(w, frozen, x))(dict(trained))
    J = np.concatenate([np.asarray(j, float).reshape(N * 2, -1) for j in J.values()], axis=1)
    largest = np.linalg.eigvalsh(J @ J.T / N)[-1]
    assert float(curvature(model, trained, frozen, x, steps=200)) == pytest.approx(largest, rel=1e-3)
    assert float(curvature(model, trained, frozen, x)) == pytest.approx(largest, rel=0.1)
