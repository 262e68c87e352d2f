"""Every contender against a computation of its own."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import kernelgap as kg
from kernelgap.audit.contenders.registry import FAMILIES, KERNELS, contender, family, frozen_kernels
from kernelgap.audit.contenders.view import SearchBudget, View

EFFORT = SearchBudget(fits=4, epochs=12, most_rows=1000)


@pytest.fixture(scope="module")
def view() -> View:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = np.stack([np.sin(X[:, 0]) + 0.3 * X[:, 1] + 2.0, X[:, 2] * X[:, 3]], axis=1) + 0.1 * rng.normal(size=(60, 2))
    return View(X[:45], Y[:45], X[45:], Y[45:], seed=1, search_budget=EFFORT, divisor=2)


@pytest.fixture(scope="module")
def classes() -> View:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3))
    Y = np.eye(3)[np.digitize(X[:, 0] + 0.2 * rng.normal(size=90), [-0.5, 0.5])]
    return View(X[:70], Y[:70], X[70:], Y[70:], seed=0, search_budget=EFFORT, classes=True)


def by_hand(kernel, X, Y, ridge, Z):
    """Kernel ridge regression around the mean."""
    K = kernel(X)
    return kernel(Z, X) @ np.linalg.solve(
        K + ridge * np.mean(np.diag(K)) * np.eye(len(X)), Y - Y.mean(axis=0)
    ) + Y.mean(axis=0)


def setting_of(judged, place):
    return {name: values[place] for name, values in judged.columns.items()}


def kernel_of(name, setting, X):
    if name in ("gaussian", "laplace"):
        length = setting["bandwidth"] * kg.kernels.get(name).fit(X).length
        return kg.kernels.get(f"{name}(bandwidth={length!r})")
    size = setting["bandwidth"] * np.sqrt(np.mean(np.sum(X**2, axis=1)))
    plain = kg.kernels.get(name)
    extended = lambda A: np.hstack([A / size, np.ones((len(A), 1))])  # noqa: E731
    return lambda A, B=None: plain(extended(A), extended(A if B is None else B))


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name, view, rng):
    judged = contender(name).judge(view, lambda share: None)
    assert judged.fits == 4
    assert len(set(judged.columns["bandwidth"])) == 4
    for place in rng.choice(len(judged.errors), size=4, replace=False):
        setting = setting_of(judged, place)
        if setting["ridge"] < 1e-6:
            continue  # beyond what solving by hand can follow
        outputs = by_hand(kernel_of(name, setting, view.X), view.X, view.Y, setting["ridge"], view.X_val)
        expected = np.mean(np.sum((outputs - view.Y_val) ** 2, axis=1)) / 2
        assert judged.errors[place] == pytest.approx(expected, rel=1e-5)
    setting = {"bandwidth": 1.0, "ridge": 1e-3}
    X, Y = view.train_plus_validation.X, view.train_plus_validation.Y
    np.testing.assert_allclose(
        contender(name).fit(view, setting).predict(view.X_val),
        by_hand(kernel_of(name, setting, X), X, Y, 1e-3, view.X_val),
        rtol=1e-6,
        atol=1e-8,
    )


def test_landmarks_stand_in_for_all_rows(view):
    """With all rows as landmarks the same, with fewer not."""
    whole, all_rows, few = (
        replace(view, search_budget=EFFORT.model_copy(update={"landmarks": count})) for count in (None, 60, 10)
    )
    errors = [np.array(contender("gaussian").judge(v, lambda share: None).errors) for v in (whole, all_rows, few)]
    ridges = np.array(contender("gaussian").judge(whole, lambda share: None).columns["ridge"])
    clear = ridges > 1e-6
    np.testing.assert_allclose(errors[0][clear], errors[1][clear], rtol=1e-4)
    assert not np.allclose(errors[0][clear], errors[2][clear], rtol=1e-2)
    assert len(contender("gaussian").fit(few, {"bandwidth": 1.0, "ridge": 0.1}).points) == 10


def test_networks(view):
    """Judged as they are trained: the error at the end is that of the network at the end and just before."""
    network = contender("2layer")
    judged = network.judge(view, lambda share: None)
    assert judged.fits == 4
    setting = setting_of(judged, -1)
    grid, scale = network._train(view, [(setting["rate"], setting["decay"])], 12), view.scale
    assert scale == pytest.approx(np.sqrt(np.mean((view.Y - view.Y.mean(axis=0)) ** 2)))
    outputs = scale * grid.predictor(0)(view.X_val) + view.Y.mean(axis=0)
    last = np.mean(np.sum((outputs - view.Y_val) ** 2, axis=1)) / 2
    before = grid.curves["validation"][0, -2] * scale**2 / 2
    assert setting["epochs"] == 12
    assert judged.errors[-1] == pytest.approx((last + before) / 2, rel=1e-4)


def test_a_network_is_fitted_to_the_whole_sample(view):
    setting = {"rate": 0.5, "decay": 1e-3, "epochs": 12.0}
    fitted = contender("2layer").fit(view, setting)
    on_part = View(view.X, view.Y, view.X[:0], view.Y[:0], view.seed, EFFORT, 2)
    assert not np.allclose(fitted.predict(view.X), contender("2layer").fit(on_part, setting).predict(view.X))
    np.testing.assert_allclose(fitted.offset, np.concatenate([view.Y, view.Y_val]).mean(axis=0))
    untrained = contender("2layer").fit(view, {**setting, "epochs": 0.0})
    assert view.error(fitted.predict(view.X_val)) < view.error(untrained.predict(view.X_val))


@pytest.mark.parametrize("name", frozen_kernels("2layer"))
def test_a_networks_own_kernels(name, view):
    judged = contender(name).judge(view, lambda share: None)
    model = contender(name).fit(view, {"ridge": 1e-2})
    X, Y = view.train_plus_validation.X, view.train_plus_validation.Y
    np.testing.assert_allclose(
        model.predict(view.X_val), by_hand(model.kernel, X, Y, 1e-2, view.X_val), rtol=1e-6, atol=1e-8
    )
    place = int(np.argmin(np.abs(np.array(judged.columns["ridge"]) - 1e-2)))
    outputs = by_hand(model.kernel, view.X, view.Y, judged.columns["ridge"][place], view.X_val)
    assert judged.errors[place] == pytest.approx(view.error(outputs), rel=1e-5)


def test_the_adaptive_kernel_starts_plain_and_adapts(view):
    judged = contender("adaptive").judge(view, lambda share: None)
    assert judged.fits == 4
    first = [i for i, number in enumerate(judged.columns["round"]) if number == 0]
    place = next(i for i in first if judged.columns["ridge"][i] > 1e-3)
    setting = setting_of(judged, place)
    inputs = np.concatenate([view.X, view.X_val])
    length = setting["bandwidth"] * kg.kernels.get("laplace").fit(inputs).length
    outputs = by_hand(kg.kernels.get(f"laplace(bandwidth={length!r})"), view.X, view.Y, setting["ridge"], view.X_val)
    assert judged.errors[place] == pytest.approx(view.error(outputs), rel=1e-6)
    plain, adapted = (contender("adaptive").fit(view, {**setting, "round": number}) for number in (0.0, 1.0))
    np.testing.assert_allclose(plain.kernel.metric, np.eye(4))
    assert not np.allclose(adapted.kernel.metric, np.eye(4), atol=0.1)


def test_ridge_regression(view):
    judged = contender("ridge").judge(view, lambda share: None)
    ridge = judged.columns["ridge"][14]
    X, Y = view.X - view.X.mean(axis=0), view.Y - view.Y.mean(axis=0)
    weights = np.linalg.solve(X.T @ X + ridge * len(X) * np.eye(4), X.T @ Y)
    outputs = (view.X_val - view.X.mean(axis=0)) @ weights + view.Y.mean(axis=0)
    assert judged.errors[14] == pytest.approx(view.error(outputs), rel=1e-9)


def test_trees_for_numbers(view):
    setting = {"rate": 0.2, "leaves": 4, "least_rows": 5, "rounds": 20}
    model = contender("trees").fit(view, setting)
    told = {"learning_rate": 0.2, "max_leaf_nodes": 4, "min_samples_leaf": 5, "max_iter": 20, "early_stopping": False}
    for output in range(2):
        peer = HistGradientBoostingRegressor(**told, random_state=1).fit(
            view.train_plus_validation.X, view.train_plus_validation.Y[:, output]
        )
        np.testing.assert_allclose(model.predict(view.X_val)[:, output], peer.predict(view.X_val))
    judged = contender("trees").judge(view, lambda share: None)
    assert judged.fits == 4
    assert min(judged.errors) < view.error(np.tile(view.offset, (15, 1)))


def test_trees_for_classes_that_not_all_were_seen(classes):
    judged = contender("trees").judge(classes, lambda share: None)
    assert np.isfinite(judged.errors).all()
    model = contender("trees").fit(classes, {"rate": 0.2, "leaves": 4, "least_rows": 5, "rounds": 10})
    peer = HistGradientBoostingClassifier(
        learning_rate=0.2, max_leaf_nodes=4, min_samples_leaf=5, max_iter=10, early_stopping=False, random_state=0
    ).fit(classes.train_plus_validation.X, classes.train_plus_validation.Y.argmax(axis=1))
    np.testing.assert_allclose(model.predict(classes.X_val), peer.predict_proba(classes.X_val))
    fourth = replace(classes, Y=np.pad(classes.Y, ((0, 0), (0, 1))), Y_val=np.pad(classes.Y_val, ((0, 0), (0, 1))))
    outputs = (
        contender("trees").fit(fourth, {"rate": 0.2, "leaves": 4, "least_rows": 5, "rounds": 9}).predict(fourth.X_val)
    )
    assert outputs.shape == (20, 4)
    assert np.all(outputs[:, 3] == 0)


def test_every_contender_has_a_family():
    assert {family(name) for name in (*FAMILIES, *frozen_kernels("2layer"))} == {
        "kernel",
        "network",
        "adaptive",
        "baseline",
        "twin",
    }
    assert family("3resnet(ntk)") == "twin"
