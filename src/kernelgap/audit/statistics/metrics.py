"""Metrics: how good predictions are, and as a loss for each row, so that one engine judges all of them.

A metric that is no mean over rows (an F1 score, an area under a curve) becomes one by the jackknife: the pseudo-value
of a unit is G m - (G - 1) m without it, for G units; their mean is made m, and their spread is that of the metric.
Units are rows, blocks of rows where there are many, or groups of rows that belong together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int
from scipy.stats import rankdata

from kernelgap.audit.contenders.own import imported, name_of
from kernelgap.audit.tables.table import Task
from kernelgap.errors import InputError, unknown
from kernelgap.number_text import digits

BLOCKS = 250  # units at most where leaving each out costs a computation of the metric
LEAST_PROBABILITY = 1e-15  # of the true class: a logarithm of 0 would decide all
Needs = Literal["values", "scores"]


@dataclass(frozen=True)
class Predicted:
    """Predictions for some rows: ``values`` are numbers (n,) or (n, targets), or places of classes; ``scores`` a column
    for each class.
    """

    values: np.ndarray
    scores: Float[np.ndarray, "n classes"] | None = None

    def take(self, rows: np.ndarray) -> "Predicted":
        return Predicted(self.values[rows], None if self.scores is None else self.scores[rows])


Loss = Callable[[np.ndarray, Predicted], np.ndarray | float]


@dataclass(frozen=True)
class Metric:
    """A metric by the loss that it is shown from: of each row (``by_row``), or of all rows together.

    ``shown`` turns a mean loss into the metric's own number: the root for RMSE, 1 - loss for an accuracy.
    """

    name: str
    title: str
    task: Task | None
    loss: Loss
    by_row: bool
    needs: Needs = "values"
    shown: Callable[[float], float] = float
    share: bool = False  # shown as a percentage

    def text(self, loss: float) -> str:
        """A mean loss as the metric's own number."""
        value = self.shown(loss)
        return f"{value:.1%}" if self.share else digits(value)

    def check(self, task: Task) -> None:
        """Refuse another task."""
        if self.task not in (None, task):
            kind = "numbers" if self.task == "regression" else "classes"
            raise InputError(f"The metric {self.name} is for {kind}: {_named_for(task)} are for this target.")


def _one_minus(loss: float) -> float:
    return 1.0 - loss


def _each_target(errors: np.ndarray) -> np.ndarray:
    return errors.mean(axis=1) if errors.ndim > 1 else errors


def _log_loss(truth: np.ndarray, predicted: Predicted) -> np.ndarray:
    assert predicted.scores is not None
    shares = np.clip(predicted.scores, LEAST_PROBABILITY, None)
    shares = shares / shares.sum(axis=1, keepdims=True)
    return np.asarray(-np.log(shares[np.arange(len(truth)), truth]))


def _recalls(truth: np.ndarray, predicted: Predicted) -> float:
    return 1.0 - float(np.mean([np.mean(predicted.values[truth == one] == one) for one in np.unique(truth)]))


def _f1(truth: np.ndarray, predicted: Predicted) -> float:
    """1 - the mean over the true classes of 2 TP / (2 TP + FP + FN)."""
    present = np.unique(truth)
    true, taken = (np.bincount(each, minlength=int(present[-1]) + 1) for each in (truth, predicted.values))
    right = np.bincount(truth[truth == predicted.values], minlength=int(present[-1]) + 1)
    return 1.0 - float(np.mean(2 * right[present] / (true[present] + taken[present])))


def _auc(truth: np.ndarray, predicted: Predicted) -> float:
    """1 - the area under the curve: of the second of two classes; of many, the mean over each against the rest."""
    assert predicted.scores is not None
    present = [1] if predicted.scores.shape[1] == 2 else [int(one) for one in np.unique(truth)]
    areas = [_area(truth == one, predicted.scores[:, one]) for one in present if 0 < (truth == one).mean() < 1]
    return 1.0 - float(np.mean(areas)) if areas else 0.5


def _area(positive: np.ndarray, scores: np.ndarray) -> float:
    """The share of pairs of a positive and a negative row in which the positive one has the higher score."""
    n, ranks = int(positive.sum()), rankdata(scores)
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(scores) - n)))


