"""Metrics against scikit-learn's, and the spread of those that are no mean over rows against other estimates of it."""

import numpy as np
import pytest
from sklearn import metrics as sk

from kernelgap.audit.statistics.metrics import METRICS, Metric, Predicted, get_metric, unit_losses
from kernelgap.errors import InputError


def made(rng, n=400, classes=3):
    truth = rng.integers(0, classes, n)
    scores = rng.dirichlet(np.ones(classes), n) + np.eye(classes)[truth]
    scores /= scores.sum(axis=1, keepdims=True)
    return truth, Predicted(scores.argmax(axis=1), scores)


PEERS = {
    "accuracy": lambda y, p: sk.accuracy_score(y, p.values),
    "balanced_accuracy": lambda y, p: sk.balanced_accuracy_score(y, p.values),
    "f1": lambda y, p: sk.f1_score(y, p.values, average="macro"),
    "log_loss": lambda y, p: sk.log_loss(y, p.scores),
    "auc": lambda y, p: sk.roc_auc_score(y, p.scores, multi_class="ovr"),
}


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("grouped", [False, True])
def test_metrics_of_classes_are_those_of_scikit_learn(rng, name, grouped):
    truth, predicted = made(rng)
    groups = np.arange(400) // 7 if grouped else None
    losses = unit_losses(METRICS[name], truth, [predicted], groups)
    assert losses.shape == (1, 58 if grouped else 400 if METRICS[name].by_row else 250)
    assert METRICS[name].shown(losses.mean()) == pytest.approx(PEERS[name](truth, predicted), abs=1e-12)


def test_metrics_of_numbers_are_those_of_scikit_learn(rng):
    truth, values = rng.normal(size=50), rng.normal(size=50)
    for name, peer in (("rmse", sk.root_mean_squared_error), ("mae", sk.mean_absolute_error)):
        losses = unit_losses(METRICS[name], truth, [Predicted(values)])
        assert METRICS[name].shown(losses.mean()) == pytest.approx(peer(truth, values))
    two = unit_losses(METRICS["mae"], np.stack([truth, truth], 1), [Predicted(np.stack([truth, values], 1))])
    assert two.mean() == pytest.approx(sk.mean_absolute_error(truth, values) / 2)


def test_the_spread_of_an_area_under_a_curve_is_delongs(rng):
    """DeLong, DeLong and Clarke-Pearson 1988: the variance from placements of either class among the other."""
    truth = (rng.random(240) < 0.3).astype(int)
    score = truth + 1.2 * rng.normal(size=240)
    losses = unit_losses(METRICS["auc"], truth, [Predicted(truth, np.stack([-score, score], 1))])[0]
    above = (score[truth == 1][:, None] > score[truth == 0]).astype(float)
    variance = above.mean(axis=1).var(ddof=1) / len(above) + above.mean(axis=0).var(ddof=1) / above.shape[1]
    assert losses.var(ddof=1) / len(losses) == pytest.approx(variance, rel=0.03)


def test_the_spread_of_f1_is_that_of_the_bootstrap(rng):
    truth, predicted = made(rng, 250)
    losses = unit_losses(METRICS["f1"], truth, [predicted])[0]
    drawn = [PEERS["f1"](truth[some], predicted.take(some)) for some in rng.integers(0, 250, (800, 250))]
    assert losses.std(ddof=1) / 250**0.5 == pytest.approx(np.std(drawn), rel=0.15)


def test_groups_are_left_out_whole(rng):
    truth, values = rng.normal(size=60), rng.normal(size=60)
    groups = rng.integers(0, 9, 60)
    errors = (truth - values) ** 2
    without = np.array([errors[groups != g].mean() for g in range(9)])
    pseudo = 9 * errors.mean() - 8 * without
    found = unit_losses(METRICS["rmse"], truth, [Predicted(values)], groups)[0]
    assert found == pytest.approx(pseudo + errors.mean() - pseudo.mean())
    by_rows = Metric("same", "same", None, METRICS["rmse"].loss, by_row=False)
    assert unit_losses(by_rows, truth, [Predicted(values)], groups)[0] == pytest.approx(found)


def median_error(truth, predicted):
    return np.median(np.abs(truth - predicted))


def test_a_metric_of_ones_own(rng):
    truth, values = rng.normal(size=60), rng.normal(size=60)
    own = get_metric(median_error, "regression")
    assert own.name == "median_error"
    expected = np.median(np.abs(truth - values))
    assert unit_losses(own, truth, [Predicted(values)]).mean() == pytest.approx(expected)
    named = get_metric("sklearn.metrics:median_absolute_error", "regression")
    assert unit_losses(named, truth, [Predicted(values)]).mean() == pytest.approx(expected)
    with pytest.raises(InputError, match="gives nan, where a finite number"):
        unit_losses(get_metric(lambda truth, predicted: np.nan, "regression"), truth, [Predicted(values)])


@pytest.mark.parametrize(
    ("given", "task", "words"),
    [
        ("rmsee", "regression", "Did you mean 'rmse'"),
        ("auc", "regression", "is for classes: rmse, mae are for this target"),
        ("mae", "classification", "is for numbers: accuracy"),
        ("nowhere:metric", "regression", "cannot be imported"),
        ("math:nothing", "regression", "cannot be imported"),
    ],
)
def test_metrics_that_cannot_be_used(given, task, words):
    with pytest.raises(InputError, match=words):
        get_metric(given, task)
