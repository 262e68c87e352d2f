"""Predictions for tables: against computations by hand, with columns in any order, and how good they are."""

import numpy as np
import pandas as pd
import pytest

from kernelgap.audit.models import TableModel, predict_table, table_model
from kernelgap.audit.tables.preparing import Preparation
from kernelgap.audit.tables.reading import raw
from kernelgap.audit.tables.reading import read as reading
from kernelgap.audit.tables.targets import Targets
from kernelgap.errors import InputError
from kernelgap.models import LinearModel
from support import fitted


def by_hand(model, frame):
    """Outputs of a linear model for the fitted table, from the columns themselves."""
    known = fitted.table()
    rows = []
    for size, weight, colour in zip(frame["size"], frame["weight"], frame["colour"], strict=True):
        numbers = [(size - known["size"].mean()) / known["size"].std(ddof=0)]
        numbers += [(weight - known["weight"].mean()) / known["weight"].std(ddof=0)]
        rows.append(numbers + [float(colour == level) for level in sorted(fitted.COLOURS)])
    return np.array(rows) @ model.weights + model.offset


def test_numbers_are_scaled_back():
    trained, new = fitted.table_model("linear"), fitted.table(20, seed=3)
    found = trained.predict(new)
    assert list(found) == ["price", "age"]
    np.testing.assert_allclose(found, by_hand(trained.model, new) * [20, 0.5] + [100, -1], rtol=1e-10)


def test_classes_and_their_scores():
    trained, new = fitted.table_model("linear", fitted.CLASSES), fitted.table(20, seed=3)
    found = trained.predict(new)
    outputs = by_hand(trained.model, new)
    assert list(found) == ["kind", "score a", "score b", "score c"]
    assert found["kind"].tolist() == ["abc"[i] for i in outputs.argmax(axis=1)]
    np.testing.assert_allclose(found.iloc[:, 1:], outputs, rtol=1e-10)
    assert len(set(found["kind"])) > 1


def test_names_that_would_occur_twice():
    targets = Targets(names=("score a",), task="classification", classes=("a", "row"))
    trained = fitted.table_model("linear", targets)
    assert list(trained.predict(fitted.table(3))) == ["score a", "score a.2", "score row"]
    targets = Targets(names=("row",), task="regression", means=(0.0,), scales=(1.0,))
    assert fitted.table_model("linear", targets).predict(fitted.table(3)).index.name == "row.2"


def test_parts_must_fit():
    with pytest.raises(InputError, match="makes 5 columns, and the model takes 4"):
        TableModel(fitted.model("linear", 2, d=4), fitted.preparation(), fitted.REGRESSION)
    with pytest.raises(InputError, match="3 columns, and the model gives 2"):
        TableModel(fitted.model("linear", 2), fitted.preparation(), fitted.CLASSES)


def test_blocks_of_rows_change_nothing(monkeypatch):
    trained, new = fitted.table_model("linear"), fitted.table(20, seed=3)
    whole = trained.predict(new)
    monkeypatch.setattr(table_model, "BLOCK", 15)
    pd.testing.assert_frame_equal(trained.predict(new), whole, rtol=1e-13)
    assert trained.predict(new.iloc[:0]).shape == (0, 2)


def test_a_comma_is_read_the_same_in_all_rows(monkeypatch):
    new = fitted.table(6, seed=3)
    new["size"] = [1.5, 2.25, 1.125, 4.0, 3.5, 0.5]
    whole = fitted.table_model().predict(new)
    monkeypatch.setattr(table_model, "BLOCK", 5)
    texts = new.assign(size=["1,5", "2,25", "1,125", "4", "3,5", "0,5"])
    pd.testing.assert_frame_equal(fitted.table_model().predict(texts), whole, rtol=1e-13)


def test_other_orders_and_other_columns_are_fine():
    trained, new = fitted.table_model("gaussian"), fitted.table(20, seed=3)
    found = predict_table(trained, new)
    moved = new[["colour", "weight", "size"]].assign(note="some text", when=pd.Timestamp(0), price_before=3.0)
    again = predict_table(trained, moved)
    assert again.table.equals(found.table)
    assert (found.notices, found.quality, again.notices, again.quality) == ((), (), (), ())
    assert found.table.index.tolist() == list(range(20))
    assert found.table.index.name == "row"


def test_one_row_and_one_column(tmp_path):
    (tmp_path / "t.csv").write_text("colour,size,weight\nred,3,0.5\n")
    trained = fitted.table_model("linear")
    found = predict_table(trained, tmp_path / "t.csv").table
    one = pd.DataFrame({"size": [3.0], "weight": [0.5], "colour": ["red"]})
    np.testing.assert_allclose(found, by_hand(trained.model, one) * [20, 0.5] + [100, -1], rtol=1e-10)
    prepared = Preparation.fit(pd.DataFrame({"x": [0.0, 2.0]}))
    targets = Targets(names=("y",), task="regression", means=(1.0,), scales=(10.0,))
    line = TableModel(LinearModel(np.array([[2.0]]), np.zeros(1)), prepared, targets)
    (tmp_path / "t.csv").write_text("x\n3\n\n1\n")
    assert predict_table(line, tmp_path / "t.csv").table["y"].tolist() == [41.0, 1.0]
    np.savez(tmp_path / "t.npz", X=np.array([[3.0]]))
    line = TableModel(line.model, Preparation.fit(pd.DataFrame({"x0": [0.0, 2.0]})), targets)
    assert predict_table(line, tmp_path / "t.npz").table["y"].tolist() == [41.0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("size,weight\n1,2\n", "lacks columns that were there in training: 'colour'"),
        ("colour\nred\n", "'size' and 'weight'"),
        ("size,weight,colour\n", "no rows: there is nothing to predict"),
        ("", "is empty"),
    ],
)
def test_what_cannot_be_predicted(content, words, tmp_path):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(InputError, match=words):
        predict_table(fitted.table_model(), tmp_path / "t.csv")


