"""The best of each method, picked on test and on validation."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kernelgap.cli.show.figure import show_figure
from kernelgap.paper.figures import FigureRun, best_of_methods, summarise, under_threshold
from kernelgap.paper.figures.picks import means_of_settings
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


def test_one_setting_for_all_seeds(table):
    """Rate 0.2 has the least validation error of all and diverged for seed 1: its mean is infinite."""
    summary = summarise(table).set_index(["method", "width"])
    row = summary.loc[("3resnet(all)", 10)]
    assert (row.rate, row.seeds, row.trials, row.diverged) == (0.1, 2, 4, 1)
    assert row.validation_error == pytest.approx((0.5 + 0.6) / 2)
    assert row.best_on_validation == row["median"] == pytest.approx((0.30 + 0.50) / 2)
    assert (row.least, row.greatest) == (0.30, 0.50)
    assert row.standard_error == pytest.approx(np.std([0.30, 0.50], ddof=1) / np.sqrt(2))
    assert summary.loc[("2layer(all)", 10)].standard_error == 0.01
    assert summary.loc[("2layer(all)", 20)].best_on_test == INF


def of_settings(*settings):
    """Trials of one network: for each setting its (validation, test) errors over seeds."""
    rows = [
        ("net(all)", 10, seed, 0.1 * (i + 1), validation, test)
        for i, errors in enumerate(settings)
        for seed, (validation, test) in enumerate(errors)
    ]
    table = pd.DataFrame(rows, columns=["method", "width", "seed", "rate", "validation_error", "test_error"])
    status = ["done" if np.isfinite(error) else "diverged" for error in table.test_error]
    table = table.assign(kind="sgd", mode="all", kernel=None, ridge=np.nan, decay=0.0, status=status)
    return table.assign(test_standard_error=0.01).astype({"width": "Int64"})


def test_the_point_is_the_median_and_the_mean_stands_beside_it():
    errors = [0.01, 0.02, 0.03, 0.04, 0.9]
    (row,) = summarise(of_settings([(e, e) for e in errors])).itertuples()
    assert (row.median, row.least, row.greatest, row.seeds) == (0.03, 0.01, 0.9, 5)
    assert row.mean == pytest.approx(0.2)
    assert row.standard_error == pytest.approx(np.std(errors, ddof=1) / np.sqrt(5))


def test_the_picks_are_by_the_mean_over_seeds_on_either_sample():
    lucky = [(0.1, 0.3), (0.9, 0.4), (0.8, 0.5)]  # the least single validation error, a large mean
    steady = [(0.4, 0.6), (0.4, 0.7), (0.4, 0.8)]
    (row,) = summarise(of_settings(lucky, steady)).itertuples()
    assert (row.rate, row.median) == (0.2, 0.7)
    assert row.best_on_test == 0.4  # by the mean test error it is the first one


def test_a_seed_that_diverged_at_every_setting_leaves_a_median():
    some = [(0.1, 0.2), (0.1, 0.3), (INF, INF)]
    fewer = [(INF, INF), (0.01, 0.01), (INF, INF)]
    (row,) = summarise(of_settings(fewer, some)).itertuples()
    assert (row.rate, row.median, row.least) == (0.2, 0.3, 0.2)
    assert row.greatest == row.mean == row.standard_error == INF


def test_means_of_settings_by_loops(rng):
    """Against means taken one by one, over random settings of kernels and ridges, some of them failed."""
    settings = [(kernel, ridge) for kernel in ("a", "b") for ridge in (0.1, 1.0, np.nan)]
    rows = [(*settings[i], seed, rng.choice([rng.random(), INF], p=[0.9, 0.1])) for i in range(6) for seed in range(4)]
    table = pd.DataFrame(rows, columns=["kernel", "ridge", "seed", "test_error"]).sample(frac=1, random_state=0)
    found = means_of_settings(table.assign(rate=np.nan, decay=0.5), "test")
    expected = {str(s): np.mean([row[3] for row in rows if str(row[:2]) == str(s)]) for s in settings}
    got = {str((row.kernel, row.ridge)): row.mean for row in found.itertuples()}
    assert got == pytest.approx(expected)
    assert np.isfinite(found["mean"]).tolist() == sorted(np.isfinite(found["mean"]), reverse=True)
    assert found["mean"][np.isfinite(found["mean"])].is_monotonic_increasing


def test_a_setting_that_fewer_seeds_tried_is_not_picked():
    (row,) = summarise(of_settings([(0.01, 0.01)], [(0.5, 0.6), (0.5, 0.7)])).itertuples()
    assert (row.rate, row.seeds) == (0.2, 2)


def test_trials_of_the_search_are_not_judged():
    table = of_settings([(0.5, 0.6), (0.5, 0.7)])
    search = of_settings([(0.001, 0.001), (0.001, 0.001)]).assign(stage="search", rate=0.7)
    search["seed"] += 100
    both = pd.concat([search, table.assign(stage="judged")], ignore_index=True)
    pd.testing.assert_frame_equal(summarise(both), summarise(table))
    assert summarise(search.assign(stage="judged")).rate.tolist() == [0.7]  # without the word they would be


def test_the_edge_of_ridges_is_that_of_the_search(table):
    judged = table[table.method == "arcsin"].assign(stage="judged")
    path = [(0.1, 9.0), (1.0, 9.5), (10.0, 9.6)]
    search = [judged.assign(stage="search", seed=100, ridge=ridge, validation_error=e) for ridge, e in path]
    row = summarise(pd.concat([judged, *search], ignore_index=True)).iloc[0]
    assert (row.ridge, row.seeds, row.trials) == (0.1, 1, 1)
    assert row.edges == "smallest ridge"
    beyond = judged.assign(stage="search", seed=100, ridge=0.01, validation_error=9.7)
    assert summarise(pd.concat([judged, *search, beyond], ignore_index=True)).iloc[0].edges == ""


def test_solutions_that_were_built_have_a_point_for_each_norm():
    built = of_settings([(0.1, 0.1), (0.1, 0.2)], [(0.5, 0.5), (0.5, 0.6)])
    built = built.assign(kind="built", method="built(trained)", decay=built.rate, rate=np.nan, norm=10 / built.rate)
    summary = summarise(built)
    assert summary[["decay", "norm"]].to_numpy().tolist() == [[0.1, 100.0], [0.2, 50.0]]
    assert summary.learner.tolist() == ["built", "built"]
    assert best_of_methods(summary).decay.tolist() == [0.1]


def test_sentence(table):
    summary = summarise(table)
    assert under_threshold(summary, 1.35) == ["3resnet(all)"]
    assert sentence(summary, 1.35, 500) == (
        "3resnet(all) (median test error 0.4, 0.3 to 0.5 over 2 seeds, at width 10) got under the threshold 1.35 with "
        "500 samples. Of the other networks the best was 2layer(all) (test error 2.1, one start, at width 10). "
        "Of the kernel methods the best was ck2 (test error 5.15, one start). Settings are picked on validation."
    )
    none = sentence(summary, 0.1, 500)
    assert none.startswith("No method got under the threshold 0.1")
    assert "Of the networks the best was 3resnet(all)" in none


def test_the_sentence_says_how_far_sgd_is_from_the_exact_solutions(table):
    exact = of_settings([(0.2, 2.0)]).assign(method="2layer(last)", mode="last", width=20)
    trained = of_settings([(0.2, 3.0)]).assign(method="2layer(last, SGD)", mode="last", width=20)
    wide = [each.assign(width=100, test_error=error) for each, error in ((exact, 1.0), (trained, 1.1))]
    alone = of_settings([(0.2, 3.0)]).assign(method="3layer(NTK, SGD)", mode="ntk", width=20)
    rows = pd.concat([exact, trained, *wide, alone], ignore_index=True).astype({"width": "Int64"})
    said = sentence(summarise(rows), 1.35, 500)
    assert (
        "Trained by SGD, (last) and (NTK) have 1.1 to 1.5 times the test error of the exact solutions at 2 points, the "
        "most at 2layer(last), width 20."
    ) in said
    assert "Trained by SGD" not in sentence(summarise(table), 1.35, 500)


def test_the_best_width_has_the_least_validation_error():
    narrow = of_settings([(0.2, 0.30)])
    wide = of_settings([(0.1, 0.31)]).assign(width=20).astype({"width": "Int64"})
    summary = summarise(pd.concat([narrow, wide], ignore_index=True))
    assert best_of_methods(summary).width.tolist() == [20]
    assert best_of_methods(summary, by="best_on_test").width.tolist() == [10]


def test_the_terminal_says_how_many_seeds(table, capsys):
    show_figure(run_with(table))
    printed = " ".join(capsys.readouterr().out.split())
    assert "medians over 1 to 2 seeds, picked on validation" in printed
    assert "least" in printed
    show_figure(run_with(table[table.seed == 0]))
    assert "(one start, picked on validation" in " ".join(capsys.readouterr().out.split())


def test_a_kernel_has_no_width_and_its_best_arguments(table):
    row = summarise(table).set_index("method").loc["ck2"]
    assert pd.isna(row.width)
    assert (row.learner, row.best_on_test, row.best_on_validation) == ("kernel", 5.1, 5.15)
    assert (row.kernel, row.ridge, row.trials) == ("ck2(bias=True)", 0.1, 2)
    assert np.isnan(row.rate)


def test_a_ridge_at_the_edge_of_its_grid_is_marked(table, capsys):
    assert summarise(table).set_index(["method", "width"]).edges.to_dict() == {
        ("3resnet(all)", 10): "smallest rate",
        ("2layer(all)", 10): "",
        ("2layer(all)", 20): "",
        ("ck2", pd.NA): "largest ridge",
        ("arcsin", pd.NA): "",
    }
    show_figure(run_with(table))
    assert "ck2(bias=True), ridge 0.1 (edge)" in capsys.readouterr().out
    inside = table.iloc[[6]].assign(ridge=1.0)
    show_figure(run_with(pd.concat([table, inside], ignore_index=True)))
    assert "ridge 0.1 (edge)" not in capsys.readouterr().out


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
