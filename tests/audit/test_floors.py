"""Floors against the least squares over all weights, and against every ridge."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as PeerRidge

from kernelgap.audit.contenders.registry import contender
from kernelgap.audit.dataset import prepare_table
from kernelgap.audit.floors import BUDGET, format_floor, kernel_floors, least_error
from kernelgap.audit.statistics.results import KernelFloor


def by_brute_force(gram, Y):
    """Least squares over all weights and offsets, by singular values."""
    columns = np.column_stack([gram, np.ones(len(gram))])
    return sum(float(np.sum((y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]) ** 2)) for y in Y.T)


@pytest.mark.parametrize(("rows", "n"), [(60, 10), (60, 58), (30, 1)])
def test_the_least_error_over_all_weights(rng, rows, n):
    gram, Y = rng.normal(size=(rows, n)), rng.normal(size=(rows, 2))
    left, dimensions, exact = least_error(gram, Y)
    assert left == pytest.approx(by_brute_force(gram, Y), rel=1e-9)
    assert (dimensions, exact) == (n, True)


def test_columns_that_repeat_are_not_counted_as_exact(rng):
    gram, Y = rng.normal(size=(50, 6)), rng.normal(size=(50, 1))
    left, _, exact = least_error(np.column_stack([gram, gram @ rng.normal(size=(6, 3))]), Y)
    assert not exact
    assert left <= by_brute_force(gram, Y) * (1 + 1e-9), "rounding may add directions, and takes none away"


def test_no_kernel_leaves_everything():
    assert least_error(np.ones((9, 2)), np.arange(9.0)[:, None])[0] == pytest.approx(60.0)


@pytest.mark.parametrize("name", ["laplace", "gaussian", "ntk2"])
def test_no_ridge_gets_below_the_floor(name):
    prepared = prepare_table("diabetes", "target", seed=0)
    dataset, setting = prepared.dataset, {"bandwidth": 1.0, "ridge": 0.1}
    (found,) = kernel_floors(dataset, prepared.Y_test, name, {80: setting})
    assert (found.samples, found.rows) == (80, 442 - 80)
    view = dataset.view(80, 0, BUDGET)
    learned = np.zeros(len(dataset.X), dtype=bool)
    learned[np.concatenate(dataset.rows(80, 0))] = True
    X = np.concatenate([dataset.X[~learned], dataset.X_test])
    y = np.concatenate([dataset.Y[~learned], prepared.Y_test])[:, 0]
    learner, sample = contender(name), view.train_plus_validation
    other, own = (learner.cross_gram(view, setting, rows) for rows in (X, sample.X))
    assert found.error * len(y) == pytest.approx(by_brute_force(other, y[:, None]), rel=1e-6)
    for alpha in np.geomspace(1e-8, 1e3, 12):
        fitted = PeerRidge(alpha=alpha, kernel="precomputed").fit(own, sample.Y[:, 0] - sample.Y.mean())
        assert np.mean((fitted.predict(other) + sample.Y.mean() - y) ** 2) >= found.error
    model = learner.fit(view, setting)
    assert np.mean((model.predict(X)[:, 0] - y) ** 2) >= found.error
    assert found.random_share == pytest.approx(1 - 80 / (442 - 81))
    assert found.share < 1


def test_there_is_no_floor_where_the_other_rows_are_fewer():
    prepared = prepare_table("diabetes", "target", seed=0)
    setting = {"bandwidth": 1.0, "ridge": 0.1}
    assert not list(kernel_floors(prepared.dataset, prepared.Y_test, "laplace", {300: setting}))
    assert not list(kernel_floors(prepared.dataset, prepared.Y_test, "3resnet(ntk)", {80: {"ridge": 0.1}}))


def test_a_floor_is_a_sentence():
    floor = KernelFloor("ntk3", 100, 400, 0.3, 0.31, 0.75, exact=False)
    assert format_floor(floor) == (
        "With 100 rows to learn from, no weights and no ridge of ntk3 leave less than 31.0% of a constant's error "
        "on the other 400 rows, up to rounding; a random space of as many dimensions leaves 75.0%."
    )
