"""kernelgap predict, as a user types it."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from kernelgap.audit.models import save_model
from kernelgap.cli import main
from kernelgap.cli import predict as command
from support import fitted

NEW = fitted.table(8, seed=4)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["kernelgap", "predict", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        printed = capsys.readouterr()
        return exit_.value.code or 0, printed.out, printed.err

    (tmp_path / "audit").mkdir()
    save_model(fitted.table_model("gaussian"), "audit/model.safetensors")
    save_model(fitted.table_model("linear", fitted.CLASSES), "classes.safetensors")
    NEW.to_csv("new.csv", index=False)
    return run


def test_csv_in_csv_out(run):
    code, out, err = run("audit", "new.csv")
    assert (code, err) == (0, "The model is of gaussian.\n")
    found = pd.read_csv(io.StringIO(out))
    assert list(found) == ["row", "price", "age"]
    assert found["row"].tolist() == list(range(8))
    np.testing.assert_allclose(found[["price", "age"]], fitted.table_model("gaussian").predict(NEW), rtol=1e-13)


def test_text_comes_in_pieces(run, monkeypatch):
    whole = run("audit", "new.csv")
    monkeypatch.setattr(command, "ROWS", 3)
    assert run("audit", "new.csv") == whole


def test_parquet_with_other_columns_and_the_target(run, tmp_path):
    known = fitted.table_model("linear", fitted.CLASSES).predict(NEW)["kind"]
    NEW[["colour", "size", "weight"]].assign(kind=known, note="x").to_parquet("new.parquet")
    code, out, err = run("classes.safetensors", "new.parquet")
    assert code == 0
    assert out.splitlines()[0] == "row,kind,score a,score b,score c"
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == known.tolist()
    assert "8 rows whose 'kind' is known, 100.0% are predicted right" in err
    assert "less well on new ones" in err


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_out(run, tmp_path, ending):
    code, out, err = run("audit", "new.csv", "--out", f"found.{ending}")
    assert (code, out) == (0, "")
    assert f"Predictions for 8 rows are in found.{ending}." in err
    read = {"csv": pd.read_csv, "tsv": lambda path: pd.read_csv(path, sep="\t"), "parquet": pd.read_parquet}
    found = read[ending](f"found.{ending}")
    np.testing.assert_allclose(found[["price", "age"]], fitted.table_model("gaussian").predict(NEW), rtol=1e-12)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit", "classes.safetensors", f"found.{ending}", "new.csv"]


def test_json(run):
    NEW.assign(price=np.arange(8.0), colour=["pink", *NEW["colour"][1:]]).to_csv("new.csv", index=False)
    code, out, err = run("audit", "new.csv", "--json")
    assert code == 0
    assert out.count("\n") == 1
    record = json.loads(out)
    assert (record["rows"], record["task"], record["targets"]) == (8, "regression", ["price", "age"])
    assert [set(each) for each in record["predictions"]] == [{"row", "price", "age"}] * 8
    assert record["quality"][0]["rmse"] > 0
    assert [notice["what"] for notice in record["notices"]] == ["unseen"]
    assert "'pink'" in err
    record = json.loads(run("audit", "new.csv", "--json", "--out", "found.csv")[1])
    assert record["out"] == "found.csv"
    assert "predictions" not in record


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "nothing.csv"], "There is no file nothing.csv"),
        (["nothing", "new.csv"], "There is no file 'nothing'"),
        (["new.csv", "audit"], "'new.csv' is not a model that kernelgap saved"),
        (["audit", "lacking.csv"], "lacks columns that were there in training: 'colour'"),
        (["audit", "empty.csv"], "is empty"),
        (["audit", "new.csv", "--out", "found.xlsx"], "Unknown ending of a table '.xlsx'"),
        (["audit", "new.csv", "--out", "new.csv"], "would overwrite 'new.csv'"),
        (["audit", "new.csv", "--out", "no/found.csv"], "There is no folder 'no'"),
        (["audit"], "Missing argument"),
    ],
)
def test_mistakes_exit_with_2_and_a_sentence(run, tmp_path, arguments, words):
    NEW[["size", "weight"]].to_csv("lacking.csv", index=False)
    (tmp_path / "empty.csv").write_text("")
    before = (tmp_path / "new.csv").read_bytes()
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert (tmp_path / "new.csv").read_bytes() == before
    assert not list(tmp_path.glob("*.partial"))
