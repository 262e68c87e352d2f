"""The recursive feature machine: its rounds, against plain regression and on targets of one direction."""

import numpy as np
import pytest

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.regression import adaptive_rounds, ridge_path
from kernelgap.regression.adaptive import next_metric

W = np.array([0.6, 0.8, *8 * [0.0]])


def single_index(direction, n=500, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, len(direction)))
    return X, np.sin(2 * X @ direction)[:, None]


def rounds_of(kernel, X, Y, train, **options):
    held_out = X[train:], Y[train:]
    return list(adaptive_rounds(kernels.get(kernel), X[:train], Y[:train], held_out, **{"rounds": 3} | options))


@pytest.mark.parametrize("kernel", ["laplace", "gaussian"])
def test_round_0_is_a_plain_ridge_regression(kernel):
    X, Y = single_index(W, 150)
    first, *_ = rounds_of(kernel, X, Y, 100, rounds=0, ridges=[1e-3, 1e-1, 10.0])
    fitted = kernels.get(kernel).fit(X)
    path = ridge_path(fitted(X[:100]), Y[:100], [1e-3, 1e-1, 10.0])
    np.testing.assert_allclose(first.errors, path.errors(fitted(X[100:], X[:100]), Y[100:]), rtol=1e-9)
    np.testing.assert_allclose(first.coefficients, path.coefficients[first.best], rtol=1e-8)
    assert first.kernel.base == fitted
    assert first.error == first.errors.min()
    assert first.ridge == first.ridges[first.best]


@pytest.mark.parametrize("kernel", ["laplace", "gaussian"])
def test_the_direction_that_matters_is_found(kernel):
    X, Y = single_index(W)
    found = rounds_of(kernel, X, Y, 300)
    values, vectors = np.linalg.eigh(found[-1].kernel.metric)
    assert values[-1] > 0.95 * values.sum()
    assert abs(vectors[:, -1] @ W) > 0.999
    assert np.trace(found[-1].kernel.metric) == pytest.approx(len(W))
    assert found[-1].error < 0.02 * found[0].error
    assert [r.number for r in found] == [0, 1, 2, 3]


def test_a_coordinate_that_matters_is_found_by_the_diagonal_too():
    X, Y = single_index(np.eye(10)[3])
    found = rounds_of("laplace", X, Y, 300, diagonal=True)
    M = found[-1].kernel.metric
    np.testing.assert_array_equal(M, np.diag(np.diag(M)))
    assert M[3, 3] > 9.9
    assert found[-1].error < 0.1 * found[0].error


@pytest.mark.parametrize("kernel", ["laplace", "gaussian(factor=2.0)"])
def test_rotated_inputs_give_the_rotated_metric(kernel, rng):
    X, Y = single_index(W, 200)
    Q = np.linalg.qr(rng.standard_normal((10, 10)))[0]
    plain, turned = (rounds_of(kernel, Z, Y, 120, rounds=2, ridges=[1e-2])[-1] for Z in (X, X @ Q))
    np.testing.assert_allclose(turned.kernel.metric, Q.T @ plain.kernel.metric @ Q, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(turned.errors, plain.errors, rtol=1e-7)
    kept, other = (rounds_of(kernel, Z, Y, 120, rounds=2, ridges=[1e-2], diagonal=True)[-1] for Z in (X, X @ Q))
    assert abs(other.error / kept.error - 1) > 0.05  # a weight for each coordinate is not the same in every basis


def test_several_outputs_are_summed(rng):
    X, Y = single_index(W, 60)
    a = rng.standard_normal((60, 2))
    kernel = rounds_of("gaussian", X, Y, 40, rounds=0)[0].kernel
    together, *apart = (kernel.gradient_products(X, X, c) for c in (a, a[:, :1], a[:, 1:]))
    np.testing.assert_allclose(together, sum(apart), rtol=1e-9, atol=1e-12)


def test_a_constant_function_ends_the_rounds():
    X, Y = single_index(W, 60)
    assert len(rounds_of("laplace", X, 0 * Y, 40)) == 1
    kernel = rounds_of("laplace", X, Y, 40, rounds=0)[0].kernel
    assert next_metric(kernel, X, np.zeros((60, 1))) is None


def test_mistakes(monkeypatch):
    X, Y = single_index(W, 60)
    with pytest.raises(InputError, match="is gaussian or laplace"):
        rounds_of("ntk2", X, Y, 40)
    with pytest.raises(InputError, match="number of rounds"):
        rounds_of("laplace", X, Y, 40, rounds=-1)
    with pytest.raises(InputError, match="at least 0"):
        rounds_of("laplace", X, Y, 40, ridges=[-1.0])
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"adaptive kernel on 40 samples .* GiB are free"):
        rounds_of("laplace", X, Y, 40)
