"""What a table asks, and the sentences for tables that ask nothing."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kernelgap import InputError
from kernelgap.audit.tables.question import Question, pose
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.audit.tables.targets import Targets
from kernelgap.errors import validated


@pytest.fixture
def frame(rng):
    x = rng.normal(size=(60, 2))
    return pd.DataFrame(
        {
            "x": x[:, 0],
            "colour": rng.choice(["red", "blue"], 60),
            "price": x[:, 1],
            "second price": rng.normal(size=60),
            "kind": np.repeat(["a", "b", "c"], 20),
            "code": np.tile([0, 1, 2, 5], 15),
            "truth": np.tile([True, False], 30),
            "day": pd.date_range("2024-01-01", periods=60),
            "name": [f"row {i}" for i in range(60)],
        }
    )


def ask(frame: pd.DataFrame, *arguments: object, **options: object) -> Question:
    return pose(read_table(frame, seed=0), *arguments, **options)


def whats(question: Question) -> list[str]:
    return [notice.what for notice in question.notices]


def test_one_number(frame):
    question = ask(frame, "price")
    assert question.task == "regression"
    assert np.array_equal(question.values[:, 0], frame["price"])
    assert list(question.features) == ["x", "colour", "second price", "kind", "code", "truth"]
    assert whats(question) == ["left out", "left out"]


def test_several_numbers(frame):
    question = ask(frame, ["price", "second price"])
    assert question.task == "regression"
    assert question.values.shape == (60, 2)
    assert not {"price", "second price"} & set(question.features)


def test_labels_are_classes(frame):
    question = ask(frame, "kind")
    assert question.task == "classification"
    assert question.classes == ("a", "b", "c")
    assert question.values.tolist() == frame["kind"].tolist()


@pytest.mark.parametrize(("target", "classes"), [("code", ("0", "1", "2", "5")), ("truth", ("0", "1"))])
def test_few_whole_numbers_are_classes_unless_told_otherwise(frame, target, classes):
    question = ask(frame, target)
    assert question.task == "classification"
    assert question.classes == classes
    assert "task" in whats(question)
    assert "task" not in whats(ask(frame, target, task="classification"))
    told = ask(frame, target, task="regression")
    assert told.task == "regression"
    assert told.values[:, 0].tolist() == frame[target].tolist()


@pytest.mark.parametrize(
    "values",
    [
        np.arange(60) % 15,  # 4 rows for each
        np.arange(60) % 4 / 2,  # halves
        np.r_[np.arange(58) % 4, 9, 9],  # two rows are too few for a class
    ],
)
def test_other_numbers_are_quantities(frame, values):
    assert ask(frame.assign(code=values), "code").task == "regression"


def test_classes_are_in_the_order_of_numbers(frame):
    assert ask(frame.assign(code=np.tile([10, 9, -1], 20)), "code").classes == ("-1", "9", "10")


def test_the_source_may_name_its_target():
    question = pose(read_table("wine", seed=0))
    assert question.task == "classification"
    assert question.classes == ("class_0", "class_1", "class_2")
    assert pose(read_table("digits", seed=0)).classes == tuple("0123456789")
    assert pose(read_table("diabetes", seed=0)).task == "regression"


def test_rows_without_a_target_are_left_out(frame):
    frame.loc[[3, 5], "price"] = [np.nan, np.inf]
    question = ask(frame, "price")
    assert question.rows == 58
    assert "missing in 2 rows of 60" in next(n for n in question.notices if n.what == "missing target").sentence
    assert question.features.index.tolist() == [i for i in range(60) if i not in (3, 5)]


def same(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def having(**columns: object) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda frame: frame.assign(**columns)


MISTAKES: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], object, dict[str, object], str]] = {
    "no target": (same, (), {}, "Name the target, one of the columns 'x', 'colour'"),
    "absent": (same, "Prise", {}, "no column 'Prise' for the target. Did you mean 'price'?"),
    "absent, nothing near": (same, "qqq", {}, "no column 'qqq' .* Its columns: 'x', "),
    "twice": (same, ["x", "x"], {}, "named twice"),
    "date": (same, "day", {}, "target 'day' holds dates"),
    "text": (same, "name", {}, "target 'name' is free text"),
    "empty": (having(price=np.nan), "price", {}, "target 'price' is empty"),
    "constant": (having(price=2.5), "price", {}, "is constant, always 2.5"),
    "one class": (having(kind="a"), "kind", {}, "is a single class, always 'a':"),
    "one class of two lines": (having(kind="a\nb"), "kind", {}, r"is a single class, always 'a\\nb':"),
    "single row": (having(kind=["s"] + ["a"] * 59), "kind", {}, "a single row is all that there is of 's'"),
    "single row of two lines": (having(kind=["s\nt"] + ["a"] * 59), "kind", {}, r"there is of 's\\nt': leave"),
    "two rows": (having(kind=["p", "p"] + ["a"] * 58), "kind", {}, "fewer than 3 is all .* of 'p'"),
    "many classes": (having(price=range(60)), "price", {"task": "classification"}, "60 classes in 60 rows"),
    "few rows": (lambda frame: frame[:20], "price", {}, "has 20 rows in all: an audit needs at least 30"),
    "few known": (having(price=[*range(20)] + [None] * 40), "price", {}, "20 rows with a known target 'price'"),
    "labels as numbers": (same, "kind", {"task": "regression"}, "holds labels, and regression needs numbers"),
    "several with labels": (same, ["price", "kind"], {}, "Several targets must be numbers, and 'kind'"),
    "several classes": (same, ["price", "x"], {"task": "classification"}, "takes one target, not 2"),
    "task": (same, "price", {"task": "ranking"}, "Unknown task 'ranking'"),
    "left out": (same, "price", {"leave_out": ["price"]}, "is the target, it cannot be left out"),
    "kept, target": (same, "price", {"keep": ["price"]}, "cannot be kept as a feature"),
    "kept, absent": (same, "price", {"keep": ["colours"]}, "Did you mean 'colour'"),
    "kept, left out": (same, "price", {"keep": ["x"], "leave_out": ["x"]}, "both to be kept and to be left out"),
    "kept, a date": (same, "price", {"keep": ["day"]}, "holds dates or times: there is nothing in it to keep"),
    "left out, absent": (same, "price", {"leave_out": ["colours"]}, "Did you mean 'colour'"),
    "no features": (lambda frame: frame[["price", "day"]], "price", {}, "to learn from: 'day' cannot be used"),
    "all left out": (lambda frame: frame[["price", "x"]], "price", {"leave_out": ["x"]}, "no column to learn from"),
    "all constant": (
        lambda frame: frame[["price"]].assign(u=1, v="a"), "price", {}, r"all are constant \('u' and 'v'\)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_has_its_sentence(frame, mistake):
    spoil, target, options, sentence = MISTAKES[mistake]
    with pytest.raises(InputError, match=sentence) as caught:
        ask(spoil(frame), target, **options)
    assert "\n" not in str(caught.value)


def test_a_target_whose_name_occurs_twice_is_refused(frame):
    double = pd.concat([frame, frame[["price"]]], axis=1)
    with pytest.raises(InputError, match="several columns called 'price'"):
        ask(double, "price")
    assert "names" in whats(ask(double, "x"))


@pytest.mark.parametrize(
    "disguise",
    [
        lambda y: y,
        lambda y: -3 * y + 100,
        lambda y: np.round(1000 * y),
        lambda y: np.where(np.arange(60) % 5, y, np.nan),
    ],
)
def test_copies_of_the_target_are_left_out_unless_they_are_kept(frame, disguise):
    copied = frame.assign(copy=disguise(frame["price"].to_numpy()))
    question = ask(copied, "price")
    said = [notice for notice in question.notices if notice.what == "copy"]
    assert [notice.where for notice in said] == ["copy"]
    assert "--keep copy keeps it" in said[0].sentence
    assert "copy" not in question.features
    kept = ask(copied, "price", keep=["copy"])
    assert "copy" in kept.features
    assert [notice.where for notice in kept.notices if notice.what == "leak"] == ["copy"]
    left = ask(copied, "price", leave_out=["copy"])
    assert not {"copy", "leak"} & set(whats(left))
    assert "copy" not in left.features


def test_a_copy_is_kept_where_nothing_else_is_left(frame):
    question = ask(pd.DataFrame({"x": frame["price"] * 2, "price": frame["price"]}), "price")
    assert list(question.features) == ["x"]
    assert any("nothing else is left to learn from, so it is kept" in n.sentence for n in question.notices)


def test_classes_under_other_names_are_copies(frame):
    copies = frame.assign(number=frame["kind"].map({"a": 3, "b": 1, "c": 2}), name=frame["kind"].str.upper())
    assert [notice.where for notice in ask(copies, "kind").notices if notice.what == "copy"] == ["name", "number"]


TELLING = {
    "rises with it": ("price", lambda frame, rng: np.exp(frame["price"]), "rises or falls with it throughout"),
    "a near copy": ("price", lambda frame, rng: frame["price"] + 3e-3 * rng.normal(size=60), "nearly a copy"),
    "finer classes": ("kind", lambda frame, rng: frame["kind"] + rng.choice(["1", "2"], 60), "have one class"),
    "zero in one class alone": (
        "kind", lambda frame, rng: np.where(frame["kind"] == "b", 0, rng.uniform(1, 9, 60)), "is 0 in all rows of the"
    ),
    "missing in one class alone": (
        "kind", lambda frame, rng: np.where(frame["kind"] == "b", np.nan, rng.normal(size=60)), "is missing in all rows"
    ),
    "a label of one class alone": (
        "kind", lambda frame, rng: np.where(frame["kind"] == "b", "paid", rng.choice(["late", "due"], 60)), "is 'paid'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TELLING)
def test_a_column_that_tells_the_target_is_left_out_unless_it_is_kept(frame, rng, what):
    target, make, words = TELLING[what]
    telling = frame.assign(told=make(frame, rng))
    question = ask(telling, target)
    said = [notice.sentence for notice in question.notices if notice.what == "copy"]
    assert "told" not in question.features
    assert len(said) == 1
    assert words in said[0]
    assert said[0].endswith("it is left out (--keep told keeps it).")
    kept = ask(telling, target, keep=["told"])
    assert "told" in kept.features
    assert [notice.where for notice in kept.notices if notice.what == "leak"] == ["told"]


def test_a_value_of_one_class_that_some_other_row_has_tells_nothing(frame, rng):
    for class_of_row in (0, 1):  # another class has the value; or some row of the class has another
        value = np.where(frame["kind"] == "b", 0, rng.uniform(1, 9, 60))
        other = np.flatnonzero((frame["kind"] == "b") == bool(class_of_row))[0]
        value[other] = 3.3 * class_of_row
        assert "told" in ask(frame.assign(told=value), "kind").features


def test_a_value_of_a_class_of_few_rows_may_be_chance(rng):
    made = pd.DataFrame({"x": rng.normal(size=60), "y": np.where(np.arange(60) < 3, "rare", "usual")})
    assert "flag" in ask(made.assign(flag=np.where(np.arange(60) < 3, 1, 2 + np.arange(60) % 3)), "y").features


ROW_NUMBERS = {
    "from 1": lambda rng: np.arange(1, 61),
    "from 0, as floats": lambda rng: np.arange(60.0),
    "shuffled": lambda rng: rng.permutation(60) + 1,
    "backwards, by tens": lambda rng: 1000 - 10 * np.arange(60),
    "with rows lost": lambda rng: np.sort(rng.choice(75, 60, replace=False)),
    "with repeats": lambda rng: np.append(np.arange(58), [3, 7]),
    "rising with every row": lambda rng: np.cumsum(rng.integers(1, 10**5, 60)),
    "falling with every row": lambda rng: 10**9 - np.cumsum(rng.integers(1, 10**5, 60)),
}


@pytest.mark.parametrize("kind", ROW_NUMBERS)
def test_row_numbers_are_left_out_unless_they_are_kept(frame, rng, kind):
    numbered = frame.assign(rownames=ROW_NUMBERS[kind](rng), other=ROW_NUMBERS[kind](rng))
    question = ask(numbered, "price")
    assert not {"rownames", "other"} & set(question.features)
    said = {notice.where: notice.sentence for notice in question.notices if notice.what == "row number"}
    assert "it is left out (--keep rownames keeps it)." in said["rownames"]
    kept = ask(numbered, "price", keep=["rownames"])
    assert "rownames" in kept.features
    assert "other" not in kept.features
    assert ask(numbered, "rownames").names == ("rownames",), "it may be what is asked about"


GAPS = {
    "one missing": lambda: np.where(np.arange(60) == 7, np.nan, np.arange(60.0)),
    "the first missing": lambda: np.where(np.arange(60) == 0, np.nan, np.arange(60.0)),
    "one total": lambda: [*map(str, range(59)), "total"],
    "one without digits": lambda: [*map(str, range(30)), "", *map(str, range(31, 60))],
    "steps of a half": lambda: 0.5 * np.arange(60),
    "steps of a tenth": lambda: 0.1 * np.arange(60),
    "each twice": lambda: np.arange(60) // 2,
    "each twice, shuffled": lambda: np.random.default_rng(0).permutation(np.arange(60) % 30),
}


@pytest.mark.parametrize("kind", GAPS)
@pytest.mark.parametrize("name", ["id", "rownames"])
def test_row_numbers_with_gaps_and_keys_of_pairs_are_left_out(frame, kind, name):
    question = ask(frame.assign(**{name: GAPS[kind]()}), "price")
    assert name not in question.features
    assert [notice.where for notice in question.notices if notice.what == "row number"] == [name]


def test_a_column_that_is_mostly_missing_is_no_row_number(frame):
    assert "other" in ask(frame.assign(other=np.where(np.arange(60) % 4, np.arange(60.0), np.nan)), "price").features


def test_numbers_beyond_every_float_are_told(frame):
    large = frame.assign(large=[str(10**400 + i) for i in range(60)])
    for table in (large, large.assign(large=[10**400 + i for i in range(60)])):
        said = {notice.what: notice.sentence for notice in ask(table, "price").notices if notice.where == "large"}
        assert "has 60 values infinite or beyond 1e+100" in said["infinite"]


@pytest.mark.parametrize(
    "name", ["id", "PassengerId", "customer_id", "Row Names", "ORDER_ID", "id_patient", "caseid", "IDX"]
)
def test_keys_by_name_are_left_out(frame, rng, name):
    key = rng.choice(10**7, 60, replace=False)
    assert name not in ask(frame.assign(**{name: key}), "price").features
    assert name in ask(frame.assign(**{name: key % 9}), "price").features, "repeats: groups, not rows"
    assert "size" in ask(frame.assign(size=key), "price").features, "whole numbers that are measured"


ORDINARY = {
    "measured": lambda rng, n: rng.normal(size=n),
    "measured, in order": lambda rng, n: np.sort(rng.normal(size=n)),
    "large whole numbers, in order but for two": lambda rng, n: np.sort(rng.choice(10**6, n, replace=False))[
        [1, 0, *range(2, n)]
    ],
    "whole numbers from a range as long": lambda rng, n: rng.integers(0, n, n),
    "whole numbers from a longer range": lambda rng, n: rng.integers(0, 3 * n, n),
    "counts": lambda rng, n: rng.poisson(40, n),
    "ages": lambda rng, n: np.round(rng.normal(40, 12, n)),
    "few in turn": lambda rng, n: np.arange(n) % 12,
    "a grid of measured values": lambda rng, n: np.linspace(0, 1, n),
    "years": lambda rng, n: 1950 + np.arange(n) // 2,
}


@pytest.mark.parametrize("kind", ORDINARY)
@pytest.mark.parametrize("rows", [30, 200, 1000])
def test_ordinary_numbers_are_no_row_numbers(kind, rows):
    for seed in range(20):
        rng = np.random.default_rng([seed, rows])
        made = pd.DataFrame(
            {"x": rng.normal(size=rows), "column": ORDINARY[kind](rng, rows), "y": rng.normal(size=rows)}
        )
        assert "column" in ask(made, "y").features


def test_the_row_number_of_a_sample_of_the_rows_is_found(rng):
    rows = 3000
    made = pd.DataFrame({"shuffled": rng.permutation(rows), "n": np.arange(rows), "x": rng.normal(size=rows)})
    made["whole"], made["y"] = rng.integers(0, 10**7, rows), rng.normal(size=rows)
    question = pose(read_table(made, seed=0, rows=500), "y")
    assert list(question.features) == ["x", "whole"]


def test_a_row_number_is_kept_where_nothing_else_is_left(rng):
    made = pd.DataFrame({"x": np.arange(60), "y": rng.normal(size=60)})
    question = ask(made, "y")
    assert list(question.features) == ["x"]
    assert any("so it is kept" in notice.sentence for notice in question.notices)


def test_good_features_are_no_leaks(frame, rng):
    near = frame.assign(near=frame["price"] + 0.01 * rng.normal(size=60), part=frame["kind"].replace("c", "b"))
    assert "leak" not in whats(ask(near, "price"))
    assert "leak" not in whats(ask(near, "kind"))


def test_rows_that_repeat_are_told(frame):
    assert "repeated rows" in whats(ask(pd.concat([frame, frame[:5]]).drop(columns=["day", "name"]), "price"))


def test_numbers_are_scaled_by_the_training_rows_and_back(frame):
    asked = ask(frame, ["price", "second price"])
    targets = Targets.fit(asked, np.arange(40))
    coded = targets.encode(asked.values)
    assert np.allclose(coded[:40].mean(axis=0), 0)
    assert np.allclose(coded[:40].std(axis=0), 1)
    assert np.allclose(targets.decode(coded), asked.values, rtol=1e-14)
    changed = asked.values.copy()
    changed[40:] += 1000
    assert Targets.fit(replace(asked, values=changed), np.arange(40)) == targets
    assert validated(Targets, targets.model_dump(mode="json")) == targets
    assert targets.outputs == 2


def test_classes_are_columns_and_back(frame):
    asked = ask(frame, "kind")
    targets = Targets.fit(asked, np.arange(40))
    coded = targets.encode(asked.values)
    assert coded.sum(axis=0).tolist() == [20, 20, 20]
    assert targets.decode(coded - 0.3).tolist() == asked.values.tolist()
    assert validated(Targets, targets.model_dump(mode="json")) == targets
    with pytest.raises(InputError, match="'z' is none of the classes a, b, c"):
        targets.encode(np.array(["a", "z"]))
