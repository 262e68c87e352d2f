"""Columns become numbers: learned from training rows alone, described in JSON, checked against new rows."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelgap import InputError
from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.preparing import LEVELS, Preparation, least_rows
from kernelgap.audit.tables.question import pose
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.errors import validated


@pytest.fixture
def frame(rng):
    n = 200
    frame = pd.DataFrame(
        {
            "normal": rng.normal(5, 3, n),
            "gappy": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "seldom missing": np.where(np.arange(n) == 7, np.nan, rng.normal(size=n)),
            "two": rng.choice(["yes", "no"], n),
            "three": rng.choice(["a", "b", "c"], n),
            "long tail": rng.choice([f"l{i}" for i in range(100)], n, p=np.r_[0.9, np.full(99, 0.1 / 99)]),
            "marked": np.where(rng.random(n) < 0.5, "x", None),
            "constant": np.ones(n),
            "target": rng.normal(size=n),
        }
    )
    frame["copy"] = frame["normal"]
    frame["renamed"] = frame["two"].map({"yes": "ja", "no": "nein"})
    return frame


@pytest.fixture
def features(frame):
    return pose(read_table(frame, seed=0), "target").features


def said(notices: tuple[Notice, ...]) -> dict[str, str]:
    return {notice.where: notice.what for notice in notices}


def test_columns_that_come_out(features):
    made = Preparation.fit(features)
    assert made.outputs == [
        "normal", "gappy", "seldom missing", "two=yes", "three=a", "three=b", "three=c", "long tail is rare",
        "gappy is missing", "marked is missing",
    ]  # fmt: skip
    assert said(made.notices) == {
        "gappy": "missing", "seldom missing": "missing", "long tail": "rare", "marked": "missing",
        "constant": "constant", "copy": "duplicate", "renamed": "duplicate",
    }  # fmt: skip
    X = made.transform(features)
    assert X.shape == (200, 10)
    assert X.dtype == np.float64
    assert np.allclose(X[:, :3].mean(axis=0), 0, atol=1e-12)
    assert np.allclose(X[:, :3].std(axis=0), 1)
    assert set(np.unique(X[:, 3:])) == {0, 1}
    assert np.array_equal(X[:, 8] == 1, features["gappy"].isna())
    assert np.array_equal(X[:, 3] == 1, features["two"] == "yes")


def test_it_does_what_the_column_transformer_does(features):
    encoder = OneHotEncoder(
        min_frequency=least_rows(len(features)),
        max_categories=LEVELS,
        handle_unknown="infrequent_if_exist",
        drop="if_binary",
        sparse_output=False,
    )
    transformer = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), slice(0, 3)),
            (
                "labels",
                make_pipeline(SimpleImputer(strategy="most_frequent", missing_values=None), encoder),
                slice(3, 6),
            ),
        ]
    )
    numbers, labels = features.iloc[:, :3], features[["two", "three", "long tail"]].astype(object)
    expected = transformer.fit_transform(pd.concat([numbers, labels], axis=1))
    assert np.allclose(Preparation.fit(features).transform(features)[:, :8], expected, rtol=0, atol=1e-14)


def test_the_description_gives_identical_arrays(features):
    made = Preparation.fit(features[:150])
    again = validated(Preparation, json.loads(json.dumps(made.model_dump(mode="json"))))
    assert np.array_equal(again.transform(features), made.transform(features))
    assert again.outputs == made.outputs


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(columns=[]),
        lambda d: d.pop("columns"),
        lambda d: d["columns"][0].update(scale=0.0),
        lambda d: d["columns"][0].update(mean=float("nan")),
        lambda d: d["columns"][0].update(kind="code"),
        lambda d: d["columns"][0].update(extra=1),
        lambda d: d["columns"][3].update(levels=[]),
    ],
)
def test_a_description_that_was_tampered_with_is_refused(features, change):
    description = Preparation.fit(features).model_dump(mode="json")
    change(description)
    with pytest.raises(InputError):
        validated(Preparation, description)


def test_test_rows_do_not_leak(features, rng):
    made = Preparation.fit(features[:120])
    other = features.copy()
    other.iloc[120:, other.columns.get_loc("normal")] = 1e6 * rng.normal(size=80)
    other.loc[120:, "three"] = "never seen"
    other.loc[120:, "gappy"] = np.nan
    again = Preparation.fit(other[:120])
    assert again == made
    assert Preparation.fit(other) != made  # it would have been seen
    assert np.array_equal(again.transform(other[:120]), made.transform(features[:120]))


def test_new_rows_are_checked(features):
    made = Preparation.fit(features)
    assert said(made.check(features[:5].assign(gappy=1.0))) == {}
    new = features.copy()
    new["normal"] = new["normal"].astype(object)
    new.loc[0, "normal"] = "broken"
    new.loc[1, "two"] = "perhaps"
    new.loc[2, "long tail"] = "unheard of"
    new.loc[3, "three"] = None
    notices = made.check(new)
    sentences = {(notice.what, notice.where): notice.sentence for notice in notices}
    assert "such as 'broken'" in sentences["not numbers", "normal"]
    assert ": 'perhaps'." in sentences["unseen", "two"]
    assert "taken as rare labels" in sentences["unseen", "long tail"]
    assert "missing in 1 row;" in sentences["missing", "three"]
    X = made.transform(new)
    assert np.isfinite(X).all()
    assert X[2, 7] == 1
    median = features["normal"].median()
    assert X[0, 0] == pytest.approx((median - features["normal"].mean()) / features["normal"].std(ddof=0))
    assert made.transform(new[:0]).shape == (0, 10)


def test_new_rows_without_a_column_are_refused(features):
    made = Preparation.fit(features)
    with pytest.raises(InputError, match="lacks columns that were there in training: 'gappy' and 'two'"):
        made.transform(features.drop(columns=["two", "gappy", "copy"]))
    with pytest.raises(InputError, match="several columns called 'two'"):
        made.transform(pd.concat([features, features[["two"]]], axis=1))
    shuffled = features[features.columns[::-1]].assign(more=1)
    assert np.array_equal(made.transform(shuffled), made.transform(features))


def test_a_new_file_is_read_as_the_preparation_wants_it(frame, features, tmp_path):
    made = Preparation.fit(features)
    new = frame[:4].drop(columns="target")
    new["gappy"] = np.nan
    new["marked"] = None
    new.to_csv(tmp_path / "new.csv", index=False)
    table = read_table(tmp_path / "new.csv", seed=0, labels=made.label_names, numbers=made.number_names)
    expected = made.transform(features[:4].assign(gappy=np.nan, marked=None))
    assert np.allclose(made.transform(table.frame), expected, rtol=1e-12)


def test_parquet_and_csv_prepare_alike(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    text, typed = (pose(read_table(tmp_path / name, seed=0), "target") for name in ("t.csv", "t.parquet"))
    made = Preparation.fit(typed.features)
    assert Preparation.fit(text.features) == made
    assert np.array_equal(made.transform(text.features), made.transform(typed.features))


def test_many_levels_are_capped(rng):
    rows = pd.DataFrame({"city": rng.choice([f"c{i}" for i in range(60)], 3000)})
    made = Preparation.fit(rows)
    assert len(made.outputs) == 30
    assert made.outputs[-1] == "city is rare"
    assert "more than 30 labels" in made.notices[0].sentence
    assert (made.transform(rows).sum(axis=1) == 1).all()


@pytest.mark.parametrize(("rows", "least"), [(10, 2), (100, 2), (101, 3), (400, 8), (500, 10), (10**6, 10)])
def test_what_is_rare(rows, least):
    assert least_rows(rows) == least


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [1.0] * 40, "b": ["x"] * 40},
        {"a": [np.nan] * 40},
        {"a": 1e9 + np.arange(40) * 1e-9},  # constant up to rounding
        {"a": np.arange(40) * 1e-200},
        {"a": [f"l{i}" for i in range(40)]},  # each of them rare
    ],
)
def test_nothing_to_learn_from(columns):
    with pytest.raises(InputError, match="No column is left to learn from"):
        Preparation.fit(pd.DataFrame(columns))


def test_large_and_small_numbers_are_scaled():
    rows = pd.DataFrame({"large": np.arange(40) * 1e98, "small": np.arange(40) * 1e-90, "far": 1e9 + np.arange(40)})
    X = Preparation.fit(rows).transform(rows)
    assert np.allclose(X, X[:, [2, 2, 2]], atol=1e-6)


CELLS = st.one_of(st.none(), st.sampled_from("abcdef"), st.text(max_size=3))
NUMBERS = st.one_of(st.just(np.nan), st.floats(-1e100, 1e100), st.integers(-3, 3).map(float))


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 40))
def test_any_columns_are_prepared_into_finite_numbers(data, n):
    rows = pd.DataFrame(
        {
            "number": np.array(data.draw(st.lists(NUMBERS, min_size=n, max_size=n)), dtype=float),
            "label": np.array(data.draw(st.lists(CELLS, min_size=n, max_size=n)), dtype=object),
            "sure": np.arange(n, dtype=float),
        }
    )
    made = Preparation.fit(rows[: n // 2 + 1])
    X = made.transform(rows)
    assert X.shape == (n, len(made.outputs))
    assert np.isfinite(X).all()
    again = validated(Preparation, json.loads(json.dumps(made.model_dump(mode="json"))))
    assert np.array_equal(again.transform(rows), X)
