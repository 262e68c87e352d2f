"""Baselines, both scikit-learn's: linear ridge regression and gradient-boosted trees."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from math import isqrt
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import Ridge

from kernelgap.audit.contenders.view import (
    Outputs,
    ProgressCallback,
    Records,
    Rows,
    Setting,
    SettingErrors,
    View,
    spread,
)
from kernelgap.models import LinearModel, TreesModel
from kernelgap.models.trees import Link

RIDGES, RIDGE_COUNT = (1e-6, 1e3), 28  # times the number of rows, as columns have variance 1
ROUNDS = (3, 6, 10, 15, 20, 30, 40, 60, 80, 100, 120)
PATIENCE = 10  # rounds without a better validation error
RATES = (0.04, 0.4)
LEAVES = (31, 4)
LEAST_ROWS = (20, 3)  # in a leaf


@dataclass(frozen=True)
class LinearRidge:
    """Each ridge is a fit. There are as many as it takes, whatever the search budget is."""

    name: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        records = Records(RIDGE_COUNT, on_progress)
        for ridge in spread(*RIDGES, RIDGE_COUNT):
            records.add({"ridge": ridge}, [view.error(self._fit(view, ridge).predict(view.X_val))])
        return records.judged()

    def fit(self, view: View, setting: Setting) -> LinearModel:
        return self._fit(view.train_plus_validation, setting["ridge"])

    def _fit(self, view: View, ridge: float) -> LinearModel:
        fitted = Ridge(alpha=ridge * len(view.X)).fit(view.X, view.centred)
        return LinearModel(np.atleast_2d(fitted.coef_).T, view.offset + fitted.intercept_)


@dataclass(frozen=True)
class Forests:
    """Boosted trees of scikit-learn: one forest for classes, else one for each target.

    ``columns`` are the places of the classes that were learned.
    """

    forests: tuple[Any, ...]
    columns: tuple[int, ...]
    width: int

    def staged(self, X: Rows) -> Iterator[Outputs]:
        """The outputs after each round; a target that stopped earlier stays as it is."""
        if self.columns:
            for probabilities in self.forests[0].staged_predict_proba(X):
                outputs = np.zeros((len(X), self.width))
                outputs[:, self.columns] = probabilities
                yield outputs
            return
        last: list[np.ndarray] = [np.empty(0)] * len(self.forests)
        for stage in zip_longest(*(forest.staged_predict(X) for forest in self.forests)):
            last = [old if new is None else new for old, new in zip(last, stage, strict=True)]
            yield np.stack(last, axis=1)

    def model(self, inputs: int) -> TreesModel:
        """The same as plain arrays, which a file can hold; scikit-learn's own file would be a pickle."""
        baseline = np.concatenate([np.ravel(forest._baseline_prediction) for forest in self.forests])
        trees = [
            (tree.nodes, output + place)
            for place, forest in enumerate(self.forests)
            for each_round in forest._predictors
            for output, tree in enumerate(each_round)
        ]
        sizes = [len(nodes) for nodes, _ in trees]
        roots = np.cumsum([0, *sizes[:-1]])
        nodes = np.concatenate([nodes for nodes, _ in trees])
        own, first = np.arange(len(nodes)), np.repeat(roots, sizes)
        leaf = nodes["is_leaf"].astype(bool)
        left, right = (np.where(leaf, own, first + nodes[side]) for side in ("left", "right"))
        link: Link = "identity" if not self.columns else "logistic" if len(baseline) == 1 else "softmax"
        return TreesModel(
            feature=np.where(leaf, 0, nodes["feature_idx"]).astype(np.int32),
            threshold=np.where(leaf, 0.0, nodes["num_threshold"]),
            left=left.astype(np.int32),
            right=right.astype(np.int32),
            value=nodes["value"].astype(float),
            roots=roots.astype(np.int32),
            outputs=np.array([output for _, output in trees], dtype=np.int32),
            baseline=baseline,
            columns=np.array(self.columns or range(self.width), dtype=np.int32),
            offset=np.zeros(self.width),
            link=link,
            inputs=inputs,
        )


@dataclass(frozen=True)
class BoostedTrees:
    """Each pair of a rate and a size of trees is a fit; the number of rounds is judged on the way."""

    name: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        side = isqrt(view.search_budget.fits)
        records = Records(side * side, on_progress)
        for rate in spread(*RATES, side):
            for leaves, least in zip(spread(*LEAVES, side), spread(*LEAST_ROWS, side), strict=True):
                setting = {"rate": rate, "leaves": round(leaves), "least_rows": round(least)}
                errors = [view.error(outputs) for outputs in self._stopping_early(view, setting).staged(view.X_val)]
                errors += errors[-1:] * (ROUNDS[-1] - len(errors))  # growing stopped: no better was to come
                records.add({**setting, "rounds": ROUNDS}, [errors[rounds - 1] for rounds in ROUNDS])
        return records.judged()

    def fit(self, view: View, setting: Setting) -> TreesModel:
        rounds = {"max_iter": round(setting["rounds"]), "early_stopping": False}
        return _grow(view.train_plus_validation, setting, **rounds).model(view.X.shape[1])

    def _stopping_early(self, view: View, setting: Setting) -> Forests:
        """Grown on the training rows until the validation rows are no longer predicted better."""
        patience = {"n_iter_no_change": PATIENCE, "early_stopping": True, "validation_fraction": None}
        return _grow(view, setting, max_iter=ROUNDS[-1], **patience)


def _grow(view: View, setting: Setting, **options: Any) -> Forests:
    """Trees for the classes or the targets of a sample; its validation rows, where there are any, stop them."""
    options |= {
        "learning_rate": setting["rate"],
        "max_leaf_nodes": round(setting["leaves"]),
        "min_samples_leaf": round(setting["least_rows"]),
        "random_state": view.seed,
    }
    width = view.Y.shape[1]
    if view.classes:
        labels, labels_val = view.Y.argmax(axis=1), view.Y_val.argmax(axis=1)
        known = np.isin(labels_val, labels)
        forest = HistGradientBoostingClassifier(**options)
        forest.fit(view.X, labels, **_stop_by(view.X_val[known], labels_val[known]))
        return Forests((forest,), tuple(int(c) for c in forest.classes_), width)
    forests = tuple(
        HistGradientBoostingRegressor(**options).fit(view.X, y, **_stop_by(view.X_val, y_val))
        for y, y_val in zip(view.Y.T, view.Y_val.T, strict=True)
    )
    return Forests(forests, (), width)


def _stop_by(X_val: Rows, y_val: np.ndarray) -> dict[str, np.ndarray]:
    return {"X_val": X_val, "y_val": y_val} if len(X_val) else {}
