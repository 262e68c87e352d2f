"""Parquet, Feather, NPZ, bundled sets and data frames; and files that are none of these."""

import datetime
import os
import pickle
import struct
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from kernelgap import InputError
from kernelgap.audit.tables.reading.read import read_table


@pytest.fixture
def frame(rng):
    return pd.DataFrame(
        {
            "number": rng.normal(size=50),
            "count": rng.integers(0, 2**62, 50),
            "label": rng.choice(["a", "b"], 50),
            "truth": rng.random(50) < 0.5,
            "day": pd.date_range("2024-01-01", periods=50),
            "grade": pd.Categorical.from_codes(rng.integers(0, 3, 50), ["low", "mid", "top"]),
            "parts": [[1, 2]] * 50,
            "money": [Decimal(i) / 10 for i in range(50)],
            "date": [datetime.date(2024, 1, 1)] * 50,
            "nullable": pd.array([1, None] * 25, dtype="Int64"),
            "bytes": [b"x"] * 50,
        }
    )


KINDS = {
    "number": "number", "count": "number", "label": "label", "truth": "number", "day": "date", "grade": "label",
    "parts": "other", "money": "number", "date": "date", "nullable": "number", "bytes": "other",
}  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "pq", "feather", "arrow"])
def test_columnar_files_keep_their_types(frame, tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    (frame.to_parquet if "p" in ending else frame.to_feather)(path)
    table = read_table(path, seed=0)
    assert dict(table.kinds) == KINDS
    assert np.array_equal(table.frame["number"], frame["number"])
    assert table.frame["money"].tolist() == [i / 10 for i in range(50)]
    assert np.isnan(table.frame["nullable"]).tolist() == [False, True] * 25
    assert [notice.what for notice in table.notices] == ["rounded"]


def test_a_data_frame(frame):
    table = read_table(frame, seed=0)
    assert dict(table.kinds) == KINDS
    assert table.frame["grade"].tolist() == [str(grade) for grade in frame["grade"]]
    with pytest.raises(InputError, match="several levels"):
        read_table(pd.DataFrame({("a", "b"): [1, 2], ("a", "c"): [1, 2]}), seed=0)


def test_integers_beyond_every_type():
    frame = pd.DataFrame({"a": [10**30, 1, 2], "b": [10**400, 1, 2], "c": [1j, 2, 3]}, dtype=object)
    table = read_table(frame, seed=0)
    assert table.frame["a"].tolist() == [1e30, 1, 2]
    assert np.isnan(table.frame["b"][0])
    assert table.kinds["c"] == "other"
    assert [notice.what for notice in table.notices] == ["rounded", "infinite"]


def test_a_saved_index_is_left_out(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, 4], "b": [3.0, 1, 2]})
    frame.iloc[[0, 1, 2]].to_csv(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", seed=0).kinds["column_1"] == "counter"
    pa.parquet.write_table(pa.Table.from_pandas(frame, preserve_index=True), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", seed=0).kinds["__index_level_0__"] == "counter"


def test_repeated_names_in_parquet(tmp_path):
    pa.parquet.write_table(pa.table([[1, 2], [3, 5], [4, 4]], names=["x", "x", "y"]), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", seed=0)
    assert list(table.frame) == ["x", "x.2", "y"]
    assert table.frame["x.2"].tolist() == [3, 5]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, rng, order, save, monkeypatch):
    monkeypatch.setattr("kernelgap.audit.tables.reading.binary.ROWS", 16)
    X, y = np.asarray(rng.normal(size=(50, 3)), order=order), rng.choice(["ja", "nein"], 50)
    save(tmp_path / "t.npz", X=X, y=y)
    table = read_table(tmp_path / "t.npz", seed=0)
    assert table.targets == ("y",)
    assert np.array_equal(table.frame[["x0", "x1", "x2"]], X)
    assert table.frame["y"].tolist() == y.tolist()


def test_npz_in_other_shapes(tmp_path, rng):
    X, y = rng.integers(0, 255, (20, 4, 5)).astype(">i2"), rng.normal(size=(20, 2))
    np.savez(tmp_path / "t.npz", data=X, target=y)
    table = read_table(tmp_path / "t.npz", seed=0)
    assert table.targets == ("y0", "y1")
    assert np.array_equal(table.frame.iloc[:, :20], X.reshape(20, 20))
    assert "4 x 5" in table.notices[0].sentence


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"X": np.zeros((3, 2))}, "no array y, only x"),
        ({"X": np.zeros((3, 2)), "y": np.zeros(4)}, "X has 3 rows and y has 4"),
        ({"X": np.zeros((3, 0)), "y": np.zeros(3)}, "the shape"),
        ({"X": np.zeros((3, 2)), "y": np.float64(3)}, "the shape"),
        ({"X": np.zeros((3, 2), complex), "y": np.zeros(3)}, "complex128"),
        ({"X": np.zeros((0, 2)), "y": np.zeros(0)}, "no rows"),
    ],
)
def test_npz_that_is_no_table(tmp_path, arrays, sentence):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(InputError, match=sentence):
        read_table(tmp_path / "t.npz", seed=0)


