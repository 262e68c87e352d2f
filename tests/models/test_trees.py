"""Boosted trees as arrays: the outputs of scikit-learn, and walks by hand."""

from dataclasses import replace

import numpy as np
import pytest

from kernelgap import models
from kernelgap.audit.contenders.baselines import BoostedTrees, _grow
from kernelgap.audit.contenders.view import SearchBudget, View
from kernelgap.errors import InputError
from support import fitted

SETTING = {"rate": 0.1, "leaves": 9, "least_rows": 4, "rounds": 12}


def view(kind):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4))
    if kind == "numbers":
        Y = np.stack([X[:, 0] ** 2, np.sign(X[:, 1])], axis=1)
    else:
        places = (X[:, 0] > 0).astype(int) if kind == "two classes" else rng.integers(0, 3, 200)
        Y = np.eye(2 if kind == "two classes" else 4)[places]  # the fourth class has no row
    return View(
        X[:160], Y[:160], X[160:], Y[160:], 0, SearchBudget(fits=1, epochs=1, most_rows=1), 1, kind != "numbers"
    )


@pytest.mark.parametrize("kind", ["numbers", "two classes", "three of four classes"])
def test_outputs_are_scikit_learns(kind, tmp_path):
    seen = view(kind)
    *_, expected = _grow(seen.train_plus_validation, SETTING, max_iter=12, early_stopping=False).staged(seen.X)
    model = BoostedTrees("trees").fit(seen, SETTING)
    np.testing.assert_allclose(model.predict(seen.X), expected, rtol=1e-12, atol=1e-14)
    again = models.load(model.save(tmp_path / "trees"))
    np.testing.assert_array_equal(again.predict(seen.X), model.predict(seen.X))


def test_a_walk_by_hand(rng):
    model, X = fitted.model("trees"), rng.normal(size=(30, fitted.FEATURES))

    def leaf(row, at):
        while model.left[at] != at:
            at = model.left[at] if row[model.feature[at]] <= model.threshold[at] else model.right[at]
        return model.value[at]

    by_hand = np.array([[leaf(row, 0), leaf(row, 5)] for row in X]) + model.baseline + model.offset
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-12)
    assert len(np.unique(by_hand)) == 5


def changed(name, place, value):
    values = getattr(fitted.model("trees"), name).copy()
    values[place] = value
    return {name: values}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (changed("left", 2, 0), "stand behind it"),
        (changed("right", 5, 3), "stand behind it"),
        (changed("left", 0, 8), "from 0 to 7"),
        (changed("feature", 0, -1), "from 0 to 4"),
        (changed("roots", 0, 8), "from 0 to 7"),
        (changed("outputs", 0, 2), "from 0 to 1"),
        (changed("columns", 0, 1), "do not belong together"),
        (changed("value", 0, np.nan), "contains NaN"),
        ({"threshold": np.zeros(7)}, "do not belong together"),
        ({"roots": np.zeros(1, dtype=np.int32)}, "do not belong together"),
        ({"link": "logistic"}, "do not belong together"),
        ({"feature": np.zeros(8)}, "whole numbers"),
    ],
)
def test_trees_that_could_not_be_walked_are_refused(changes, words):
    with pytest.raises(InputError, match=words):
        replace(fitted.model("trees"), **changes)
