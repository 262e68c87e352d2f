"""Estimators of one's own: described in plain JSON, made again, and judged as they are."""

import json

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

from kernelgap.audit.contenders.own import OwnContender, describe, make, named_contenders
from kernelgap.audit.contenders.view import SearchBudget, View
from kernelgap.errors import InputError

ESTIMATORS = [
    Ridge(alpha=np.float32(0.5)),
    make_pipeline(StandardScaler(with_mean=False), Ridge()),
    GridSearchCV(Ridge(), {"alpha": [0.1, 1.0], "fit_intercept": (True, False)}, cv=3),
    TransformedTargetRegressor(Ridge(), func=np.cbrt, inverse_func=np.sin, check_inverse=False),
    FunctionTransformer(np.tanh),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_a_description_makes_the_same_estimator(estimator):
    description = describe(estimator)
    again = make(description) if hasattr(estimator, "predict") else None
    assert json.loads(description)["class"].endswith(f":{type(estimator).__name__}")
    if again is not None:
        assert type(again) is type(estimator)
        assert describe(again) == description


class Local(Ridge):
    """It is in a module that can be imported."""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("Ridge", "given as module:Estimator"),
        ("nowhere:Ridge", "cannot be imported"),
        ("sklearn.linear_model:Rigde", "cannot be imported"),
        ("sklearn.preprocessing:StandardScaler", "has no predict"),
        ("sklearn.pipeline:Pipeline", "cannot be made"),
        (FunctionTransformer(lambda X: X), "cannot import"),
        (Ridge(alpha=object()), "cannot be described"),
    ],
)
def test_what_cannot_be_made_has_a_sentence(given, words):
    with pytest.raises(InputError, match=words):
        named_contenders([given], "regression")


def test_names_are_the_classes_and_each_is_there_once():
    found = named_contenders(["sklearn.linear_model:Ridge", Ridge(alpha=2.0), Local()], "regression")
    assert list(found) == ["own:Ridge", "own:Ridge.2", "own:Local"]
    assert make(found["own:Ridge.2"]).alpha == 2.0
    with pytest.raises(InputError, match="is not for classification"):
        named_contenders([Ridge()], "classification")
    with pytest.raises(InputError, match="too many"):
        named_contenders([Ridge()] * 21, "regression")


def view(rng, classes):
    X = rng.normal(size=(90, 3))
    Y = np.eye(3)[np.digitize(X[:, 0], [-0.5, 0.5])] if classes else np.stack([X[:, 0], X[:, 1] - X[:, 2]], axis=1)
    return View(X[:60], Y[:60], X[60:], Y[60:], 3, SearchBudget(fits=1, epochs=1, most_rows=90), 1, classes)


def test_several_numbers_are_learned_one_by_one(rng):
    contender, seen = OwnContender("own:x", describe(LinearRegression())), view(rng, classes=False)
    judged = contender.judge(seen, lambda share: None)
    assert (judged.columns, judged.fits) == ({}, 1)
    assert judged.errors[0] == pytest.approx(0, abs=1e-20)
    assert contender.fit(seen, {}).predict(seen.X_val) == pytest.approx(seen.Y_val)


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(C=100), KNeighborsClassifier(), LinearSVC(), CalibratedClassifierCV()]
)
def test_classes_have_shares_or_one_label(rng, estimator):
    contender, seen = OwnContender("own:x", describe(estimator)), view(rng, classes=True)
    outputs = contender.fit(seen, {}).predict(seen.X_val)
    assert outputs.sum(axis=1) == pytest.approx(1)
    assert np.mean(outputs.argmax(axis=1) == seen.Y_val.argmax(axis=1)) > 0.6
