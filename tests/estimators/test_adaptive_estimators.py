"""The adaptive kernel as an estimator: scikit-learn's contract, the plain kernel as its round 0, files."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelgap as kg
from kernelgap.errors import InputError
from support.changed_files import check_refused, under

W = np.array([0.6, 0.8, *6 * [0.0]])


@parametrize_with_checks([kg.AdaptiveKernelRegressor("gaussian", diagonal=True, rounds=2, factors=1.0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([kg.AdaptiveKernelRegressor(), kg.AdaptiveKernelClassifier(rounds=2)])
def test_scikit_learn_contract_in_other_settings(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def sample():
    X = np.random.default_rng(0).standard_normal((300, len(W)))
    return X, np.sin(2 * X @ W)


@pytest.mark.parametrize("kernel", ["laplace", "gaussian(factor=2.0)"])
def test_without_rounds_it_is_the_plain_kernel(kernel, sample):
    X, y = sample
    plain = kg.KernelRegressor(kernel, random_state=3).fit(X[:200], y[:200])
    ours = kg.AdaptiveKernelRegressor(kernel, rounds=0, factors=1.0, random_state=3).fit(X[:200], y[:200])
    assert ours.ridge_ == plain.ridge_
    np.testing.assert_allclose(ours.path_["validation_error"], plain.path_["validation_error"], rtol=1e-5)
    np.testing.assert_allclose(ours.predict(X[200:]), plain.predict(X[200:]), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(ours.metric_, np.eye(len(W)))


def test_it_beats_the_plain_kernel_where_one_direction_matters(sample):
    X, y = sample
    plain = kg.KernelRegressor("laplace", random_state=0).fit(X[:200], y[:200])
    ours = kg.AdaptiveKernelRegressor(random_state=0).fit(X[:200], y[:200])
    errors = [np.mean((m.predict(X[200:]) - y[200:]) ** 2) for m in (plain, ours)]
    assert errors[1] < 0.05 * errors[0]
    assert ours.round_ > 0
    assert len(ours.rounds_["round"]) == 12  # two bandwidths of 6 rounds each
    assert ours.rounds_["validation_error"].min() == ours.path_["validation_error"].min()
    assert abs(np.linalg.eigh(ours.metric_)[1][:, -1] @ W) > 0.99


def test_classes():
    X, y = load_iris(return_X_y=True)
    model = kg.AdaptiveKernelClassifier(random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.93


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kernel": "ntk2"}, "gaussian or laplace"),
        ({"kernel": "precomputed"}, "gaussian or laplace"),
        ({"rounds": 1.5}, "number of rounds"),
        ({"factors": []}, "at least one number"),
        ({"factors": (1.0, -1.0)}, "A factor must be a positive number"),
        ({"ridge": "large"}, "ridge must be"),
        ({"diagonal": "yes"}, "diagonal must be True or False"),
        ({"validation_fraction": 1.0}, "between 0 and 1"),
    ],
)
def test_mistakes(arguments, words, sample):
    X, y = sample
    with pytest.raises(InputError, match=words):
        kg.AdaptiveKernelRegressor(**arguments).fit(X[:20, :], y[:20])


def test_what_does_not_fit_is_refused(monkeypatch, sample):
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 10**5)
    with pytest.raises(InputError, match=r"An adaptive kernel on 300 samples needs .* GiB are free.*Nystroem"):
        kg.AdaptiveKernelRegressor().fit(*sample)


MODELS = {
    "regressor": (kg.AdaptiveKernelRegressor(rounds=2, random_state=0), lambda X, y: y),
    "outputs": (kg.AdaptiveKernelRegressor("gaussian", rounds=1, random_state=0), lambda X, y: np.stack([y, -y], 1)),
    "classifier": (kg.AdaptiveKernelClassifier(rounds=2, random_state=0), lambda X, y: np.where(y > 0, "up", "down")),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_predicts_the_same(name, sample, tmp_path):
    model, labels = MODELS[name]
    X, y = sample
    model = clone(model).fit(X[:100], labels(X, y)[:100])
    again = kg.load(model.save(tmp_path / "model.safetensors"))
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.metric_, model.metric_)
    assert (again.ridge_, again.round_, again.factor_) == (model.ridge_, model.round_, model.factor_)
    assert (again.kernel_.spec, again.spectrum_) == (model.kernel_.spec, model.spectrum_)
    for key, values in model.rounds_.items():
        np.testing.assert_array_equal(again.rounds_[key], values)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("header", "arrays", "words"),
    [
        (under("model", "kernel", value="ck2"), {}, "has no metric"),
        (under("metadata", "fitted", "round", value=-1), {}, "round = -1 is not possible"),
        (None, {"metric": np.eye(3)}, "square metric"),
        (None, {"metric": -np.eye(8)}, "eigenvalue below 0"),
        (None, {"metric": None}, "not those of its kind"),
        (None, {"owner.rounds.ridge": np.ones(3)}, "rounds are not as long"),
        (
            None,
            {f"owner.rounds.{n}": None for n in ("factor", "round", "ridge", "validation_error")},
            "its tables are not",
        ),
    ],
)
def test_a_file_whose_parts_do_not_belong_together_is_no_model(header, arrays, words, sample, tmp_path):
    X, y = sample
    path = kg.AdaptiveKernelRegressor(rounds=1, factors=1.0, random_state=0).fit(X[:40], y[:40]).save(tmp_path / "x")
    check_refused(kg.load, path, header, arrays, words)
