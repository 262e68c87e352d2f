"""What network estimators share: weights of rows, going on, and stopping early."""

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.estimators.sample_weights import repeat_rows, representative_rows

PROBLEM = kg.problems.hard(d=10, k=2, alpha=0.5, seed=0)


def regressor(**settings):
    return kg.TwoLayerRegressor(**{"width": 10, "epochs": 20, "random_state": 0, **settings})


@pytest.mark.parametrize("train", ["all", "hidden", "last", "ntk"])
def test_a_weight_of_two_is_a_row_twice(train):
    X, Y = PROBLEM.sample(60, seed=0)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    once = regressor(train=train).fit(X, Y, sample_weight=weights)
    shuffled = np.random.default_rng(1).permutation(rows)
    again = regressor(train=train).fit(X[shuffled], Y[shuffled])
    np.testing.assert_array_equal(once.predict(X), again.predict(X))
    assert not np.allclose(once.predict(X), regressor(train=train).fit(X, Y).predict(X), atol=1e-4)


def test_other_weights_weight_the_loss():
    """In batches of the whole sample the gradient is that of repeated rows, whatever the scale of the weights."""
    X, Y = PROBLEM.sample(30, seed=0)
    weights = np.random.default_rng(0).integers(1, 4, 30)
    settings = {"batch_size": 1000, "learning_rate": 0.02}
    repeated = regressor(**settings).fit(X, Y, sample_weight=weights).predict(X)
    for scale in (0.3, 77.7):
        np.testing.assert_allclose(
            regressor(**settings).fit(X, Y, sample_weight=scale * weights).predict(X), repeated, atol=1e-4
        )
    assert np.abs(regressor(**settings).fit(X, Y).predict(X) - repeated).max() > 0.01


@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_weights_decide_between_labels_that_contradict_each_other(scale):
    """The best constant is the weighted mean."""
    X, y = np.ones((40, 1)), np.repeat([0.0, 1.0], 20)
    weights = scale * np.repeat([1.0, 3.0], 20)
    settings = {"epochs": 300, "batch_size": 1000, "weight_decay": 0.0, "random_state": 0}
    fitted = regressor(**settings).fit(X, y, sample_weight=weights).predict(X[:1])
    assert fitted == pytest.approx(0.75, abs=1e-3)
    classifier = kg.NetworkClassifier(10, **settings).fit(X, y, sample_weight=weights)
    assert classifier.predict_proba(X[:1])[0] == pytest.approx([0.25, 0.75], abs=1e-3)


def test_rows_are_repeated_sorted_or_left_alone():
    X = np.array([[3.0], [2.0], [1.0]])
    rows, labels, left = repeat_rows(X, 10 * X, np.array([1.0, 2.0, 0.0]))
    assert (rows.ravel().tolist(), labels.ravel().tolist(), left) == ([2.0, 2.0, 3.0], [20.0, 20.0, 30.0], None)
    assert repeat_rows(X, X, None)[0] is X
    rows, _, left = repeat_rows(X, X, np.array([0.5, 1.0, 1.5]))
    assert rows is X
    np.testing.assert_allclose(left, [0.5, 1.0, 1.5])
    assert repeat_rows(X, X, np.array([1.0, 1.0, 1000.0]))[2] is not None  # too many to repeat
    assert (representative_rows(X[:2], np.array([4.0, 2.0])) == 3.0).mean() == pytest.approx(2 / 3, abs=0.01)


@pytest.mark.parametrize("weights", [np.full(60, -1.0), np.zeros(60)])
def test_impossible_weights_get_a_sentence(weights):
    X, Y = PROBLEM.sample(60, seed=0)
    with pytest.raises(InputError, match="sample_weight"):
        regressor().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("train", ["all", "hidden", "last", "ntk"])
def test_a_warm_start_begins_where_the_fit_before_ended(train):
    X, Y = PROBLEM.sample(100, seed=0)
    model = regressor(train=train, warm_start=True, epochs=60, weight_decay=0.0).fit(X, Y)
    ended, before = model.curve_["train_error"][-1], model.predict(X)
    model.set_params(epochs=1, learning_rate=1e-9).fit(X, Y)
    assert model.curve_["train_error"][0] == pytest.approx(ended, rel=1e-5)
    np.testing.assert_allclose(model.predict(X), before, atol=1e-4)
    cold = regressor(train=train, epochs=1, learning_rate=1e-9).fit(X, Y)
    assert cold.curve_["train_error"][0] != pytest.approx(ended, rel=0.01)


def test_a_warm_start_keeps_scale_and_start():
    X, Y = PROBLEM.sample(100, seed=0)
    model = regressor(warm_start=True).fit(X, Y)
    scale = model.model_.scale
    assert model.fit(X, 5 * Y).model_.scale == scale
    with pytest.raises(InputError, match="warm_start goes on"):
        model.fit(X[:, :5], Y)
    with pytest.raises(InputError, match="warm_start goes on"):
        model.set_params(width=11).fit(X, Y)
    assert regressor(width=11).fit(X[:, :5], Y).n_features_in_ == 5


def noisy(seed):
    """Labels of pure noise: whatever is learned of them hurts on new rows."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((80, 5)), rng.standard_normal(80)


def test_early_stopping_keeps_the_weights_of_the_best_epoch():
    settings = {"width": 30, "epochs": 400, "weight_decay": 0.0}
    gains = []
    for seed in range(3):
        X, y = noisy(seed)
        early = regressor(**settings, early_stopping=True, patience=20, random_state=seed).fit(X, y)
        curve = early.validation_curve_
        best = int(np.argmin(curve["validation_error"]))
        assert early.best_epoch_ == curve["epochs"][best]
        assert early.n_iter_ == curve["epochs"][-1] < 400
        assert early.n_iter_ - early.best_epoch_ >= 20
        plain = regressor(**settings, random_state=seed).fit(X, y)
        assert plain.best_epoch_ is None
        X, y = noisy(100 + seed)
        gains.append(np.mean((plain.predict(X) - y) ** 2) - np.mean((early.predict(X) - y) ** 2))
    assert np.median(gains) > 0.1


def test_a_model_without_early_stopping_has_no_validation_curve():
    X, Y = PROBLEM.sample(100, seed=0)
    model = regressor(early_stopping=True).fit(X, Y)
    assert hasattr(model, "validation_curve_")
    assert not hasattr(model.set_params(early_stopping=False).fit(X, Y), "validation_curve_")


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"patience": 0}, "patience"), ({"warm_start": "yes"}, "warm_start"), ({"validation_fraction": 2}, "validation")],
)
def test_mistakes_get_a_sentence(settings, words):
    X, Y = PROBLEM.sample(60, seed=0)
    with pytest.raises(InputError, match=words):
        regressor(early_stopping=True, **settings).fit(X, Y)
