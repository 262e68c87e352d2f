"""Fitted models: their outputs against computations by hand, in blocks, and what is refused."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from kernelgap import kernels, models, networks
from kernelgap.errors import InputError
from kernelgap.kernels.empirical.kernel import Empirical, conjugate_features
from kernelgap.kernels.formulas.distance_kernel import Mahalanobis
from kernelgap.models import AdaptiveModel, KernelModel, NetworkModel, TangentModel
from kernelgap.models import model as model_module
from kernelgap.training import get_model
from kernelgap.training.grid import Predictor
from support import fitted


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, fitted.FEATURES))


def test_kernel(X):
    model = fitted.model("gaussian")
    squared = np.sum((X[:, None] - model.points) ** 2, axis=2)
    by_hand = np.exp(-squared / (2 * model.kernel.length**2)) @ model.coefficients + model.offset
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-12)


def test_inputs_are_divided_by_the_scale_and_points_are_not(X):
    model = fitted.model("kernel")
    by_hand = kernels.get("ntk3(bias=True)")(X / 1.7, model.points) @ model.coefficients + model.offset
    np.testing.assert_array_equal(model.predict(X), by_hand)
    assert np.abs(replace(model, scale=1.0).predict(X) - by_hand).max() > 0.1


def test_adaptive(X):
    model = fitted.model("adaptive")
    apart = X[:, None] - model.points
    distance = np.sqrt(np.einsum("npd,de,npe->np", apart, model.kernel.metric, apart))
    by_hand = np.exp(-distance / 2.3) @ model.coefficients + model.offset
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-10)


def test_linear(X):
    model = fitted.model("linear")
    by_hand = [[sum(x * w) + b for w, b in zip(model.weights.T, model.offset, strict=True)] for x in X]
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-12)


def test_network(X):
    model = fitted.model("resnet-2")
    w = {name: values.astype(float) for name, values in model.weights.items()}
    h = X @ w["W"].T + w["b1"]
    for i in (1, 2):
        h = h + np.maximum(h @ w[f"V{i}"].T + w[f"c{i}"], 0) @ w[f"B{i}"].T / 2**0.5
    by_hand = 3.1 * (np.maximum(h, 0) @ w["A"].T) + model.offset
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-5, atol=1e-5)
    member = Predictor(get_model(model.network, "all"), dict(model.weights), {})
    np.testing.assert_array_equal(model.predict(X), 3.1 * member(X) + model.offset)


def _member(train, key=1):
    """Some weights of a 3resnet in one mode of training, as a grid has them."""
    network = networks.get("3resnet")
    model = get_model(network, train)
    params = network.init(jax.random.key(key), inputs=fitted.FEATURES, outputs=2, width=7)
    trained, frozen = model.split({name: np.asarray(weight) for name, weight in params.items()})
    moved = {name: np.asarray(weight) + np.float32(0.1) for name, weight in trained.items()}
    return Predictor(model, moved, frozen)


@pytest.mark.parametrize("train", networks.MODES)
def test_every_mode_of_training(train, X, tmp_path):
    member = _member(train)
    model = NetworkModel.from_predictor(member, train, np.array([1.0, -2.0]), 3.1)
    np.testing.assert_array_equal(model.predict(X), 3.1 * member(X) + [1.0, -2.0])
    again = models.load(model.save(tmp_path / "x"))
    assert again.train == train
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_the_first_block(X):
    model = NetworkModel.from_predictor(_member("hidden"), "hidden", np.array([1.0, -2.0]), 3.1)
    w = {name: values.astype(float) for name, values in model.weights.items()}
    by_hand = 3.1 * np.maximum(X @ w["W"].T + w["b1"], 0) @ w["A"].T + [1.0, -2.0]
    np.testing.assert_allclose(model.first_output(X), by_hand, rtol=1e-5, atol=1e-5)
    for other in (NetworkModel.from_predictor(_member("last"), "last", np.zeros(2), 1.0), _network()()):
        with pytest.raises(InputError, match="needs a trained ResNet"):
            other.first_output(X)


def test_tangent(X):
    model = fitted.model("tangent")
    w = {name: values.astype(float) for name, values in model.kernel.params.items()}

    def gradients(x):
        """Of each output A s(Wx + b1), over A, W and b1 in turn: (k, number of weights)."""
        inside = w["W"] @ x + w["b1"]
        hidden, open_ = np.maximum(inside, 0), (inside > 0).astype(float)
        found = []
        for k, row in enumerate(w["A"]):
            over_A = np.zeros_like(w["A"])
            over_A[k] = hidden
            found.append(np.concatenate([over_A.ravel(), np.outer(row * open_, x).ravel(), row * open_]))
        return np.array(found)

    at_points = [gradients(z) for z in model.points]
    gram = [[np.mean(np.sum(gradients(x) * g, axis=1)) for g in at_points] for x in X]
    np.testing.assert_allclose(model.predict(X), np.array(gram) @ model.coefficients + model.offset, rtol=1e-9)


def test_last_layer_alone(X):
    model = fitted.model("last")
    of_rows, of_points = (
        conjugate_features(model.kernel.network, model.kernel.params, rows) for rows in (X, model.points)
    )
    gram = of_rows @ of_points.T
    np.testing.assert_allclose(model.predict(X), gram @ model.coefficients + model.offset, rtol=1e-9)


@pytest.mark.parametrize("kind", fitted.KINDS)
def test_blocks_of_rows_change_nothing(kind, X, monkeypatch):
    model = fitted.model(kind)
    whole = model.predict(X)
    assert (whole.dtype, whole.shape) == (np.float64, (40, 2))
    monkeypatch.setattr(model_module, "BLOCK", 17 * model._row_size)
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-5 if "resnet" in kind else 1e-11)
    monkeypatch.setattr(model_module, "BLOCK", 1)
    np.testing.assert_allclose(model.predict(X[:3]), whole[:3], rtol=1e-5 if "resnet" in kind else 1e-11)
    assert model.predict(X[:0]).shape == (0, 2)


def test_a_model_keeps_its_own_arrays():
    points, ones = np.eye(3), np.ones((3, 1))
    model = KernelModel(kernels.get("ck2"), points, ones, np.zeros(1))
    before = model.predict(np.eye(3))
    points[:] = 7.0
    np.testing.assert_array_equal(model.predict(np.eye(3)), before)


@pytest.mark.parametrize("kind", fitted.KINDS)
def test_inputs_of_other_widths_are_refused(kind):
    with pytest.raises(InputError, match="inputs of 5 columns"):
        fitted.model(kind).predict(np.zeros((3, 4)))


def _network(**changes):
    network = networks.get("2layer")
    weights = {"W": np.ones((7, 5)), "b1": np.ones(7), "A": np.ones((2, 7))} | changes
    return lambda: NetworkModel(network, {n: w for n, w in weights.items() if w is not None}, np.zeros(2), 1.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: replace(fitted.model("kernel"), coefficients=np.ones((11, 2))), "shape (12, 2), not (11, 2)"),
        (lambda: replace(fitted.model("kernel"), offset=np.ones(3)), "shape (12, 3)"),
        (lambda: replace(fitted.model("kernel"), offset=np.ones((2, 1))), "offset of a model must have 1"),
        (lambda: replace(fitted.model("kernel"), points=np.full((12, 5), np.nan)), "contains NaN"),
        (lambda: replace(fitted.model("kernel"), points=np.ones((12, 0))), "none of them 0"),
        (lambda: replace(fitted.model("kernel"), scale=0.0), "positive"),
        (lambda: replace(fitted.model("kernel"), scale=np.nan), "positive"),
        (lambda: replace(fitted.model("kernel"), kernel=kernels.get("laplace")), "fit it first"),
        (lambda: replace(fitted.model("kernel"), kernel=kernels.get("precomputed")), "stands for a matrix"),
        (lambda: _adaptive(metric=np.eye(4)), "square metric"),
        (lambda: _adaptive(metric=-np.eye(5)), "no eigenvalue below 0"),
        (lambda: _adaptive(base=kernels.get("laplace")), "fit it first"),
        (lambda: _adaptive(base=kernels.get("ck2")), "Gaussian or a Laplace"),
        (lambda: replace(fitted.model("linear"), offset=np.ones(3)), "as many offsets"),
        (_network(b1=None), "are A, W, b1, not A, W"),
        (_network(b1=np.ones(6)), "b1 of 2layer must have the shape (7,), not (6,)"),
        (_network(A=np.ones(7)), "are matrices"),
        (_network(A=np.ones((3, 7))), "3 outputs need as many offsets"),
        (_network(W=np.full((7, 5), np.inf)), "contains infinity"),
        (lambda: replace(fitted.model("3resnet"), scale=np.inf), "finite"),
        (lambda: replace(fitted.model("3resnet"), train="some"), "Unknown mode"),
        (lambda: replace(fitted.model("3resnet"), train="ntk"), "that 'ntk' trains beside its start are A, V, W"),
        (lambda: replace(fitted.model("3resnet"), trained={"A": np.ones((2, 7))}), "not A"),
        (
            lambda: replace(fitted.model("3resnet"), train="last", trained={"A": np.ones((2, 6))}),
            "A of 3resnet that 'last' trains beside its start must have the shape (2, 7), not (2, 6)",
        ),
        (
            lambda: replace(fitted.model("3resnet"), train="last", trained={"A": np.full((2, 7), np.nan)}),
            "contains NaN",
        ),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(make, words):
    with pytest.raises(InputError) as caught:
        make()
    assert words in str(caught.value)


def _adaptive(**changes):
    model = fitted.model("adaptive")
    fields = {"base": model.kernel.base, "metric": model.kernel.metric} | changes
    return AdaptiveModel(Mahalanobis(**fields), model.points, model.coefficients, model.offset)


def test_a_tangent_model_needs_points_that_its_weights_fit():
    model = fitted.model("tangent")
    with pytest.raises(InputError, match="need a W of as many"):
        TangentModel(model.kernel, np.ones((12, 4)), model.coefficients, model.offset)
    with pytest.raises(InputError, match="part of a network"):
        Empirical(model.kernel.network, model.kernel.params, "first")
