"""The verdict on any two models: learned anew, or as predictions."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import kernelgap as kg
from kernelgap.audit.prediction_files import compare_files
from kernelgap.errors import InputError


@pytest.fixture
def numbers(rng):
    X = rng.normal(size=(300, 4))
    return X, X @ [1.0, -2.0, 0.0, 0.5] + 0.3 * rng.normal(size=300)


def test_who_learns_is_ahead_of_who_does_not(numbers):
    X, y = numbers
    found = kg.compare(Ridge(), DummyRegressor(), X, y)
    assert found.outcome == "first ahead"
    assert found.sentence.startswith("Ridge is ahead of DummyRegressor: RMSE 0.")
    assert found.sentence.endswith("on 60 test rows, with 192 rows to learn from and 5 seeds.")
    assert (found.rows, found.seeds, found.samples, found.units) == (60, 5, 192, "test rows")
    assert found.first_score.value == pytest.approx(0.3, abs=0.06)
    assert found.first_score.low < found.first_score.value < found.first_score.high < found.second_score.low
    assert found.second_score.value == pytest.approx(found.constant_score.value, rel=0.02)
    turned = kg.compare(DummyRegressor(), Ridge(), X, y)
    assert turned.outcome == "second ahead"
    assert turned.difference.value == pytest.approx(-found.difference.value)


def test_two_that_are_the_same_are_undecided(numbers):
    found = kg.compare(Ridge(), Ridge(), *numbers)
    assert (found.outcome, found.first, found.second) == ("undecided", "Ridge (first)", "Ridge (second)")
    assert found.difference.value == 0
    assert "too small to matter" in " ".join(found.reasons)


def test_each_seed_is_another_start_and_other_rows(numbers):
    X, y = numbers
    forest = make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=5, max_features=1))
    found = kg.compare(forest, DummyRegressor(), X, y, seeds=3)
    assert len(set(found.by_seed)) == 3
    assert found == kg.compare(forest, DummyRegressor(), X, y, seeds=3), "and the same again"
    assert "random_state" not in str(forest.get_params()["randomforestregressor"]), (
        "the one that was given is as it was"
    )


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1", "log_loss", "auc"])
def test_classes(numbers, metric):
    X, y = numbers
    labels = np.where(y > 0.5, "yes", "no")
    found = kg.compare(LogisticRegression(), DummyClassifier(), pd.DataFrame(X), pd.Series(labels), metric=metric)
    assert found.outcome == "first ahead"
    if metric == "auc":
        assert found.constant_score.value == 0.5
        assert kg.compare(LinearSVC(), DummyClassifier(), X, labels, metric="auc").first_score.value > 0.9
    with pytest.raises(InputError, match="no predict_proba"):
        kg.compare(LinearSVC(), DummyClassifier(), X, labels, metric="log_loss")


def test_a_score_is_scikit_learns_on_the_test_rows(rng):
    truth = rng.integers(0, 3, 200)
    guess = np.where(rng.random(200) < 0.7, truth, rng.integers(0, 3, 200))
    found = kg.compare(guess, truth, y=truth, metric="accuracy")
    assert found.first_score.value == pytest.approx(accuracy_score(truth, guess))
    assert found.second_score.value == 1.0
    assert found.outcome == "second ahead"
    assert (found.seeds, found.samples) == (0, 0)
    assert "seed" not in str(found)


def test_predictions_that_fit_noise_alike_are_undecided():
    """Two equally good sets of predictions, as numbers and as classes, with rows and groups drawn anew."""
    decided = 0
    for trial in range(40):
        rng = np.random.default_rng(trial)
        truth = rng.normal(size=100)
        ours, theirs = (truth + rng.normal(size=100) for _ in range(2))
        decided += kg.compare(ours, theirs, y=truth, seed=trial).outcome != "undecided"
        decided += kg.compare(ours > 0, theirs > 0, y=truth > 0, metric="f1", seed=trial).outcome != "undecided"
    assert decided <= 4, "1 in 80 by chance at 99%"


def test_rows_that_belong_together_count_once(rng):
    """An advantage of one group of three is no proof, however many rows it has."""
    groups = np.repeat(np.arange(25), 20)
    truth = rng.normal(size=500)
    lead = np.repeat(rng.normal(0.1, 0.35, 25), 20)  # the same for all rows of a group
    ours = truth + np.sqrt(np.clip(1 - lead, 0, None)) * np.sign(rng.normal(size=500))
    theirs = truth + np.sign(rng.normal(size=500))
    rows, grouped = (kg.compare(ours, theirs, y=truth, groups=g) for g in (None, groups))
    assert rows.difference.value == pytest.approx(grouped.difference.value)
    assert np.ptp([grouped.difference.low, grouped.difference.high]) > 2 * np.ptp(
        [rows.difference.low, rows.difference.high]
    )
    assert grouped.units == "test groups"


def test_groups_are_never_on_both_sides(numbers):
    """A group's own level cannot be guessed for a new group: a neighbour in the same group would give it away."""
    X, _ = numbers
    groups = np.arange(300) % 60
    level = np.random.default_rng(5).choice(["a", "b"], 60)[groups]
    X = np.column_stack([np.random.default_rng(6).normal(size=60)[groups], 1e-3 * X[:, 0]])
    apart = kg.compare(KNeighborsClassifier(1), DummyClassifier(), X, level, groups=groups)
    mixed = kg.compare(KNeighborsClassifier(1), DummyClassifier(), X, level)
    assert mixed.first_score.value > 0.95
    assert apart.first_score.value < 0.8


