"""Gradient-boosted trees, scikit-learn's: what people with tables try first."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from math import isqrt
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from kernelgap.audit.contenders.view import Judged, Outputs, Records, Rows, Setting, Tell, View, spread

ROUNDS = (3, 6, 10, 15, 20, 30, 40, 60, 80, 100, 120)
PATIENCE = 10  # rounds without a better validation error
RATES = (0.04, 0.4)
LEAVES = (31, 4)
LEAST_ROWS = (20, 3)  # in a leaf


@dataclass(frozen=True)
class TreesModel:
    """Boosted trees: one forest for classes, else one for each target.

    No file holds them: it would have to be a pickle. ``columns`` are the places of the classes that were learned.
    """

    parts: tuple[Any, ...]
    columns: tuple[int, ...]
    width: int

    def staged(self, X: Rows) -> Iterator[Outputs]:
        """The outputs after each round; a target that stopped earlier stays as it is."""
        if isinstance(self.parts[0], HistGradientBoostingClassifier):
            for found in self.parts[0].staged_predict_proba(X):
                whole = np.zeros((len(X), self.width))
                whole[:, self.columns] = found
                yield whole
            return
        last: list[np.ndarray] = [np.empty(0)] * len(self.parts)
        for found in zip_longest(*(part.staged_predict(X) for part in self.parts)):
            last = [old if new is None else new for old, new in zip(last, found, strict=True)]
            yield np.stack(last, axis=1)

    def predict(self, X: Rows) -> Outputs:
        *_, last = self.staged(X)
        return last


@dataclass(frozen=True)
class BoostedTrees:
    """Each pair of a rate and a size of trees is a fit; how many rounds are used is judged on the way."""

    name: str

    def judge(self, view: View, tell: Tell) -> Judged:
        side = isqrt(view.search_budget.fits)
        records = Records(side * side, tell)
        for rate in spread(*RATES, side):
            for leaves, least in zip(spread(*LEAVES, side), spread(*LEAST_ROWS, side), strict=True):
                setting = {"rate": rate, "leaves": round(leaves), "least_rows": round(least)}
                errors = [view.error(outputs) for outputs in self._judged(view, setting).staged(view.X_val)]
                errors += errors[-1:] * (ROUNDS[-1] - len(errors))  # growing stopped: no better was to come
                records.add({**setting, "rounds": ROUNDS}, [errors[rounds - 1] for rounds in ROUNDS])
        return records.judged()

    def fit(self, view: View, setting: Setting) -> TreesModel:
        whole, rounds = view.train_plus_validation, round(setting["rounds"])
        fixed = {**_options(setting), "max_iter": rounds, "early_stopping": False, "random_state": view.seed}
        outputs = whole.Y.shape[1]
        if view.classes:
            one = HistGradientBoostingClassifier(**fixed).fit(whole.X, whole.Y.argmax(axis=1))
            return TreesModel((one,), _columns(one), outputs)
        parts = tuple(HistGradientBoostingRegressor(**fixed).fit(whole.X, y) for y in whole.Y.T)
        return TreesModel(parts, (), outputs)

    def _judged(self, view: View, setting: Setting) -> TreesModel:
        """Grown on the rows to learn from until those to be judged by are no longer predicted better."""
        told = {"max_iter": ROUNDS[-1], "n_iter_no_change": PATIENCE, "early_stopping": True}
        fixed = {**_options(setting), **told, "validation_fraction": None, "random_state": view.seed}
        if view.classes:
            labels, labels_val = view.Y.argmax(axis=1), view.Y_val.argmax(axis=1)
            known = np.isin(labels_val, labels)
            one = HistGradientBoostingClassifier(**fixed)
            one.fit(view.X, labels, X_val=view.X_val[known], y_val=labels_val[known])
            return TreesModel((one,), _columns(one), view.Y.shape[1])
        parts = tuple(
            HistGradientBoostingRegressor(**fixed).fit(view.X, y, X_val=view.X_val, y_val=y_val)
            for y, y_val in zip(view.Y.T, view.Y_val.T, strict=True)
        )
        return TreesModel(parts, (), view.Y.shape[1])


def _options(setting: Setting) -> dict[str, Any]:
    return {
        "learning_rate": setting["rate"],
        "max_leaf_nodes": round(setting["leaves"]),
        "min_samples_leaf": round(setting["least_rows"]),
    }


def _columns(fitted: HistGradientBoostingClassifier) -> tuple[int, ...]:
    return tuple(int(c) for c in fitted.classes_)
