"""Displays: the same numbers with matplotlib and with altair, on whose axes one likes."""

import importlib.util

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.audit.run import run_audit
from kernelgap.errors import InputError
from kernelgap.reports.common import display as module
from support.audits import invented, table
from support.figure_runs import Invented

INF = float("inf")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    made = Invented()
    for seed, first, second in ((0, 0.1, 0.05), (1, 0.3, 0.06)):
        made.sgd(first, first + 0.01, width=4, seed=seed).sgd(second, second + 0.02, width=8, seed=seed)
        made.ridge(1.0, 1.1, seed=seed)
    return made.write(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    table().to_csv(folder / "table.csv", index=False)
    with invented():
        return run_audit(folder / "table.csv", "price", folder / "audit")


@pytest.fixture
def displays(run, audit):
    return {
        "figure": kg.FigureDisplay.from_run(run),
        "curve": kg.CurveDisplay.from_kernel("hard(d=10, k=2, alpha=0.3)", "ntk3", [50, 500, 5000]),
        "spectrum": kg.SpectrumDisplay.from_kernel("hard(d=10, k=2, alpha=0.3)", "ck2", 100),
        "audit": kg.AuditDisplay.from_audit(audit),
    }


def named(ax):
    return {line.get_label(): (line.get_xdata(), line.get_ydata()) for line in ax.get_lines()}


@pytest.fixture
def axes():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    yield pyplot.subplots()[1]
    pyplot.close("all")


@pytest.mark.parametrize("name", ["figure", "curve", "spectrum", "audit"])
def test_each_draws_on_given_axes(name, displays, axes):
    drawn = displays[name].plot(ax=axes)
    assert drawn is displays[name]
    assert drawn.ax_ is axes
    assert drawn.figure_ is axes.figure
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert len(axes.get_legend().get_texts()) == len(named(axes)) > 0
    axes.figure.canvas.draw()
    assert not hasattr(drawn, "chart_")


def test_the_numbers_are_those_that_were_computed(displays, run, axes):
    displays["figure"].plot(ax=axes)
    x, y = named(axes)["3resnet(all)"]
    np.testing.assert_allclose(x, [4, 8])
    np.testing.assert_allclose(y, [np.median([0.11, 0.31]), np.median([0.07, 0.08])])
    assert axes.get_yscale() == "log"
    _, level = named(axes)[f"threshold {run.threshold:.4g}"]
    assert list(level) == [run.threshold] * 2
    axes.clear()
    curve = displays["curve"]
    curve.plot(ax=axes)
    for n, risk in zip(*next(iter(named(axes).values())), strict=True):
        assert risk == pytest.approx(kg.curves.predict(kg.problems.get(curve.curve.problem), "ntk3", n, "best").risk)


@pytest.mark.parametrize("name", ["figure", "curve", "spectrum", "audit"])
def test_without_matplotlib_altair_draws(name, displays, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    drawn = displays[name].plot()
    assert drawn.chart_.to_dict()["$schema"].startswith("https://vega.github.io/schema/vega-lite")
    assert not hasattr(drawn, "ax_")
    assert drawn._repr_mimebundle_(include=None, exclude=None)


def test_with_matplotlib_axes_are_made(displays):
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")
    import matplotlib

    matplotlib.use("Agg")
    drawn = displays["curve"].plot()
    assert drawn.ax_.figure is drawn.figure_
    matplotlib.pyplot.close("all")


def test_what_cannot_be_drawn_gets_a_sentence(displays, tmp_path):
    with pytest.raises(InputError, match="axes of matplotlib"):
        displays["curve"].plot(ax=3)
    with pytest.raises(InputError, match="nothing to draw"):
        kg.FigureDisplay.from_run(Invented().sgd(INF, INF).write(tmp_path))