def test_a_result_is_plain_and_shows_itself(numbers):
    found = kg.compare(Ridge(), DummyRegressor(), *numbers, names=("<b>", "none"))
    record = json.loads(json.dumps(found.as_record(), allow_nan=False))
    assert record["outcome"] == "first ahead"
    page = found._repr_html_()
    assert "&lt;b&gt; is ahead" in page
    assert "<b>" not in page
    assert "<svg" in page
    assert str(found).splitlines()[1].startswith("- The difference of the errors")


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((Ridge(), Ridge()), {}, "takes y"),
        ((Ridge(), np.zeros(5)), {"y": np.zeros(5)}, "give two of a kind"),
        ((Ridge(), Ridge()), {"y": np.zeros(5)}, "give both"),
        ((np.zeros(4), np.zeros(5)), {"y": np.arange(5.5)}, "4 predictions for 6 rows"),
        ((np.zeros(3), [0, 1, np.nan]), {"y": [0.5, 1.5, 2.5]}, "missing or infinite"),
        ((["a"] * 4, ["a"] * 4), {"y": ["a"] * 4}, "one class"),
        ((["a", "b"], ["a", "b"]), {"y": ["a", "b"], "metric": "auc"}, "needs a score for each class"),
        ((np.zeros(3), np.zeros(3)), {"y": [0.5, 1.5, 2.5], "groups": [1, 2]}, "a label for each of the 3 rows"),
        ((Ridge(), Ridge()), {"X": np.eye(3), "y": np.arange(4.5)}, "X has 3 rows and y has 5"),
        ((Ridge(), Ridge()), {"X": np.eye(30) * np.nan, "y": np.arange(30) + 0.5}, "Ridge cannot learn"),
        ((Ridge(), Ridge()), {"X": np.eye(30), "y": np.arange(30) + 0.5, "seeds": 0}, "seeds is a whole number"),
        ((Ridge(), Ridge()), {"X": np.eye(30), "y": np.arange(30) + 0.5, "groups": [1, 2] * 15}, "There are 2 groups"),
    ],
)
def test_what_cannot_be_compared(arguments, options, words):
    with pytest.raises(InputError, match=words):
        kg.compare(*arguments, **options)


@pytest.fixture
def files(tmp_path, rng):
    truth = rng.choice(["cat", "dog", "none"], 120)
    near = np.where(rng.random(120) < 0.9, truth, "dog")
    pd.DataFrame({"id": np.arange(120), "kind": truth, "owner": np.arange(120) // 6}).to_csv(
        tmp_path / "y.csv", index=False
    )
    scores = {f"score {c}": (near == c) + 0.01 for c in ("cat", "dog", "none")}
    pd.DataFrame({"row": np.arange(120), "kind": near, **scores}).to_csv(tmp_path / "near.csv", index=False)
    pd.DataFrame({"guess": ["dog"] * 119 + ["cat"]}).to_csv(tmp_path / "dogs.csv", index=False)
    return tmp_path


def test_files_of_predictions(files):
    near, dogs, truth = (files / name for name in ("near.csv", "dogs.csv", "y.csv"))
    found = compare_files(near, dogs, truth, "kind")
    assert found.outcome == "first ahead"
    assert found.sentence.startswith("near is ahead of dogs: accuracy 9")
    grouped = compare_files(near, dogs, truth, "kind", group="owner", metric="f1")
    assert (grouped.outcome, grouped.units) == ("first ahead", "test groups")
    same = compare_files(near, near, truth, "kind", metric="log_loss")
    assert same.outcome == "undecided"
    assert "seed" not in str(same)


@pytest.mark.parametrize(
    ("first", "second", "options", "words"),
    [
        ("near.csv", "y.csv", {}, "name one with --target"),
        ("near.csv", "dogs.csv", {"target": "kind", "metric": "auc"}, "no column for each of the classes"),
        ("near.csv", "dogs.csv", {"target": "kinds"}, "no usable column 'kinds'"),
        ("near.csv", "nothing.csv", {"target": "kind"}, "There is no file"),
        ("near.csv", "dogs.csv", {"target": "kind", "task": "ranking"}, "Unknown task"),
    ],
)
def test_files_that_cannot_be_compared(files, first, second, options, words):
    with pytest.raises(InputError, match=words):
        compare_files(files / first, files / second, files / "y.csv", **options)


def test_files_of_other_rows_are_refused(files):
    pd.DataFrame({"guess": ["dog", "cat"] * 3}).to_csv(files / "few.csv", index=False)
    with pytest.raises(InputError, match="6 rows and the truth 120"):
        compare_files(files / "near.csv", files / "few.csv", files / "y.csv", "kind")
    pd.DataFrame({"guess": ["dog"] * 119 + [""], "x": 1}).to_csv(files / "gap.csv", index=False)
    with pytest.raises(InputError, match="with --target"):
        compare_files(files / "near.csv", files / "gap.csv", files / "y.csv", "kind")
