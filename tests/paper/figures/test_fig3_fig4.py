"""Figures 3 and 4 and the talk: their data, tiny grids of their kind, and at quick scale what they claim."""

import dataclasses
import functools
import itertools

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.cli.show.figure import show_figure
from kernelgap.errors import InputError
from kernelgap.paper import figures as experiments
from kernelgap.paper.figures import Built, Experiment, Grid, KernelLines, Scale, Search
from kernelgap.paper.figures.experiment import chunk_costs, seconds
from kernelgap.paper.figures.searches import width_searches
from kernelgap.paper.figures.summary import sentence, summarise
from kernelgap.runs import plan_chunks
from kernelgap.runs.start import run as start
from kernelgap.training import Schedule

SMALL = {"seeds": 1, "expected_time": "seconds", "validation_samples": 50, "test_samples": 100}


def over(x, problem, samples, *grids):
    scales = {"quick": Scale(grids, schedule=Schedule(epochs=4, batch=10), **SMALL)}
    about = {"name": f"over_{x}", "title": "for tests", "source": "tests"}
    return Experiment(**about, problem=problem, samples=samples, x=x, scales=scales)


over_beta = over(
    *("beta", "hard(d=6, k=2, alpha=0.3)", 20),
    Grid("3resnet", "all", (4, 5), (0.01, 0.02), (0.0,), (0.0, 1.0)),
    KernelLines(("ck2",), (0.1,), (1.0,)),
)
over_norm = over(
    *("norm", "parity(d=8, k=2)", 60),
    Grid("2layer-signs", "hidden", (10,), (0.1, 1e6), (0.0,)),
    Built("vertices", (200,), (0.0, 0.01)),
)


@functools.cache
def planned(name, scale):
    """The trials that are known beforehand, and of each search its first steps at each width. There are thousands."""
    experiment = experiments.get(name)
    chosen = experiment.scale(scale)
    known = [t for c in plan_chunks(experiment.trials(scale, seed=0)) for t in c.trials]
    for chain in width_searches(experiment, chosen, seed=0):
        for width in chain.search.widths:
            settings = itertools.product(chain.search.search.rates, chain.search.search.decays)
            known += [chain.trial(width, chain.search_seed(0), setting) for setting in settings]
    return tuple(known)


@pytest.mark.parametrize("name", sorted(experiments.EXPERIMENTS))
@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_every_experiment_has_distinct_trials_of_its_kind(name, scale):
    experiment = experiments.get(name)
    trials = planned(name, scale)
    assert len({t.id for t in trials}) == len(trials)
    assert (len({t.problem for t in trials}) > 1) == (experiment.x == "beta")
    if scale == "paper":
        sgd = [t for t in trials if t.kind == "sgd"]
        assert {t.schedule.epochs for t in sgd} == {800}
        assert {f"{t.rate:.0e}"[0] for t in sgd} <= {"1", "2", "5"}
        assert experiment.scale(scale).seeds == 5


@pytest.mark.parametrize("name", ["fig2a", "fig2b", "slides_a"])
@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_comparisons_over_widths_can_be_planned(name, scale):
    trials = planned(name, scale)
    assert {t.network for t in trials} == {"2layer", "3layer", "3resnet", None}
    trained = {(t.network, t.width) for t in trials if t.kind == "sgd"}
    for mode in ("last", "ntk"):
        assert {(t.network, t.width) for t in trials if t.kind == "ridge" and t.mode == mode} == trained
    also = {grid.also for grid in experiments.get(name).scale(scale).grids if isinstance(grid, Search)}
    assert also == ({(2000,), ()} if scale == "paper" else set())
    by_sgd = {t.method for t in trials if t.kind == "sgd" and t.mode in ("last", "ntk")}
    networks = ("2layer", "3layer", "3resnet")
    assert by_sgd == ({f"{n}({m}, SGD)" for n in networks for m in ("last", "NTK")} if scale == "paper" else set())
    lines = {t.method for t in trials if t.kind == "ridge" and t.kernel is not None}
    assert lines == {"ck2", "ck3", "ck3res", "ntk2", "ntk3", "ntk3res", "gaussian", "laplace", "arcsin", "recursive"}


def test_every_figure_has_at_least_three_seeds():
    few = [
        (name, scale) for name, e in experiments.EXPERIMENTS.items() for scale in e.scales if e.scales[scale].seeds < 3
    ]
    assert few == []


def test_figure_1_is_figure_4a():
    assert experiments.get("fig1") is experiments.get("fig4a")


