"""The kernel estimators: scikit-learn's contract, its numbers, the paper's problem, files."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.models import model as model_module
from support.changed_files import check_refused, under

SEC8 = kg.problems.get("sec8")


@parametrize_with_checks(
    [
        kg.KernelRegressor(),
        kg.KernelRegressor("gaussian", selection="loo"),
        kg.KernelRegressor("precomputed", ridge=1.0),
        kg.KernelRegressor("laplace", landmarks=100),
        kg.KernelClassifier(),
    ]
)
@pytest.mark.filterwarnings("ignore::kernelgap.regression.NotPositiveWarning")  # a check gives an indefinite matrix
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        kg.KernelRegressor("laplace + ck3", selection="gcv"),
        kg.KernelClassifier(landmarks=10),
        kg.KernelRegressor("laplace", solver="iterative"),
        kg.KernelClassifier("gaussian", ridge=0.1, solver="iterative"),
        kg.KernelClassifier("gaussian", selection="folds", folds=3),
    ]
)
@pytest.mark.filterwarnings("ignore::kernelgap.regression.NotPositiveWarning")
def test_scikit_learn_contract_in_other_settings(estimator, check):
    check(estimator)


def test_equal_to_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for ridge in (1e-3, 1.0):
        peer = KernelRidge(kernel="rbf", gamma=0.05, alpha=ridge).fit(X[:300], y[:300])
        ours = kg.KernelRegressor(f"gaussian(bandwidth={10**0.5})", ridge=ridge).fit(X[:300], y[:300])
        np.testing.assert_allclose(ours.predict(X[300:]), peer.predict(X[300:]), rtol=1e-8)
        np.testing.assert_allclose(ours.dual_coef_[:, 0], peer.dual_coef_, rtol=1e-8)


# Best over ridges on the test sample, as the paper picks. ck2 and ntk2 by an independent computation too (below).
@pytest.mark.parametrize(
    ("kernel", "n", "low", "high"),
    [("ck2", 500, 4.6, 5.3), ("ntk2", 500, 5.8, 6.6), ("gaussian", 500, 4.6, 8.5), ("ck2", 1000, 2.1, 2.6)],
)
def test_kernels_stay_far_above_the_threshold(kernel, n, low, high):
    X, Y = SEC8.sample(n, seed=0)
    new, _ = SEC8.sample(5000, seed=[0, 2])
    fitted = kg.kernels.get(kernel).fit(X)
    path = kg.regression.ridge_path(fitted(X), Y)
    assert low < path.errors(fitted(new, X), SEC8.target(new)).min() < high
    assert low > SEC8.threshold


def test_an_independent_computation_of_the_same_number():
    X, Y = SEC8.sample(500, seed=0)
    new, _ = SEC8.sample(5000, seed=[0, 2])

    def ck2(A, B):
        c = np.clip(A @ B.T / 30, -1, 1)
        return 30 * (np.sqrt(1 - c**2) + (np.pi - np.arccos(c)) * c) / np.pi

    errors = []
    for ridge in 30 * np.geomspace(1e-9, 1, 10):
        outputs = KernelRidge(kernel="precomputed", alpha=ridge).fit(ck2(X, X), Y).predict(ck2(new, X))
        errors.append(np.mean(np.sum((outputs - SEC8.target(new)) ** 2, axis=1)))
    fitted = kg.kernels.get("ck2")
    ours = kg.regression.ridge_path(fitted(X), Y, 30 * np.geomspace(1e-9, 1, 10))
    np.testing.assert_allclose(ours.errors(fitted(new, X), SEC8.target(new)), errors, rtol=1e-6)


@pytest.mark.parametrize("selection", kg.regression.SELECTIONS)
def test_the_chosen_ridge_is_nearly_as_good_as_the_best(selection):
    X, Y = SEC8.sample(500, seed=0)
    new, target = SEC8.sample(2000, seed=9)
    model = kg.KernelRegressor("ck2", selection=selection, random_state=0).fit(X, Y)
    assert np.mean(np.sum((model.predict(new) - target) ** 2, axis=1)) < 5.6
    assert model.path_["validation_error"].argmin() == list(model.path_["ridge"]).index(model.ridge_)
    assert model.spectrum_.positive


def test_a_real_table():
    X, y = load_diabetes(return_X_y=True)
    model = make_pipeline(StandardScaler(), kg.KernelRegressor("ntk2(bias=True)", random_state=0))
    assert cross_val_score(model, X, y).mean() > 0.4


def test_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for kernel in ("ntk2(bias=True)", "gaussian"):
        model = make_pipeline(StandardScaler(), kg.KernelClassifier(kernel, random_state=0))
        assert cross_val_score(model, X, names).mean() > 0.93
    with pytest.raises(InputError, match="one class"):
        kg.KernelClassifier().fit(X[:50], y[:50])


def test_precomputed_is_the_same():
    X, Y = SEC8.sample(80, seed=0)
    new, _ = SEC8.sample(30, seed=1)
    kernel = kg.kernels.get("ntk3")
    direct = kg.KernelRegressor(kernel, random_state=0).fit(X, Y)
    given = kg.KernelRegressor("precomputed", random_state=0).fit(kernel(X), Y)
    np.testing.assert_allclose(given.predict(kernel(new, X)), direct.predict(new), rtol=1e-9)
    with pytest.raises(InputError, match="square Gram matrix"):
        kg.KernelRegressor("precomputed").fit(X, Y)


@pytest.mark.parametrize("kernel", ["precomputed", " precomputed", kg.kernels.get("precomputed")])
def test_the_users_matrix_is_left_as_it_is(kernel):
    X, Y = SEC8.sample(40, seed=0)
    given = kg.kernels.get("ck2")(X)
    before = given.copy()
    given.flags.writeable = False
    for ridge in (0.1, "path"):
        model = kg.KernelRegressor(kernel, ridge=ridge, random_state=0).fit(given, Y)
        np.testing.assert_array_equal(given, before)
        np.testing.assert_allclose(
            model.predict(given), kg.KernelRegressor("ck2", ridge=model.ridge_).fit(X, Y).predict(X)
        )
    cached = kg.kernels.from_function(lambda A, B: given)
    kg.KernelRegressor(cached, ridge=0.1).fit(X, Y)
    (2 * cached)(X)
    np.testing.assert_array_equal(given, before)


def test_values_too_small_to_work_with_are_refused():
    X, Y = SEC8.sample(30, seed=0)
    with pytest.raises(InputError, match="Rescale"):
        kg.KernelRegressor("ck2", random_state=0).fit(X * 1e-158, Y)


def test_the_bandwidth_is_settled_on_the_training_data():
    X, Y = SEC8.sample(80, seed=0)
    model = kg.KernelRegressor("gaussian").fit(X, Y)
    assert model.kernel_.spec == kg.kernels.get("gaussian").fit(X).spec
    one_by_one = np.concatenate([model.predict(X[i : i + 1]) for i in range(5)])
    np.testing.assert_allclose(one_by_one, model.predict(X)[:5], rtol=1e-9)


def test_predictions_in_blocks(monkeypatch):
    X, Y = SEC8.sample(50, seed=0)
    model = kg.KernelRegressor("ck2", ridge=1.0).fit(X, Y)
    whole = model.predict(X)
    monkeypatch.setattr(model_module, "BLOCK", 300)
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-12)


def test_landmarks():
    X, Y = SEC8.sample(300, seed=0)
    new, _ = SEC8.sample(500, seed=1)
    exact = kg.KernelRegressor("ck2", ridge=[1.0], random_state=0).fit(X, Y)
    some, every = (kg.KernelRegressor("ck2", ridge=[1.0], landmarks=p, random_state=0).fit(X, Y) for p in (40, 300))
    assert some.X_fit_.shape == (40, 30)
    assert some.dual_coef_.shape == (40, 15)
    np.testing.assert_allclose(every.predict(new), exact.predict(new), rtol=1e-7, atol=1e-9)
    assert np.abs(some.predict(new) - exact.predict(new)).max() > 0.1
    for mistake, words in (
        ({"selection": "loo"}, "on a holdout, not by 'loo'"),
        ({"landmarks": 0}, "number of landmarks"),
        ({"landmarks": "many"}, "number of landmarks"),
        ({"kernel": "precomputed"}, "not a Gram matrix"),
        ({"ridge": "large"}, "ridge must be a number"),
    ):
        with pytest.raises(InputError, match=words):
            kg.KernelRegressor(**{"landmarks": 20} | mistake).fit(X[:30], Y[:30])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kernel": "ntk9"}, "Unknown kernel"),
        ({"kernel": 3}, "A kernel is a name"),
        ({"ridge": "large"}, "ridge must be a number"),
        ({"ridge": -1.0}, "at least 0"),
        ({"ridge": [1.0, -1.0]}, "at least 0"),
        ({"selection": "best"}, "Unknown way to choose the ridge"),
        ({"selection": np.array(["loo", "gcv"])}, "Unknown way to choose the ridge"),
        ({"selection": np.array(["loo", "gcv"]), "landmarks": 2}, "chosen on a holdout"),
        ({"kernel": "ntk(train=['all', 'last'])"}, "Unknown part of a network"),
        ({"validation_fraction": 2.0}, "between 0 and 1"),
        ({"validation_fraction": "a"}, "between 0 and 1"),
        ({"validation_fraction": None}, "between 0 and 1"),
        ({"selection": "folds", "folds": 2.5}, "a whole number between 2 and 20"),
        ({"selection": "folds", "folds": None}, "a whole number between 2 and 20"),
        ({"ridge": True}, "at least 0"),
        ({"solver": "fast"}, "Unknown solver"),
        ({"solver": "iterative", "selection": "loo"}, "on a holdout, not by 'loo'"),
        ({"solver": "iterative", "ridge": 0.0}, "above 0"),
    ],
)
def test_mistakes(arguments, words):
    X, Y = SEC8.sample(20, seed=0)
    with pytest.raises(InputError, match=words):
        kg.KernelRegressor(**arguments).fit(X, Y)


def test_what_does_not_fit_is_refused(monkeypatch):
    X, Y = SEC8.sample(100, seed=0)
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 10**5)
    with pytest.raises(InputError, match=r"Kernel regression on 100 samples needs .* GiB are free.*'iterative'"):
        kg.KernelRegressor(solver="direct").fit(X, Y)
    with pytest.raises(InputError, match=r"Kernel regression on 100 samples needs .* GiB are free.*landmarks"):
        kg.KernelRegressor(solver="iterative").fit(X, Y)


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "ntk3", "precomputed"])
def test_the_iterative_solver_is_the_direct_one(kernel):
    X, Y = SEC8.sample(300, seed=0)
    rows = kg.kernels.get("ck2")(X) if kernel == "precomputed" else X
    direct, iterative = (
        kg.KernelRegressor(kernel, ridge=0.1, solver=solver, random_state=0).fit(rows, Y)
        for solver in ("direct", "iterative")
    )
    apart = np.linalg.norm(direct.predict(rows) - iterative.predict(rows), axis=0)
    assert (apart <= 1.01e-5 * np.linalg.norm(Y, axis=0)).all()  # what the residual allows
    assert direct.n_iter_ is None
    assert iterative.n_iter_ > 0


def test_the_iterative_solver_chooses_the_same_ridge():
    X, Y = SEC8.sample(300, seed=0)
    options = {"ridge": [1e-3, 1e-1, 10.0, 1000.0], "random_state": 0}
    iterative = kg.KernelRegressor("ntk3", solver="iterative", **options).fit(X, Y)
    rng = np.random.RandomState(0)
    rng.permutation(len(X))  # the landmarks
    judged = kg.regression.judge_ridges(kg.kernels.get("ntk3")(X), Y, options["ridge"], rng=rng)
    assert iterative.ridge_ == judged.ridge
    np.testing.assert_allclose(iterative.path_["validation_error"], judged.errors, rtol=1e-2)


def test_the_solver_follows_from_the_memory(monkeypatch):
    X, Y = SEC8.sample(600, seed=0)
    model = kg.KernelRegressor("gaussian", ridge=1.0, random_state=0)
    assert model.fit(X, Y).n_iter_ is None
    monkeypatch.setattr("kernelgap.estimators.kernel_estimators.available_memory", lambda: 10**6)
    assert model.fit(X, Y).n_iter_ > 0


MODELS = {
    "regressor": (kg.KernelRegressor("gaussian", random_state=0), SEC8.sample(40, seed=0)),
    "one output": (kg.KernelRegressor("ck2 + 0.5 * laplace(bandwidth=2.0)"), (np.eye(9), np.arange(9.0))),
    "classifier": (kg.KernelClassifier("ntk2"), (np.eye(9), np.array(list("abcabcabc")))),
    "numbers": (kg.KernelClassifier("ntk2"), (np.eye(9), np.array([3, 5, 7] * 3))),
    "sampled": (kg.KernelRegressor("random_features(feature='sign', count=30)", ridge=1.0), SEC8.sample(40, seed=0)),
    "frame": (kg.KernelRegressor(), (pd.DataFrame(np.eye(9), columns=list("abcdefghi")), np.arange(9.0))),
    "landmarks": (kg.KernelRegressor("gaussian", landmarks=15, random_state=0), SEC8.sample(40, seed=0)),
    "precomputed": (kg.KernelRegressor("precomputed", ridge=0.5), (np.eye(9), np.arange(9.0))),
    "iterative": (kg.KernelRegressor("gaussian", ridge=0.5, solver="iterative"), SEC8.sample(40, seed=0)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_predicts_the_same(name, tmp_path):
    model, (X, y) = MODELS[name]
    model = clone(model).fit(X, y)
    path = model.save(tmp_path / "model.safetensors")
    again = kg.load(path)
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.predict(X).dtype == model.predict(X).dtype
    assert (again.ridge_, again.kernel_, again.spectrum_) == (model.ridge_, model.kernel_, model.spectrum_)
    assert list(tmp_path.iterdir()) == [path]
    assert again.get_params() == {**model.get_params(), "kernel": model.kernel_.spec, "ridge": model.ridge_}
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_what_cannot_be_saved(tmp_path):
    X, Y = SEC8.sample(20, seed=0)
    own = kg.KernelRegressor(kg.kernels.from_function(lambda A, B: A @ B.T), ridge=1.0).fit(X, Y)
    with pytest.raises(InputError, match="is code of yours"):
        own.save(tmp_path / "x")
    with pytest.raises(InputError, match="before fit"):
        kg.KernelRegressor().save(tmp_path / "x")
    odd = kg.KernelClassifier(ridge=1.0).fit(X, np.arange(20) % 2)
    odd.classes_ = np.array([b"a", b"b"])
    with pytest.raises(InputError, match="Labels can be saved if they are numbers or texts"):
        odd.save(tmp_path / "x")
    with pytest.raises(InputError, match="could not be written"):
        kg.KernelRegressor(ridge=1.0).fit(X, Y).save(tmp_path / "no" / "folder")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="could not be written"):
        kg.KernelRegressor(ridge=1.0).fit(X, Y).save(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_a_damaged_file_is_no_model(tmp_path):
    model, (X, y) = MODELS["numbers"]
    whole = clone(model).fit(X, y).save(tmp_path / "x").read_bytes()
    for share in (0.05, 0.3, 0.9):  # in the header, the arrays
        at = int(share * len(whole))
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
            (tmp_path / "x").write_bytes(damaged)
            with pytest.raises(InputError, match="is not a model that kernelgap saved"):
                kg.load(tmp_path / "x")


def of_estimator(name, value):
    return under("metadata", name, value=value)


def fitted_value(name, value):
    return under("metadata", "fitted", name, value=value)


@pytest.mark.parametrize(
    ("name", "header", "arrays", "words"),
    [
        ("numbers", of_estimator("kind", "KernelMachine"), {}, "Unknown estimator 'KernelMachine'"),
        ("numbers", of_estimator("kind", "KernelEstimator"), {}, "Unknown estimator 'KernelEstimator'"),
        ("numbers", of_estimator("kind", "AdaptiveKernelClassifier"), {}, "another kind of model"),
        ("numbers", of_estimator("kind", "ResNetRegressor"), {}, "another kind of model"),
        ("numbers", of_estimator("settings", {"code": "import os"}), {}, "settings that its kind does not take"),
        ("numbers", of_estimator("settings", {"folds": [5]}), {}, "settings.folds"),
        ("numbers", of_estimator("code", "import os"), {}, "code"),
        ("numbers", fitted_value("ridge", "much"), {}, "ridge = 'much' is not possible"),
        ("numbers", fitted_value("ridge", float("nan")), {}, "nan is not possible"),
        ("numbers", fitted_value("ridge", -1.0), {}, "ridge = -1.0 is not possible"),
        ("numbers", fitted_value("spectrum", [1.0]), {}, "spectrum"),
        ("numbers", under("metadata", "fitted", "spectrum", "samples", value=8), {}, "as many samples as coefficients"),
        ("numbers", of_estimator("feature_names", ["a"]), {}, "other names"),
        ("numbers", under("model", "kernel", value="gaussian"), {}, "fit it first"),
        ("numbers", under("model", "kernel", value="precomputed"), {}, "stands for a matrix"),
        ("numbers", under("model", "kernel", value="ntk9"), {}, "Unknown kernel"),
        ("numbers", under("model", "scale", value=2.0), {}, "a scale or an offset"),
        ("numbers", of_estimator("labels", None), {}, "needs labels"),
        ("numbers", of_estimator("labels", {"dtype": "<i8", "values": [3, 5]}), {}, "as many labels"),
        ("numbers", of_estimator("labels", {"dtype": "<i8", "values": [3, 5, 7.5]}), {}, "another type"),
        ("numbers", of_estimator("labels", {"dtype": "<M8[s]", "values": [3, 5, 7]}), {}, "neither numbers nor texts"),
        ("numbers", of_estimator("labels", {"dtype": "<i8", "values": [3, 5, 2**70]}), {}, "too large"),
        ("numbers", of_estimator("labels", {"dtype": "nonsense", "values": [3, 5, 7]}), {}, "nonsense"),
        ("numbers", None, {"coefficients": np.zeros(9)}, "must have 2 dimensions"),
        ("numbers", None, {"coefficients": np.zeros((8, 3))}, "coefficients of the shape"),
        ("numbers", None, {"coefficients": np.full((9, 3), np.nan)}, "contains NaN"),
        ("numbers", None, {"coefficients": np.zeros((9, 3), dtype=np.float32)}, "not of float64"),
        ("numbers", None, {"offset": np.ones(3)}, "a scale or an offset"),
        ("numbers", None, {"points": np.zeros((9, 0))}, "none of them 0"),
        ("numbers", None, {"owner.path.ridge": np.ones(34)}, "not one of those tried"),
        ("numbers", None, {"owner.path.ridge": None, "owner.path.validation_error": None}, "its tables are not"),
        ("numbers", None, {"owner.path.validation_error": np.ones(2)}, "are not as long"),
        ("numbers", None, {"owner.path.validation_error": None}, "other columns than"),
        ("numbers", None, {"owner.path.more": np.ones(2)}, "other columns than"),
        ("numbers", None, {"owner.code.ridge": np.ones(2)}, "its tables are not"),
        ("frame", None, {"coefficients": np.zeros((9, 2)), "offset": np.zeros(2)}, "says that it has one"),
        ("precomputed", None, {"weights": np.zeros((8, 1))}, "as many samples as coefficients"),
    ],
)  # fmt: skip
def test_a_file_whose_parts_do_not_belong_together_is_no_model(name, header, arrays, words, tmp_path):
    model, (X, y) = MODELS[name]
    path = clone(model).fit(X, y).save(tmp_path / "x")
    check_refused(kg.load, path, header, arrays, words)


def test_a_ridge_at_the_edge_of_its_list_is_said_where_it_matters():
    X, Y = SEC8.sample(100, seed=0)
    with pytest.warns(
        UserWarning, match="10 is the smallest of those given, and the error falls towards it: give smal"
    ):
        model = kg.KernelRegressor("linear", ridge=[1e5, 1e1, 1e3], random_state=0).fit(X, X.sum(axis=1))
    assert model.ridge_at_edge_ == "smallest"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kg.KernelRegressor("ck2", ridge=[1e-8, 1e-7], random_state=0).fit(X, Y).ridge_at_edge_  # all the same
        assert kg.KernelRegressor("linear", random_state=0).fit(X, X.sum(axis=1)).ridge_at_edge_ == "smallest"
        assert kg.KernelRegressor("ck2", ridge=1.0).fit(X, Y).ridge_at_edge_ is None