def test_dates_in_place_of_labels():
    new = fitted.table(5).assign(colour=pd.Timestamp(0))
    with pytest.raises(InputError, match="'colour' of The data frame holds dates or times, where labels"):
        predict_table(fitted.table_model(), new)


def test_unseen_labels_gaps_and_words_are_told_and_predicted():
    new = fitted.table(5, seed=3)
    strange = new.assign(colour=["pink", None, *new["colour"][2:]], size=["much", *map(str, new["size"][1:])])
    found = predict_table(fitted.table_model(), strange)
    assert sorted({notice.what for notice in found.notices}) == ["missing", "not numbers", "unseen"]
    frequent = fitted.table()["colour"].mode()[0]
    plain = new.assign(colour=[frequent, frequent, *new["colour"][2:]])
    plain.loc[0, "size"] = fitted.table()["size"].median()
    pd.testing.assert_frame_equal(found.table, predict_table(fitted.table_model(), plain).table, rtol=1e-13)


def test_what_overflows_is_refused_with_its_row():
    new = fitted.table(5, seed=3)
    new.loc[3, "size"] = 1e60
    with pytest.raises(InputError, match="overflows in row 3"):
        predict_table(fitted.table_model("3resnet"), new)
    assert np.isfinite(predict_table(fitted.table_model("linear"), new).table).all(axis=None)


def test_a_sample_of_the_rows_will_not_do(monkeypatch):
    monkeypatch.setattr(raw, "rows_that_fit", lambda size: 16)
    with pytest.raises(InputError, match=r"has 20 rows, and the free memory is enough for 16: cut it"):
        predict_table(fitted.table_model(), fitted.table(20))
    assert len(predict_table(fitted.table_model(), fitted.table(16)).table) == 16


def test_how_good_numbers_are():
    trained, new = fitted.table_model("linear"), fitted.table(20, seed=3)
    price = np.arange(20.0)
    price[[3, 4]] = np.nan
    found = predict_table(trained, new.assign(price=price))
    (judged,) = found.quality
    error = (price - found.table["price"]).dropna()
    assert (judged.target, judged.rows) == ("price", 18)
    assert judged.rmse == pytest.approx(np.sqrt((error**2).mean()))
    assert judged.r2 == pytest.approx(1 - (error**2).mean() / np.nanvar(price))
    assert "18 rows whose 'price' is known" in judged.sentence
    assert "R^2" in judged.sentence
    one = predict_table(trained, new.iloc[:1].assign(price=3.0)).quality[0]
    assert (one.rows, one.r2) == (1, None)
    assert "R^2" not in one.sentence
    assert predict_table(trained, new.assign(price=np.nan)).quality == ()
    as_text = predict_table(trained, new.assign(price=[f"{p:g}" if p == p else "" for p in price])).quality[0]
    assert as_text == judged


def test_how_good_classes_are():
    trained, new = fitted.table_model("linear", fitted.CLASSES), fitted.table(20, seed=3)
    truth = trained.predict(new)["kind"].tolist()
    truth[0], truth[1] = "other", None
    truth[2] = next(name for name in "abc" if name != truth[2])
    (judged,) = predict_table(trained, new.assign(kind=truth)).quality
    assert (judged.rows, judged.strange) == (19, 1)
    assert judged.accuracy == pytest.approx(17 / 19)
    assert judged.sentence == (
        "In the 19 rows whose 'kind' is known, 89.5% are predicted right; "
        "1 row of a class that the model does not know."
    )


@pytest.mark.parametrize("written", [[1.0, 0.0], ["True", "false"], ["1", "0"], ["1.0", "0.0"], [True, False]])
def test_classes_that_are_numbers_however_they_are_written(written):
    targets = Targets(names=("y",), task="classification", classes=("0", "1"))
    trained, new = fitted.table_model("linear", targets), fitted.table(30, seed=3)
    predicted = trained.predict(new)["y"].to_numpy()
    assert set(predicted) == {"0", "1"}
    truth = np.where(predicted == "1", *(np.array(value, dtype=object) for value in written))
    (judged,) = predict_table(trained, new.assign(y=truth)).quality
    assert (judged.accuracy, judged.strange) == (1.0, 0)
    (turned,) = predict_table(trained, new.assign(y=truth[::-1])).quality
    assert turned.accuracy == np.mean(predicted == predicted[::-1]) < 1


def test_a_table_to_learn_from_still_needs_rows_and_columns():
    with pytest.raises(InputError, match="a single row"):
        reading.read_table(fitted.table(1), seed=0)
    with pytest.raises(InputError, match="a single column"):
        reading.read_table(fitted.table(9)[["size"]], seed=0)
    assert reading.read_table(fitted.table(1)[["size"]], seed=0, to_learn=False).frame.shape == (1, 1)
