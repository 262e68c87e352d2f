"""The best of each method, picked on test and on validation."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kernelgap.cli.show.figure import show_figure
from kernelgap.paper.figures import FigureRun, best_of_methods, summarise, under_threshold
from kernelgap.paper.figures.summary import sentence

INF = float("inf")


@pytest.fixture
def table():
    rows = [
        # method, width, seed, rate, validation, test, status
        ("3resnet(all)", 10, 0, 0.1, 0.5, 0.30, "done"),
        ("3resnet(all)", 10, 0, 0.2, 0.4, 0.35, "done"),
        ("3resnet(all)", 10, 1, 0.1, 0.6, 0.50, "done"),
        ("3resnet(all)", 10, 1, 0.2, INF, INF, "diverged"),
        ("2layer(all)", 10, 0, 0.1, 2.0, 2.1, "done"),
        ("2layer(all)", 20, 0, 0.1, INF, INF, "diverged"),
    ]
    table = pd.DataFrame(rows, columns=["method", "width", "seed", "rate", "validation_error", "test_error", "status"])
    table = table.assign(kind="sgd", mode="all", kernel=None, ridge=np.nan, decay=0.0)
    lines = pd.DataFrame(
        [
            ("ck2", "ck2", 0.01, 5.2, 5.1),
            ("ck2", "ck2(bias=True)", 0.1, 5.0, 5.15),
            ("arcsin", "arcsin", 0.1, 9.0, 9.1),
        ],
        columns=["method", "kernel", "ridge", "validation_error", "test_error"],
    ).assign(kind="ridge", seed=0, status="done")
    table = pd.concat([table, lines], ignore_index=True)
    return table.assign(test_standard_error=0.01, curves=[{"test": [1.0]}] * len(table)).astype({"width": "Int64"})


def run_with(table, folder="runs/x"):
    times = pd.DataFrame({"seconds": [1.0], "finished": [pd.Timestamp("2030-01-01")]})
    about = {"name": "x", "scale": "quick", "seed": 0, "title": "a table", "problem": "sec8", "samples": 500}
    return FigureRun(folder=Path(folder), table=table, times=times, **about)


def test_picks(table):
    summary = summarise(table).set_index(["method", "width"])
    row = summary.loc[("3resnet(all)", 10)]
    assert row.best_on_test == pytest.approx((0.30 + 0.50) / 2)
    assert row.best_on_validation == pytest.approx((0.35 + 0.50) / 2)
    assert (row.trials, row.diverged, row.seeds) == (4, 1, 2)
    assert row.standard_error == pytest.approx(np.std([0.35, 0.50], ddof=1) / np.sqrt(2))
    assert np.isnan(row.rate)
    assert summary.loc[("2layer(all)", 10)].standard_error == 0.01
    assert summary.loc[("2layer(all)", 20)].best_on_test == INF


def test_sentence(table):
    summary = summarise(table)
    assert under_threshold(summary, 1.35) == ["3resnet(all)"]
    assert sentence(summary, 1.35, 500) == (
        "3resnet(all) (test error 0.4 at width 10) got under the threshold 1.35 with 500 samples. "
        "Of the other networks the best was 2layer(all) (test error 2.1 at width 10). "
        "Of the kernel methods the best was ck2 (test error 5.1)."
    )
    none = sentence(summary, 0.1, 500)
    assert none.startswith("No method got under the threshold 0.1")
    assert "Of the networks the best was 3resnet(all)" in none


def test_a_kernel_has_no_width_and_its_best_arguments(table):
    row = summarise(table).set_index("method").loc["ck2"]
    assert pd.isna(row.width)
    assert (row.learner, row.best_on_test, row.best_on_validation) == ("kernel", 5.1, 5.15)
    assert (row.kernel, row.ridge, row.trials) == ("ck2(bias=True)", 0.1, 2)
    assert np.isnan(row.rate)


def test_a_ridge_at_the_edge_of_its_grid_is_marked(table, capsys):
    assert summarise(table).set_index(["method", "width"]).ridge_at_edge.to_dict() == {
        ("3resnet(all)", 10): False,
        ("2layer(all)", 10): False,
        ("2layer(all)", 20): False,
        ("ck2", pd.NA): True,
        ("arcsin", pd.NA): False,
    }
    show_figure(run_with(table))
    assert "ck2(bias=True), ridge 0.1 (edge)" in capsys.readouterr().out
    inside = table.iloc[[6]].assign(ridge=1.0)
    show_figure(run_with(pd.concat([table, inside], ignore_index=True)))
    assert "(edge)" not in capsys.readouterr().out


def test_networks_come_first_and_the_best_first_among_equals(table):
    assert best_of_methods(summarise(table)).method.tolist() == ["3resnet(all)", "2layer(all)", "ck2", "arcsin"]


def test_json_has_no_infinities(table):
    record = json.loads(json.dumps(run_with(table).as_record(), allow_nan=False))
    assert record["under_threshold"] == {"picked_on_test": ["3resnet(all)"], "picked_on_validation": ["3resnet(all)"]}
    assert [r["best_on_test"] for r in record["rows"] if r["width"] == 20] == [None]
    assert [(r["width"], r["rate"], r["kernel"]) for r in record["rows"] if r["method"] == "arcsin"] == [
        (None, None, "arcsin")
    ]


def test_exports(table, tmp_path):
    run = run_with(table.assign(problem="sec8", train_error=0.1), tmp_path)
    run.report()
    assert json.loads((tmp_path / "summary.json").read_text()) == json.loads(json.dumps(run.as_record()))
    assert pd.read_csv(tmp_path / "summary.csv").method.tolist() == summarise(table).method.tolist()
    assert len(pd.read_parquet(tmp_path / "trials.parquet")) == len(pd.read_csv(tmp_path / "trials.csv")) == 9