def test_a_run_over_beta(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(experiments.EXPERIMENTS, "over_beta", over_beta)
    run = start("over_beta", out=tmp_path, workers=1, on_progress=lambda p: None)
    table = run.table
    assert run.x == run.as_record()["x"] == "beta"
    assert set(table.beta) == {0.0, 1.0}
    assert table.problem.nunique() == 2
    summary = summarise(table)
    assert summary[["method", "width", "beta"]].to_numpy().tolist()[:4] == [
        ["3resnet(all)", 4, 0.0],
        ["3resnet(all)", 5, 0.0],
        ["3resnet(all)", 4, 1.0],
        ["3resnet(all)", 5, 1.0],
    ]
    of_one = table[(table.beta == 1.0) & (table.width == 4)]
    row = summary[(summary.beta == 1.0) & (summary.width == 4)].iloc[0]
    assert row.best_on_test == of_one.test_error.min()
    easy = sentence(summary, 100.0, 20)
    assert "Networks got under it at beta 0, 1." in easy
    assert ", beta 0)" in easy or ", beta 1)" in easy
    assert "No network got under it at beta 0, 1." in sentence(summary, 0.0, 20)
    show_figure(run)
    printed = capsys.readouterr().out.splitlines()
    (at,) = [i for i, line in enumerate(printed) if line.split() == ["beta", "0", "1"]]
    assert printed[at + 1].startswith("3resnet(all) width 4")


def test_a_run_over_norms(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(experiments.EXPERIMENTS, "over_norm", over_norm)
    run = start("over_norm", out=tmp_path, workers=1, on_progress=lambda p: None)
    table = run.table
    assert run.x == "norm"
    done = table[table.status == "done"]
    assert np.isfinite(done.norm).all()
    assert table[table.status == "diverged"].norm.isna().all()
    built = table[table.kind == "built"].set_index("decay")
    assert built.test_error[0.0] == pytest.approx(0.0, abs=1e-9)
    assert built.norm[0.01] < built.norm[0.0]
    assert run.as_record()["under_threshold"]["picked_on_test"] in ([], ["2layer-signs(hidden)"])
    show_figure(run)
    printed = capsys.readouterr().out
    assert "Built, not found by training: built(vertices)" in printed
    assert "alpha G(F)" not in printed  # there is no base signal F


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": "width"}, "x must be beta"),
        ({"problem": "parity(d=8, k=2)"}, "unexpected keyword argument 'beta'"),
        ({"samples": 5}, "do not fill a batch"),
    ],
)
def test_what_cannot_be_run_is_refused_when_it_is_described(change, words):
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(over_beta, **change)
    with pytest.raises(InputError, match="Did you mean 'quick'"):
        over_beta.scale("quik")


def test_estimates_grow_with_the_work():
    for name in experiments.EXPERIMENTS:
        experiment = experiments.get(name)
        assert 5 < seconds(experiment, "quick", workers=2) < seconds(experiment, "quick", workers=1)
        assert seconds(experiment, "paper") > 3 * seconds(experiment, "quick")
    whole = sum(c.cost for c in plan_chunks(experiments.get("fig4a").trials("quick", 0)))
    costs = chunk_costs(experiments.get("fig4a"), experiments.get("fig4a").scale("quick"))
    seeds = experiments.get("fig4a").scale("quick").seeds
    assert seeds * sum(cost * count for cost, count in costs) == pytest.approx(whole)


def best(name, folder):
    """The least median over seeds at each beta, over widths; settings picked on test, as the paper does."""
    return kg.run(name, out=folder).summary.groupby("beta").best_on_test.min()


@pytest.mark.slow
def test_fig3a_quick(tmp_path):
    errors = best("fig3a", tmp_path)
    assert (errors[[0.3, 0.5, 1.0]] < 0.1).all()
    assert (errors[[0.0, 0.2]] > 1.35).all()


@pytest.mark.slow
def test_fig3b_quick(tmp_path):
    errors = best("fig3b", tmp_path)
    assert (errors[[0.5, 1.0]] < 1.35).all()
    assert (errors[[0.0, 0.2, 0.3]] > 1.35).all()


@pytest.mark.slow
def test_slides_b_quick(tmp_path):
    errors = best("slides_b", tmp_path)
    assert (errors[[0.3, 0.5, 1.0]] < 0.1).all()
    assert errors[0.0] > 0.72


@pytest.mark.slow
def test_slides_a_quick(tmp_path):
    best = kg.run("slides_a", out=tmp_path).summary.set_index(["method", "width"]).best_on_test
    assert best["3resnet(all)"].min() < 0.1
    assert best["3resnet(hidden)"].min() < 0.5
    assert (best.drop(["3resnet(all)", "3resnet(hidden)"]) > 0.72).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least", "d"), [("fig4a", 0.69, 40), ("fig4b", 0.98, 100)])
def test_fig4_quick(tmp_path, name, least, d):
    table = kg.run(name, out=tmp_path).table
    assert table[table.kind == "sgd"].test_error.min() >= least
    check_built(table[table.method == "built(trained)"], d)
    fitted = table[(table.kind == "sgd") & (table.train_error < 0.12)]
    assert (fitted.norm > 9.7 * np.sqrt(d)).all()


def check_built(table, d):
    """Section 8.2's three: norms in units of sqrt(d), and errors."""
    for norm, error in ((9.7, 0.12), (12.5, 0.037), (13.8, 0.011)):
        close = table[table.norm <= 1.01 * norm * np.sqrt(d)]
        for _, of_width in close.groupby("width"):
            assert of_width[["train_error", "test_error"]].max(axis=1).min() <= error
    assert set(table.width) == {200, 1000}
