"""The network classifier: scikit-learn's contract, its loss, its probabilities, its file."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.training import get_model
from kernelgap.training.losses import WeightedLoss, objective


@parametrize_with_checks([kg.NetworkClassifier(width=16, epochs=100)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def drawn(n, seed):
    """Two inputs matter, and the label is 1 with the probability of a logistic function of them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    probability = 1 / (1 + np.exp(-2 * X[:, 0] * X[:, 1]))
    return X, np.where(rng.random(n) < probability, "yes", "no"), probability


def test_probabilities_are_those_of_the_labels():
    X, y, _ = drawn(2000, 0)
    model = kg.NetworkClassifier(width=50, epochs=40, weight_decay=0.003, random_state=0).fit(X, y)
    X, y, probability = drawn(5000, 1)
    found = model.predict_proba(X)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert np.abs(found[:, 1] - probability).mean() < 0.12  # 0.5 on average are 0.25 off
    shares, said = calibration_curve(y == "yes", found[:, 1], n_bins=5)
    assert np.abs(shares - said).max() < 0.15
    np.testing.assert_array_equal(model.predict(X), np.where(found[:, 1] > found[:, 0], "yes", "no"))
    odds = np.log(found[:, 1] / found[:, 0])
    np.testing.assert_allclose(model.decision_function(X), odds, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("loss", ["squared", "cross-entropy"])
def test_the_objective_and_its_gradient(loss, rng):
    """Against the formula in NumPy and finite differences of it."""
    network = kg.networks.get("2layer")
    params = {
        name: np.asarray(w, float) for name, w in network.init(jax.random.key(0), inputs=3, outputs=2, width=4).items()
    }
    X, Y, weight = rng.standard_normal((5, 3)), np.eye(2)[[0, 1, 1, 0, 1]], rng.random(5)

    def by_hand(params):
        hidden = np.maximum(X @ params["W"].T + params["b1"], 0)
        out = hidden @ params["A"].T
        if loss == "squared":
            return np.mean(weight * ((Y - out) ** 2).sum(axis=1)) / 2
        share = np.exp(out) / np.exp(out).sum(axis=1, keepdims=True)
        return np.mean(-weight * np.log((share * Y).sum(axis=1)))

    model = WeightedLoss(get_model(network, "all"), loss)
    with jax.enable_x64(True):
        labels = jnp.asarray(np.column_stack([Y, weight]))
        value, slope = jax.value_and_grad(lambda w: objective(model, w, {}, jnp.asarray(X), labels))(params)
    assert float(value) == pytest.approx(by_hand(params), rel=1e-10)
    for name, w in params.items():
        for at in list(np.ndindex(w.shape))[:4]:
            moved = [{**params, name: w + step * _one_at(w.shape, at)} for step in (1e-6, -1e-6)]
            expected = (by_hand(moved[0]) - by_hand(moved[1])) / 2e-6
            assert float(slope[name][at]) == pytest.approx(expected, rel=1e-4, abs=1e-8)


def _one_at(shape, place):
    one = np.zeros(shape)
    one[place] = 1
    return one


@pytest.mark.parametrize(
    ("network", "train"), [("3resnet", "all"), ("2layer", "hidden"), ("3resnet", "last"), ("2layer", "ntk")]
)
def test_a_saved_classifier_predicts_the_same(network, train, tmp_path):
    X, y, _ = drawn(60, 0)
    model = kg.NetworkClassifier(
        6, network=network, train=train, epochs=4, early_stopping=True, patience=2, random_state=0
    ).fit(X, y)
    path = model.save(tmp_path / "model.safetensors")
    again = kg.load(path)
    assert type(again) is kg.NetworkClassifier
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.classes_.tolist() == model.classes_.tolist()
    assert (again.best_epoch_, again.n_iter_) == (model.best_epoch_, model.n_iter_)
    np.testing.assert_array_equal(
        again.validation_curve_["validation_error"], model.validation_curve_["validation_error"]
    )
    assert again.save(tmp_path / "again").read_bytes() == path.read_bytes()
    on = again.set_params(warm_start=True, early_stopping=False).fit(X, y)  # a loaded one can go on
    assert not np.array_equal(on.predict_proba(X), model.predict_proba(X))


def test_it_goes_on_with_its_own_classes_only():
    X, y, _ = drawn(60, 0)
    model = kg.NetworkClassifier(6, epochs=2, warm_start=True, random_state=0).fit(X, y)
    model.fit(X[y == "yes"], y[y == "yes"])
    assert model.classes_.tolist() == ["no", "yes"]
    with pytest.raises(InputError, match="y has others"):
        model.fit(X, np.where(y == "yes", "yes", "perhaps"))


def test_mistakes_get_a_sentence():
    X, y, _ = drawn(60, 0)
    for arguments, words in (({"network": "4resnet"}, "Unknown network"), ({"early_stopping": 1}, "early_stopping")):
        with pytest.raises(InputError, match=words):
            kg.NetworkClassifier(6, epochs=2, **arguments).fit(X, y)
    with pytest.raises(InputError, match="at least 2 classes"):
        kg.NetworkClassifier(6, epochs=2).fit(X, np.ones(60))
