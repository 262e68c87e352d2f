"""The small network in NumPy: its gradients, what it learns, its file."""

import numpy as np
import pytest

from kernelgap.audit.contenders.registry import SMALL, contender, family
from kernelgap.audit.contenders.small_network import gradients, outputs
from kernelgap.audit.contenders.view import SearchBudget, View
from kernelgap.models import NetworkModel


def view(rng, n=300):
    X = rng.normal(size=(n, 3))
    Y = np.stack([np.abs(X[:, 0]), X[:, 1]], axis=1) + 5.0
    return View(
        X[: n // 2], Y[: n // 2], X[n // 2 :], Y[n // 2 :], 0, SearchBudget(fits=4, epochs=60, most_rows=1000), 2
    )


def test_gradients_against_finite_differences(rng):
    weights = {"W": rng.normal(size=(5, 3)), "b1": rng.normal(size=5), "A": rng.normal(size=(2, 5))}
    X, Y, decay = rng.normal(size=(7, 3)), rng.normal(size=(7, 2)), 0.1

    def loss(given):
        size = sum(np.sum(weight**2) for weight in given.values())
        return np.mean(np.sum((outputs(given, X) - Y) ** 2, axis=1)) / 2 + decay * size / 2

    for name, gradient in gradients(weights, X, Y, decay).items():
        for place in np.ndindex(gradient.shape):
            ahead, behind = ({n: w.copy() for n, w in weights.items()} for _ in range(2))
            ahead[name][place] += 1e-5
            behind[name][place] -= 1e-5
            assert gradient[place] == pytest.approx((loss(ahead) - loss(behind)) / 2e-5, rel=1e-5, abs=1e-7)


def test_it_learns_what_no_linear_model_does_and_is_kept_as_a_network(rng):
    seen = view(rng)
    judged = contender(SMALL).judge(seen, lambda share: None)
    best = int(np.argmin(judged.errors))
    linear = min(contender("ridge").judge(seen, lambda share: None).errors)
    assert judged.errors[best] < 0.5 * linear
    assert family(SMALL) == "network"
    model = contender(SMALL).fit(seen, {name: values[best] for name, values in judged.columns.items()})
    assert isinstance(model, NetworkModel)
    assert seen.error(model.predict(seen.X_val)) < 0.5 * linear
    compiled = NetworkModel(model.network, model.weights, model.offset, model.scale)
    np.testing.assert_allclose(compiled.predict(seen.X_val), model.predict(seen.X_val), rtol=1e-4, atol=1e-4)
