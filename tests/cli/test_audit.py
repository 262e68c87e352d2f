"""kernelgap audit, as a user types it."""

import json
import sys

import numpy as np
import pytest

from kernelgap.cli import main
from kernelgap.reports.common import page as common
from kernelgap.reports.common import render
from support.audits import invented, table


@pytest.fixture
def kernelgap(tmp_path, monkeypatch, capsys):
    """The command, in this process and with invented contenders: its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(render.vl_convert, "javascript_bundle", lambda **_: "")
    monkeypatch.setattr(common, "_save", lambda folder, pictures, until: [])
    table().to_csv("houses.csv", index=False)

    def call(*arguments, **how):
        monkeypatch.setattr(sys, "argv", ["kernelgap", *map(str, arguments)])
        with invented(**how), pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, *capsys.readouterr()

    return call


def test_the_verdict_comes_first_and_the_table_last(kernelgap, tmp_path):
    code, out, err = kernelgap("audit", "houses.csv", "--target", "price", "--leave-out", "kind")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("Deploy 3resnet (the least validation error of 9 contenders): RMSE ")
    assert lines[2].startswith("The network is ahead: 3resnet has ")
    assert lines[3].startswith("- The difference of the errors is ")
    assert any(line.startswith(("The best kernel needs", "Extrapolated:", "With up to 153 samples")) for line in lines)
    assert any(line.startswith("Frozen at its start, 3resnet") for line in lines)
    heading = next(i for i, line in enumerate(lines) if line.startswith("contender "))
    assert lines[heading].split() == [
        "contender",
        "family",
        "error",
        "95%",
        "interval",
        "R^2",
        "RMSE",
        "fits",
        "seconds",
    ]
    assert lines[heading + 1].split()[:2] == ["3resnet", "network"]
    assert lines[heading + 1].split()[-2:] == ["8", "3.0"]
    assert "Report: runs/audit-houses/report.html" in err
    assert (tmp_path / "runs/audit-houses/report.html").exists()
    assert "There was no time" not in err


def test_classes_by_parquet_with_a_model_to_predict_with(kernelgap, tmp_path):
    table().drop(columns="price").to_parquet("houses.parquet")
    close = {"3resnet": 0.5, "gaussian": 0.5}
    code, out, err = kernelgap("audit", "houses.parquet", "--target", "kind", "--out", "found", levels=close)
    assert code == 0, err
    assert out.startswith("Deploy ")
    assert "\nUndecided" in out
    assert "Not shown: that the best network is better than the best kernel" in out
    assert "Of the test rows " in out
    assert "is right in " in out, "a constant guess has an accuracy"
    assert "accuracy" in out
    assert "R^2" not in out
    assert "The model of ridge is in found/model.safetensors. After the verdict it learned again" in err
    assert "from all 240 rows, test rows included" in err
    assert "kernelgap predict found NEW.csv" in err
    code, out, err = kernelgap("predict", "found", "houses.csv")
    assert code == 0, err
    assert out.startswith("row,kind,score large,score small")
    assert "The model is of ridge and learned from all 240 rows." in err


def test_json_is_one_object_and_nothing_else(kernelgap):
    code, out, err = kernelgap("audit", "houses.csv", "--target", "price", "--json")
    assert code == 0
    assert out.count("\n") == 1
    record = json.loads(out)
    assert record["verdict"]["outcome"] == "network ahead"
    assert record["deploy"].startswith("Deploy 3resnet")
    assert record["best"]["contender"] == "3resnet"
    assert (record["rows"], record["feature_columns"], record["task"]) == (240, 4, "regression")
    assert {row["contender"] for row in record["contenders"]} >= {"3resnet", "gaussian", "ridge", "3resnet(ntk)"}
    assert record["features"]["network"] == "3resnet"
    assert record["report"] == "runs/audit-houses/report.html"
    assert "Report:" in err


def test_what_happened_to_the_table_is_told_on_the_side(kernelgap):
    rough = table().assign(same=1.0, weight=lambda f: f.weight.where(f.weight > -1))
    rough.to_csv("rough.csv", index=False)
    code, out, err = kernelgap("audit", "rough.csv", "--target", "price", left=("trees",))
    assert code == 0
    assert "'same'" in err
    assert "'weight'" in err
    assert "There was no time in 5 min for 6 of" in err
    assert "'same'" not in out


def test_failed_parts_are_exit_code_1(kernelgap):
    code, out, err = kernelgap("audit", "houses.csv", "--target", "price", failing=("trees",))
    assert code == 1
    assert "\nThe network is ahead" in out
    last = err.strip().splitlines()[-1]
    assert last.startswith(
        "kernelgap: 6 parts failed and are missing above, first 'judging trees, 153 samples, seed 0'"
    )
    code, out, _ = kernelgap("status", "runs/audit-houses")
    assert code == 0
    assert out.splitlines()[0] == (
        "audit (houses.csv, price, seed 0): not running: give the same 'kernelgap audit' command to go on"
    )
    assert "failed   judging trees, 153 samples, seed 0: MemoryError: too wide" in out


def test_an_interruption_keeps_what_is_finished(kernelgap):
    """Before the first part is done; what is kept amid the work, and that the same call goes on, is tested there."""
    code, out, err = kernelgap("audit", "houses.csv", "--target", "price", interrupt=KeyboardInterrupt())
    assert (code, out) == (130, "")
    assert err.endswith(
        "kernelgap: interrupted; 0 of 14 chunks were finished and are kept. The same command goes on from there.\n"
    )


def test_the_page_once_more(kernelgap, tmp_path, monkeypatch):
    kernelgap("audit", "houses.csv", "--target", "price")
    page = tmp_path / "runs/audit-houses/report.html"
    page.unlink()
    code, out, err = kernelgap("report", "runs/audit-houses")
    assert (code, out.startswith("The network is ahead")) == (0, True)
    assert "Report: runs/audit-houses/report.html" in err
    assert "those of the end of the run" in page.read_text()
    record = json.loads(kernelgap("report", "runs/audit-houses", "--json")[1])
    assert record["verdict"]["outcome"] == "network ahead"
    assert kernelgap("status", "runs/audit-houses")[1].startswith("audit (houses.csv, price, seed 0): finished\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.csv", "--target", "price"], "There is no file nothing.csv"),
        (["houses.csv"], "Name the target, one of the columns 'size', 'weight', 'colour', 'price' and 'kind'."),
        (["houses.csv", "--target", "prise"], "Did you mean 'price'?"),
        (["empty.csv", "--target", "y"], "empty.csv is empty"),
        (["one.csv", "--target", "y"], "is a single class"),
        (["constant.csv", "--target", "y"], "is constant"),
        (["houses.csv", "--target", "kind", "--task", "regression"], "holds labels"),
        (["houses.csv", "--target", "price", "--task", "guess"], "Unknown task 'guess'"),
        (["houses.csv", "--target", "price", "--budget", "soon"], "length of time"),
        (["houses.csv", "--target", "price", "--leave-out", "price"], "cannot be left out"),
        (["houses.csv", "--target", "price", "--rows", "0"], "rows must be at least 1"),
        (["houses.csv", "--target", "price", "--seed", "-1"], "seed must be"),
        (["houses.csv", "--target", "price", "--workers", "0"], "at least 1 worker"),
        (["houses.csv", "--target", "price", "--workers", "100000000"], "workers are too many"),
        ([], "Missing argument"),
    ],
)
def test_mistakes_exit_with_2_and_a_sentence(kernelgap, tmp_path, arguments, words):
    (tmp_path / "empty.csv").write_text("")
    x = np.arange(40)
    table().head(40).assign(y="a").to_csv("one.csv", index=False)
    table().head(40).assign(y=1.5, z=x).to_csv("constant.csv", index=False)
    code, out, err = kernelgap("audit", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert not (tmp_path / "runs").exists()
