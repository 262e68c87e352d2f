"""Errors against the norm of the weights, as in section 8.2."""

import math

import altair as alt

from kernelgap.paper.figures.result import FigureRun
from kernelgap.reports.common.axes import MUTED, PALETTE, finished, linear_axis
from kernelgap.reports.common.looks import looks
from kernelgap.reports.figure.error_chart import TITLES, faded, paper_layers, threshold_layers
from kernelgap.reports.figure.lines import paper_marks


def norm_chart(run: FigureRun, *, on_page: bool) -> alt.LayerChart | None:
    """Train and test error of every trial against the norm of its weights (section 8.2); None without any."""
    wanted = run.table[run.table.norm.notna()].melt(
        id_vars=["method", "norm", "width", "rate", "decay"],
        value_vars=["train_error", "test_error"],
        var_name="sample",
        value_name="error",
    )
    wanted = wanted[wanted.error.astype(float).map(math.isfinite)]
    if wanted.empty:
        return None
    wanted = wanted.assign(
        error=wanted.error.astype(float),
        x=wanted.norm.astype(float),
        width=wanted.width.astype(float),
        sample=wanted["sample"].str.removesuffix("_error"),
    )
    marks = paper_marks(run.name, wanted)
    y = linear_axis("error")
    axis = alt.Axis(grid=False, labelOverlap="greedy", labelSeparation=6)
    across = alt.X("x:Q", title=TITLES["norm"], scale=alt.Scale(zero=False), axis=axis)
    methods = sorted(wanted.method.unique())
    drawn = looks(methods)
    symbols = alt.Legend(title=None, orient="top", symbolType="circle", symbolSize=90)
    shapes = alt.Legend(title=None, orient="bottom", direction="vertical", symbolSize=90, symbolFillColor=MUTED)
    points = (
        alt.Chart(wanted)
        .mark_point(filled=True, size=80)
        .encode(
            x=across,
            y=y("error"),
            color=alt.Color(
                "sample:N", scale=alt.Scale(domain=["train", "test"], range=list(PALETTE[1::-1])), legend=symbols
            ),
            shape=alt.Shape(
                "method:N",
                scale=alt.Scale(domain=methods, range=_shapes(len(methods))),
                legend=shapes if len(methods) > 1 else None,
            ),
            opacity=faded(on_page, 0.75, 0.05),
            tooltip=[
                "method:N",
                alt.Tooltip("sample:N"),
                alt.Tooltip("norm:Q", format=".4g"),
                alt.Tooltip("error:Q", format=".4g"),
                alt.Tooltip("width:Q"),
                alt.Tooltip("rate:Q", format="~g"),
                alt.Tooltip("decay:Q", format="~g"),
            ],
        )
    )
    line = threshold_layers(run.threshold, y, wanted.x.max(), across)
    chart = alt.layer(*paper_layers(marks, across, y, drawn, on_page=on_page), points, *line)
    if on_page:
        return finished(chart.add_params(alt.param(name="shown", value=[])), on_page=True)
    return finished(chart, on_page=False, title=f"{run.name}: {run.title}")


def _shapes(count: int) -> list[str]:
    known = ["circle", "diamond", "square", "triangle-up", "cross", "triangle-down"]
    return [known[i % len(known)] for i in range(count)]