_CLASSES: dict[str, Any] = {"task": "classification", "shown": _one_minus}
METRICS = {
    metric.name: metric
    for metric in (
        Metric("rmse", "RMSE", "regression", lambda y, p: _each_target((y - p.values) ** 2), True, shown=np.sqrt),
        Metric("mae", "mean absolute error", "regression", lambda y, p: _each_target(np.abs(y - p.values)), True),
        Metric("accuracy", "accuracy", loss=lambda y, p: y != p.values, by_row=True, share=True, **_CLASSES),
        Metric("balanced_accuracy", "balanced accuracy", loss=_recalls, by_row=False, share=True, **_CLASSES),
        Metric("f1", "F1 (mean over classes)", loss=_f1, by_row=False, **_CLASSES),
        Metric("log_loss", "log loss", "classification", _log_loss, True, needs="scores"),
        Metric("auc", "area under the ROC curve", loss=_auc, by_row=False, needs="scores", **_CLASSES),
    )
}
DEFAULT: dict[Task, str] = {"regression": "rmse", "classification": "accuracy"}


def _named_for(task: Task) -> str:
    return ", ".join(name for name, metric in METRICS.items() if metric.task == task)


def get_metric(given: str | Callable[[np.ndarray, np.ndarray], float] | None, task: Task) -> Metric:
    """A metric by name, by ``module:function``, or a function of the truth and predictions of which less is better."""
    if given is None:
        return METRICS[DEFAULT[task]]
    if isinstance(given, str) and ":" in given:
        given = imported(given, "metric")
    if callable(given):
        function = given
        name = getattr(function, "__name__", "own metric")
        return Metric(name, name, None, lambda truth, predicted: float(function(truth, predicted.values)), False)
    if given not in METRICS:
        raise unknown("metric", given, METRICS)
    METRICS[given].check(task)
    return METRICS[given]


def metric_name(given: str | Callable[..., float] | None, task: Task) -> str | None:
    """A metric as a text from which worker processes get it again; None for squared errors."""
    if given is None:
        return None
    name = given if isinstance(given, str) else name_of(given)
    get_metric(name, task)
    return name


def unit_losses(
    metric: Metric, truth: np.ndarray, predictions: Sequence[Predicted], groups: Int[np.ndarray, " n"] | None = None
) -> Float[np.ndarray, "predictions units"]:
    """A loss for each unit whose mean over units is the metric's loss, for each of several predictions."""
    if metric.by_row and groups is None:
        return np.stack([np.asarray(metric.loss(truth, each), dtype=float) for each in predictions])
    if groups is None:
        groups = np.arange(len(truth)) % BLOCKS if len(truth) > BLOCKS else np.arange(len(truth))
    if metric.by_row:
        return by_groups(np.stack([np.asarray(metric.loss(truth, each), dtype=float) for each in predictions]), groups)
    rows = [np.flatnonzero(groups != unit) for unit in range(int(groups.max()) + 1)]
    whole = [_of_all(metric, truth, each) for each in predictions]
    without = [np.array([_of_all(metric, truth[some], each.take(some)) for some in rows]) for each in predictions]
    return np.stack([_pseudo(value, left) for value, left in zip(whole, without, strict=True)])


def by_groups(
    losses: Float[np.ndarray, "predictions n"], groups: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "predictions groups"]:
    """Losses of groups whose mean is that of the rows."""
    counts = np.bincount(groups)
    sums = [np.bincount(groups, each) for each in losses]
    return np.stack([_pseudo(total.sum() / len(groups), _left(total, counts)) for total in sums])


def _of_all(metric: Metric, truth: np.ndarray, predicted: Predicted) -> float:
    value = float(np.mean(metric.loss(truth, predicted)))
    if not np.isfinite(value):
        raise InputError(f"The metric {metric.name} gives {value}, where a finite number is needed.")
    return value


def _left(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean over all rows but those of one unit, for each unit."""
    return np.asarray((sums.sum() - sums) / np.maximum(counts.sum() - counts, 1))


def _pseudo(value: float, without: np.ndarray) -> np.ndarray:
    units = len(without)
    values = units * value - (units - 1) * without
    return np.asarray(values + (value - values.mean()))
