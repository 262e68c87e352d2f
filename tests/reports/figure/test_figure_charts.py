"""The data behind the charts: lines, bands, the paper's marks, grids and their edges, F before G."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kernelgap as kg
from kernelgap.paper.figures import EXPERIMENTS, signals
from kernelgap.paper.figures.grids import best_places, edges, heat_maps
from kernelgap.paper.figures.paper_values import VALUES
from kernelgap.reports.common.looks import looks
from kernelgap.reports.figure.error_chart import error_chart
from kernelgap.reports.figure.heat_chart import heat_chart
from kernelgap.reports.figure.lines import error_lines, paper_marks, without_error
from kernelgap.reports.figure.norm_chart import norm_chart
from kernelgap.runs import make_trial
from support.figure_runs import COMMON, SCHEDULE, Invented

INF = float("inf")


@pytest.fixture
def several_seeds(tmp_path):
    run = Invented()
    for seed, better, worse in ((0, 0.1, 0.4), (1, 0.3, 0.2)):
        run.sgd(better, better + 0.01, rate=0.1, seed=seed).sgd(worse, worse + 0.05, rate=0.2, seed=seed)
        run.sgd(INF, INF, rate=0.4, seed=seed).sgd(0.05, 0.5, width=8, seed=seed)
        run.ridge(1.0, 1.1, seed=seed).ridge(1.2, 1.3, ridge=1.0, seed=seed)
    return run.write(tmp_path)


def test_lines_are_medians_of_one_setting(several_seeds):
    lines = error_lines(several_seeds)
    point = lines[(lines.x == 4) & (lines.method == "3resnet(all)") & (lines.pick == "validation")].iloc[0]
    assert (point.low, point.high) == pytest.approx((0.11, 0.31))  # both seeds with rate 0.1: its mean is the least
    assert point.error == pytest.approx((0.11 + 0.31) / 2)
    assert point.setting == "rate 0.1, decay 0"
    assert (point.seeds, point.failed, point.group) == (2, "2 of 6", "networks")
    assert set(lines.pick) == {"test", "validation"}


def test_a_line_is_no_mean(tmp_path):
    run = Invented()
    for seed, error in enumerate((0.1, 0.2, 3.0)):
        run.sgd(error, error, seed=seed)
    lines = error_lines(run.write(tmp_path))
    assert set(lines.error) == {0.2}
    assert (set(lines.low), set(lines.high)) == ({0.1}, {3.0})


def test_charts_show_what_was_judged_and_grids_what_was_searched(tmp_path):
    run = Invented()
    for seed in (0, 1, 2):
        run.sgd(0.2 + 0.1 * seed, 0.3 + 0.1 * seed, seed=seed, rate=0.2)
    for rate, error in ((0.1, 0.5), (0.2, 0.001), (0.4, 0.6)):
        run.sgd(error, error, rate=rate, seed=100)
    found = run.write(tmp_path)
    stage = ["search" if seed == 100 else "judged" for seed in found.table.seed]
    staged = replace(found, table=found.table.assign(stage=stage))
    assert (staged.seeds, staged.search_seeds) == ([0, 1, 2], [100])
    assert set(error_lines(staged).error) == {0.4}
    assert set(error_lines(staged).seeds) == {3}
    maps = heat_maps(staged)
    assert maps.rate.tolist() == [0.1, 0.2, 0.4]
    assert maps[maps.best].rate.tolist() == [0.2]
    assert edges(staged) == []
    assert error_lines(found).low.min() == 0.001  # without the stage it counts
    assert (found.seeds, found.search_seeds) == ([0, 1, 2, 100], [])


def test_a_seed_without_an_end_is_named_and_the_median_drawn(tmp_path):
    run = Invented().sgd(0.1, 0.1, seed=0).sgd(0.2, 0.2, seed=1).sgd(INF, INF, seed=2).write(tmp_path)
    lines = error_lines(run)
    assert (set(lines.error), set(lines.high)) == ({0.2}, {0.2})
    assert without_error(run) == ["3resnet(all) width 4 (1 of 3 seeds)"]


def test_a_kernel_is_flat_from_end_to_end(several_seeds):
    flat = error_lines(several_seeds).query("method == 'ck2' and pick == 'test'")
    assert flat.x.tolist() == [4, 8]
    assert flat.error.nunique() == 1
    assert flat.flat.all()


def test_a_lonely_width_has_room_for_flat_lines(tmp_path):
    lines = error_lines(Invented().sgd(0.1, 0.1).ridge(1.0, 1.0).write(tmp_path))
    assert lines[lines.flat].x.tolist() == [2, 8, 2, 8]


def test_what_diverged_is_named_not_drawn(tmp_path):
    run = Invented().sgd(INF, INF).sgd(0.2, 0.3, width=8).write(tmp_path)
    assert error_lines(run).x.unique().tolist() == [8]
    assert without_error(run) == ["3resnet(all) width 4"]
    nothing = replace(run, table=run.table[run.table.width == 4])
    assert error_lines(nothing).empty
    assert error_chart(nothing, on_page=True) is None
    assert heat_chart(heat_maps(nothing), "3resnet(all)", "width 4", on_page=True) is None


def test_over_betas_each_width_has_its_line(several_seeds):
    table = pd.concat([several_seeds.table.assign(beta=beta) for beta in (0.0, 0.5)], ignore_index=True)
    run = replace(several_seeds, table=table, x="beta")
    lines = error_lines(run)
    assert set(lines.method) == {"3resnet(all) width 4", "3resnet(all) width 8", "ck2"}
    assert set(lines.x) == {0.0, 0.5}
    assert not lines.flat.any()
    assert error_chart(run, on_page=False).to_dict()["layer"][-2]["encoding"]["y"]["scale"]["type"] == "log"


def test_errors_against_norms(several_seeds):
    table = several_seeds.table.assign(norm=np.arange(len(several_seeds.table), dtype=float))
    spec = norm_chart(replace(several_seeds, table=table, x="norm", name="fig4a"), on_page=True).to_dict()
    rows = max(spec["datasets"].values(), key=len)
    assert {row["sample"] for row in rows} == {"train", "test"}
    assert all(np.isfinite(row["error"]) for row in rows)


def test_the_papers_values_belong_to_known_methods_and_stay_within_the_axis():
    known = {f"{n}({m})" for n in kg.networks.NETWORKS for m in ("all", "hidden")}
    assert {v.method for values in VALUES.values() for v in values if v.method} <= known
    lines = pd.DataFrame({"method": ["3resnet(all)", "3resnet(all)"], "x": [150.0, 300.0]})
    marks = paper_marks("fig2a", lines)
    assert marks[["method", "x", "x2"]].fillna("").values.tolist() == [["3resnet(all)", 150, 200], ["", 150, 300]]
    assert paper_marks("unheard of", lines).empty


def test_no_two_methods_look_alike():
    found = {trial.method for e in EXPERIMENTS.values() for trial in e.trials("quick", 0)}
    by_sgd = {f"{network}({mode}, SGD)" for network in ("2layer", "3layer", "3resnet") for mode in ("last", "NTK")}
    deep = {f"resnet-{depth}({mode})" for depth in (2, 4) for mode in ("all", "hidden", "last", "NTK")}
    methods = sorted(found | by_sgd | deep | {"mine", "ck2 + laplace", "<b>"})
    drawn = [(look.colour, look.dash) for look in looks(methods).values()]
    assert len(set(drawn)) == len(methods)
    widths = looks(["3resnet(all) width 100", "3resnet(all) width 200", "3resnet(all)"]).values()
    assert len({look.colour for look in widths}) == 1
    assert len({look.dash for look in widths}) == len({look.shape for look in widths}) == 3


def test_the_best_on_an_edge_is_told(tmp_path):
    run = Invented()
    for rate, decay, error in ((0.1, 0.0, 0.5), (0.2, 0.0, 0.4), (0.4, 0.0, INF), (0.1, 0.1, 0.3), (0.2, 0.1, 0.2)):
        run.sgd(error, error, rate=rate, decay=decay)
    table = run.write(tmp_path / "edge")
    assert best_places(table) == {"3resnet(all)": "width 4"}
    assert edges(table) == [  # the rate 0.4 was tried with another decay, not beside the best
        "3resnet(all): the best is at the largest rate tried (0.2) at width 4 and the largest decay tried (0.1) at "
        "width 4; one beyond it may be better."
    ]
    cells = heat_maps(table)
    assert cells[cells.best][["rate", "decay"]].values.tolist() == [[0.2, 0.1]]
    assert cells[cells.status == "diverged"].rate.tolist() == [0.4]
    beside = run.sgd(INF, INF, rate=0.4, decay=0.1).write(tmp_path / "beside")
    (message,) = edges(beside)  # a rate that diverged was tried
    assert "rate" not in message
    inside = run.sgd(0.6, 0.6, rate=0.2, decay=0.5).write(tmp_path / "inside")
    assert edges(inside) == []


def test_an_edge_at_a_width_that_is_not_the_best_is_told(tmp_path):
    run = Invented()
    for width, errors in ((4, (0.3, 0.1, 0.2)), (8, (0.9, 0.8, 0.7)), (16, (0.9, 0.8, 0.6))):
        for rate, error in zip((0.1, 0.2, 0.4), errors, strict=True):
            run.sgd(error, error, rate=rate, width=width)
    found = run.write(tmp_path)
    assert best_places(found) == {"3resnet(all)": "width 4"}
    assert edges(found) == [
        "3resnet(all): the best is at the largest rate tried (0.4) at width 8; width 16; one beyond it may be better."
    ]
    assert found.summary.set_index("width").edges.to_dict() == {4: "", 8: "largest rate", 16: "largest rate"}
    assert json.loads(json.dumps(found.as_record(), allow_nan=False))["rows"][1]["edges"] == "largest rate"


def test_a_plateau_has_no_edge(tmp_path):
    run = Invented()
    for decay, error in ((1e-5, 0.1), (1e-4, 0.1015), (1e-3, 0.4)):
        run.sgd(error, error, decay=decay)
    assert edges(run.write(tmp_path / "plateau")) == []
    falls = run.sgd(0.05, 0.05, decay=1e-6).write(tmp_path / "falls")
    assert len(edges(falls)) == 1


def test_after_a_search_the_edge_is_that_of_the_setting_that_is_judged(tmp_path):
    """Another setting was better in the search by too little for it to go there."""
    run = Invented().sgd(0.2, 0.3, rate=0.2)
    for rate, error in ((0.1, 0.5), (0.2, 0.100), (0.4, 0.099)):
        run.sgd(error, error, rate=rate, seed=100)
    found = run.write(tmp_path)
    staged = replace(
        found, table=found.table.assign(stage=["search" if s == 100 else "judged" for s in found.table.seed])
    )
    assert heat_maps(staged).set_index("rate").best.to_dict() == {0.1: False, 0.2: True, 0.4: False}
    assert edges(staged) == []
    without = staged.table[(staged.table.stage == "judged") | (staged.table.rate < 0.4)]
    (message,) = edges(replace(staged, table=without))
    assert "largest rate tried (0.2)" in message


def test_a_grid_in_which_every_cell_diverged_for_some_seed(tmp_path):
    run = Invented().sgd(0.1, 0.1).sgd(INF, INF, rate=0.2).sgd(INF, INF, seed=1).sgd(0.2, 0.2, rate=0.2, seed=1)
    table = run.write(tmp_path)
    assert best_places(table) == {}  # no setting has a mean
    assert edges(table) == []
    assert set(heat_maps(table).status) == {"1 seeds diverged"}
    assert not heat_maps(table).best.any()


def test_one_trial_is_no_edge(tmp_path):
    assert edges(Invented().sgd(0.1, 0.1).write(tmp_path)) == []


@pytest.mark.parametrize(
    ("errors", "sentence"),
    [
        ({1.0: 0.5, 2.0: 0.4, 4.0: 0.3}, "gaussian: the best is at the largest factor tried (4); one beyond it may be"),
        (
            {1.0: 0.3, 2.0: 0.4, 4.0: 0.5},
            "gaussian: the best is at the smallest factor tried (1); one beyond it may be",
        ),
        ({1.0: 0.5, 2.0: 0.3, 4.0: 0.4}, None),
        ({1.0: 0.5, 2.0: 0.3001, 4.0: 0.3}, None),  # a limit that wider ones approach
        ({2.0: 0.3}, None),
    ],
)
def test_a_bandwidth_on_an_edge(errors, sentence, tmp_path):
    run = Invented().ridge(0.1, 0.1, kernel="ck2 + 0.1 * laplace(bandwidth=5.0)").sgd(0.1, 0.1)
    for factor, error in errors.items():
        run.ridge(error, error, kernel=f"gaussian(factor={factor})")
        for ridge in (0.01, 1.0):
            run.ridge(2.0, 2.0, kernel=f"gaussian(factor={factor})", ridge=ridge)
    messages = edges(run.write(tmp_path))
    assert len(messages) == (sentence is not None)
    assert all(message.startswith(sentence) for message in messages)


def test_signals_are_the_curves_that_the_run_stored():
    trial = make_trial(
        **COMMON, network="3resnet", mode="all", width=6, rate=0.02, decay=0.0, seed=0, schedule=SCHEDULE
    )
    curves = {"epochs": [0, 8], "base": [2.0, 0.1], "test": [2.0, 0.3], "train": [2.0, 0.2]}
    found = signals.signals_of(curves, signals.base_size(trial))
    assert (found["epochs"], found["base"], found["target"]) == ([0, 8], [2.0, 0.1], [2.0, 0.3])
    assert found["size"] == pytest.approx(2.0)  # F has two outputs of size 1
    assert signals.signals_of({name: curve for name, curve in curves.items() if name != "base"}, 2.0) is None


def test_when_f_and_g_are_learned():
    found = signals.Signals(size=10.0, epochs=[0, 5, 9], base=[10.0, 0.9, 2.0], target=[11.0, 1.4, 1.3])
    assert signals.learned_at(found, 1.35) == (5, 9)
    assert signals.learned_at(found, 1.0) == (5, None)
