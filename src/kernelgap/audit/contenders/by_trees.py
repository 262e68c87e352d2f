"""Gradient-boosted trees, scikit-learn's: what people with tables try first."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from math import isqrt
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from kernelgap.audit.contenders.view import Outputs, Rows, Search, Tell, Tuned, View, spread

TREES = 120
PATIENCE = 10  # rounds without a better validation error
RATES = (0.04, 0.4)
LEAVES = (31, 4)
LEAST_ROWS = (20, 3)  # in a leaf


@dataclass(frozen=True)
class TreesModel:
    """Boosted trees with so many of their rounds: one forest for classes, else one for each target.

    No file holds them: it would have to be a pickle. ``columns`` are the places of the classes that were learned.
    """

    parts: tuple[Any, ...]
    columns: tuple[int, ...]
    outputs_count: int
    rounds: int = 0

    def staged(self, X: Rows) -> Iterator[Outputs]:
        """The outputs after each round; a target that stopped earlier stays as it is."""
        if isinstance(self.parts[0], HistGradientBoostingClassifier):
            for found in self.parts[0].staged_predict_proba(X):
                whole = np.zeros((len(X), self.outputs_count))
                whole[:, self.columns] = found
                yield whole
            return
        last: list[np.ndarray] = [np.empty(0)] * len(self.parts)
        for found in zip_longest(*(part.staged_predict(X) for part in self.parts)):
            last = [old if new is None else new for old, new in zip(last, found, strict=True)]
            yield np.stack(last, axis=1)

    def outputs(self, X: Rows) -> Outputs:
        for number, found in enumerate(self.staged(X), 1):
            if number == self.rounds:
                return found
        raise ArithmeticError(f"there are fewer than {self.rounds} rounds of trees")


def tune_trees(name: str, view: View, tell: Tell) -> Tuned:
    """Each pair of a rate and a size of trees is a fit; how many rounds are used is chosen on the way."""
    side = isqrt(view.effort.fits)
    search = Search(side * side, tell)
    sizes = list(zip(spread(*LEAVES, side), spread(*LEAST_ROWS, side), strict=True))
    for rate in spread(*RATES, side):
        for leaves, least in sizes:
            options = {"learning_rate": rate, "max_leaf_nodes": round(leaves), "min_samples_leaf": round(least)}
            forest = _fit(view, options)
            errors = [view.error(outputs) for outputs in forest.staged(view.X_val)]
            best = int(np.argmin(errors))
            found = TreesModel(forest.parts, forest.columns, forest.outputs_count, best + 1)
            search.add({**options, "rounds": best + 1}, errors[best], lambda found=found: found)  # type: ignore[misc]
    return search.result()


def _fit(view: View, options: dict[str, Any]) -> TreesModel:
    told = {
        "max_iter": TREES,
        "n_iter_no_change": PATIENCE,
        "early_stopping": True,
        "random_state": view.seed,
        "validation_fraction": None,
        **options,
    }
    if view.classes:
        label, label_val = view.Y.argmax(axis=1), view.Y_val.argmax(axis=1)
        known = np.isin(label_val, label)
        one = HistGradientBoostingClassifier(**told)
        one.fit(view.X, label, X_val=view.X_val[known], y_val=label_val[known])
        return TreesModel((one,), tuple(int(c) for c in one.classes_), view.Y.shape[1])
    parts = tuple(
        HistGradientBoostingRegressor(**told).fit(view.X, y, X_val=view.X_val, y_val=y_val)
        for y, y_val in zip(view.Y.T, view.Y_val.T, strict=True)
    )
    return TreesModel(parts, (), view.Y.shape[1])