def write_npz(path, **arrays: tuple[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, (heading, content) in arrays.items():
            text = heading.encode() + b"\n"
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content)


@pytest.mark.parametrize(
    ("heading", "sentence"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (10000000, 10000000)}", "does not hold that much"),
        ("{'descr': '<f8', 'fortran_order': True, 'shape': (10000000, 10000000)}", "does not hold that much"),
        ("{'descr': '<U0', 'fortran_order': False, 'shape': (3, 2)}", "does not hold that much"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 2)}", "shape"),
        ("__import__('os').abort()", "not an array as numpy.savez writes it"),
    ],
)
def test_npz_with_false_headings(tmp_path, heading, sentence):
    y = ("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", bytes(24))
    write_npz(tmp_path / "t.npz", X=(heading, bytes(24)), y=y)
    with pytest.raises(InputError, match=sentence) as caught:
        read_table(tmp_path / "t.npz", seed=0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_too_many_columns(tmp_path, ending, monkeypatch):
    monkeypatch.setattr("kernelgap.audit.tables.table.MOST_COLUMNS", 4)
    frame = pd.DataFrame(np.zeros((3, 5)), columns=list("abcde"))
    path = tmp_path / f"t.{ending}"
    if ending == "npz":
        np.savez(path, X=frame.iloc[:, 1:], y=frame["a"])
    else:
        frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    with pytest.raises(InputError, match="has 5 columns, at most 4 can be used"):
        read_table(path, seed=0)


class Bomb:
    """Executes something when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_nothing_in_a_file_is_executed(tmp_path):
    bomb = Bomb(str(tmp_path / "executed"))
    np.savez(tmp_path / "t.npz", X=np.array([[bomb]], dtype=object), y=np.zeros(1))
    with pytest.raises(InputError, match="Python objects, which are never loaded"):
        read_table(tmp_path / "t.npz", seed=0)
    for ending in ("pkl", "npy", "joblib", "csv", "parquet", "npz"):
        path = tmp_path / f"t.{ending}"
        path.write_bytes(pickle.dumps(bomb))
        with pytest.raises(InputError):
            read_table(path, seed=0)
    assert not (tmp_path / "executed").exists()
    pickle.loads((tmp_path / "t.pkl").read_bytes())  # it would have
    assert (tmp_path / "executed").exists()


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.npz"])
@pytest.mark.parametrize("content", [b"", b"nonsense", b"PAR1PAR1", b"ARROW1\0\0", b"FEA1", b"PK\x03\x04"])
def test_damaged_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError):
        read_table(tmp_path / name, seed=0)


@pytest.mark.parametrize("ending", ["parquet", "feather", "npz"])
def test_files_cut_or_changed_anywhere(tmp_path, rng, ending):
    frame = pd.DataFrame({"x": rng.normal(size=40), "y": rng.choice(["a", "b"], 40)})
    whole = tmp_path / f"whole.{ending}"
    if ending == "npz":
        np.savez(whole, X=frame[["x"]], y=frame["y"].to_numpy(dtype=str))
    else:
        (frame.to_parquet if ending == "parquet" else frame.to_feather)(whole)
    content, path = whole.read_bytes(), tmp_path / f"t.{ending}"
    refused = 0
    for _ in range(150):
        broken = bytearray(content)
        broken[rng.integers(len(broken))] ^= int(rng.integers(1, 256))
        path.write_bytes(broken[: rng.integers(len(broken))] if rng.random() < 0.3 else broken)
        try:
            read_table(path, seed=0)
        except InputError:
            refused += 1
    assert refused > 40  # what is neither refused nor noticed has changed a value


def test_texts_that_begin_outside_of_a_feather_file(tmp_path):
    path = tmp_path / "t.feather"
    frame = pd.DataFrame({"x": np.arange(5.0), "y": ["a", "b", "c", "d", "e"]})
    frame.to_feather(path, compression="uncompressed")
    width = "<i8" if pa.types.is_large_string(pa.feather.read_table(path).schema.field("y").type) else "<i4"
    content, offsets = path.read_bytes(), np.arange(6, dtype=width)
    assert content.count(offsets.tobytes()) == 1
    offsets[2:4] = 2**30
    path.write_bytes(content.replace(np.arange(6, dtype=width).tobytes(), offsets.tobytes()))
    with pytest.raises(InputError, match=r"t\.feather cannot be read as Feather: .*offset"):
        read_table(path, seed=0)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("quite_another.csv", r"There is no file .*another.csv\.$"),
        ("tabel.csv", "Did you mean '.*table.csv'"),
        (".", "is a folder"),
        ("t.xlsx", "save the sheet as CSV"),
        ("t.csv.gz", "unpack it"),
        ("t.json", "files that end with one of"),
        ("a\0b.csv", "There is no file"),
        ("x" * 5000, "cannot be read"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, sentence):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n3,4\n")
    for other in ("t.xlsx", "t.csv.gz", "t.json"):
        (tmp_path / other).write_text("x")
    with pytest.raises(InputError, match=sentence):
        read_table(tmp_path / name, seed=0)


def test_an_address_is_not_fetched():
    with pytest.raises(InputError, match="download it"):
        read_table("https://example.org/t.csv", seed=0)


@pytest.mark.parametrize(
    ("name", "shape", "task"),
    [
        ("sklearn:diabetes", (442, 11), "regression"),
        ("digits", (1797, 65), "classification"),
        ("breast_cancer", (569, 31), "classification"),
        ("sklearn:wine", (178, 14), "classification"),
    ],
)
def test_bundled_sets(name, shape, task):
    table = read_table(name, seed=0)
    assert table.frame.shape == shape
    assert table.targets == ("target",)
    assert table.task == task


def test_bundled_sets_that_are_not():
    with pytest.raises(InputError, match="Did you mean 'wine'"):
        read_table("sklearn:wien", seed=0)
    with pytest.raises(InputError, match="downloaded"):
        read_table("sklearn:california_housing", seed=0)


def test_a_file_comes_before_a_bundled_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wine").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(InputError, match="files that end with"):
        read_table("wine", seed=0)
