"""Predictions of two models for the same rows, made by learning or given, and their losses."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelgap.audit.contenders.own import seeded
from kernelgap.audit.split import put_aside, sample_rows
from kernelgap.audit.statistics.metrics import Metric, Predicted, unit_losses
from kernelgap.errors import InputError


@dataclass(frozen=True)
class PairLosses:
    """The losses of both: in test units and on validation rows, with each seed; ``fixed`` are given predictions."""

    losses: tuple[np.ndarray, np.ndarray]
    validation: tuple[np.ndarray, np.ndarray]
    constant: np.ndarray
    rows: int
    samples: int
    fixed: bool


def learned_losses(
    models: tuple[Any, Any],
    X: Any,
    truth: np.ndarray,
    classes: np.ndarray | None,
    metric: Metric,
    groups: np.ndarray | None,
    *,
    seeds: int,
    seed: int,
) -> PairLosses:
    n, labels = len(truth), None if classes is None else truth
    table = X if hasattr(X, "iloc") else np.asarray(X)
    if len(table) != n:
        raise InputError(f"X has {len(table)} rows and y has {n}: they must be equally many.")
    pool, test = put_aside(n, labels, seed=seed, groups=groups)
    units = None if groups is None else np.unique(groups[test], return_inverse=True)[1]
    tested: tuple[list[Predicted], list[Predicted]] = ([], [])
    validation: tuple[list[float], list[float]] = ([], [])
    for number in range(seeds):
        split: Any = {"samples": len(pool), "seed": number, "groups": None if groups is None else groups[pool]}
        rows = sample_rows(len(pool), None if labels is None else labels[pool], **split)
        train, val = (pool[some] for some in rows)
        for side, model in enumerate(models):
            fitted = _fitted(
                model, _rows(table, train), truth[train] if classes is None else classes[truth[train]], number
            )
            tested[side].append(_predicted(fitted, _rows(table, test), classes, metric))
            at_validation = _predicted(fitted, _rows(table, val), classes, metric)
            validation[side].append(float(np.mean(metric.loss(truth[val], at_validation))))
    losses = [unit_losses(metric, truth[test], one, units) for one in tested]
    constant = unit_losses(metric, truth[test], [_constant(truth[pool], len(test), classes)], units)
    return PairLosses(
        (losses[0], losses[1]),
        (np.array(validation[0]), np.array(validation[1])),
        constant,
        len(test),
        len(train),
        fixed=False,
    )


def _fitted(model: Any, X: Any, y: np.ndarray, seed: int) -> Any:
    """A clone with the seed wherever it draws; its own errors are told as the user's."""
    try:
        return seeded(model, seed).fit(X, y)
    except Exception as error:
        raise InputError(f"{type(model).__name__} cannot learn from these rows: {error}.") from error


def _predicted(fitted: Any, X: Any, classes: np.ndarray | None, metric: Metric) -> Predicted:
    if classes is None:
        return Predicted(np.asarray(fitted.predict(X), dtype=float))
    values = _places(np.asarray(fitted.predict(X)), classes)
    if metric.needs != "scores":
        return Predicted(values)
    scores = np.zeros((len(values), len(classes)))
    if hasattr(fitted, "predict_proba"):
        given = np.asarray(fitted.predict_proba(X))
    elif hasattr(fitted, "decision_function") and metric.name == "auc":
        given = np.asarray(fitted.decision_function(X))
        given = np.stack([-given, given], axis=1) if given.ndim == 1 else given
    else:
        raise InputError(f"{type(fitted).__name__} has no predict_proba, which the metric {metric.name} needs.")
    scores[:, _places(np.asarray(fitted.classes_), classes)] = given
    return Predicted(values, scores)


def given_losses(
    models: tuple[Any, Any], truth: np.ndarray, classes: np.ndarray | None, metric: Metric, groups: np.ndarray | None
) -> PairLosses:
    predictions = [_from_array(np.asarray(one), truth, classes, metric) for one in models]
    losses = [unit_losses(metric, truth, [one], groups) for one in predictions]
    constant = unit_losses(metric, truth, [_constant(truth, len(truth), classes)], groups)
    return PairLosses((losses[0], losses[1]), (np.zeros(1), np.zeros(1)), constant, len(truth), 0, fixed=True)


def _from_array(given: np.ndarray, truth: np.ndarray, classes: np.ndarray | None, metric: Metric) -> Predicted:
    if len(given) != len(truth):
        raise InputError(f"There are {len(given)} predictions for {len(truth)} rows: they must be equally many.")
    if classes is None:
        try:
            numbers = given.astype(float).reshape(truth.shape)
        except (TypeError, ValueError):
            raise InputError("Predictions of numbers must be numbers, one for each target.") from None
        if not np.isfinite(numbers).all():
            raise InputError("Some predictions are missing or infinite: give one for each row.")
        return Predicted(numbers)
    if given.ndim == 2 and given.shape[1] > 1:
        if given.shape[1] != len(classes):
            raise InputError(f"There are {given.shape[1]} columns of scores for {len(classes)} classes.")
        scores = given.astype(float)
        return Predicted(scores.argmax(axis=1), scores)
    if metric.needs == "scores":
        raise InputError(f"The metric {metric.name} needs a score for each class, not labels alone.")
    return Predicted(_places(given.ravel(), classes))


def _constant(truth: np.ndarray, rows: int, classes: np.ndarray | None) -> Predicted:
    """The mean, or the most frequent class and the classes' shares."""
    if classes is None:
        return Predicted(np.broadcast_to(truth.mean(axis=0), (rows, *truth.shape[1:])).copy())
    shares = np.bincount(truth, minlength=len(classes)) / len(truth)
    return Predicted(np.full(rows, int(shares.argmax())), np.tile(shares, (rows, 1)))


def _places(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The places of labels among the classes; one beyond them for a label that is none."""
    known = {str(one): place for place, one in enumerate(classes)}
    return np.array([known.get(str(label), len(classes)) for label in labels])


def _rows(table: Any, rows: np.ndarray) -> Any:
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]
