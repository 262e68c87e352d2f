"""Errors against the norm of the weights, as in section 8.2."""

import math
from typing import Any

import altair as alt

from kernelgap.paper.figures.result import FigureRun
from kernelgap.reports.common.axes import MUTED, PALETTE, finished, linear_axis
from kernelgap.reports.common.looks import looks
from kernelgap.reports.figure.error_chart import TITLES, faded, paper_layers, threshold_layers
from kernelgap.reports.figure.lines import paper_marks

SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")


def norm_chart(run: FigureRun, *, on_page: bool) -> alt.LayerChart | None:
    """Train and test error of every judged trial against the norm of its weights (section 8.2); None without any."""
    wanted = run.judged[run.judged.norm.notna()].melt(
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
    x = alt.X("x:Q", title=TITLES["norm"], scale=alt.Scale(zero=False), axis=axis)
    methods = sorted(wanted.method.unique())
    samples = alt.Legend(title=None, orient="top", symbolType="circle", symbolSize=90)
    shapes = alt.Legend(title=None, orient="bottom", direction="vertical", symbolSize=90, symbolFillColor=MUTED)
    palette = alt.Scale(domain=["train", "test"], range=list(PALETTE[1::-1]))
    symbols = alt.Scale(domain=methods, range=[SHAPES[i % len(SHAPES)] for i in range(len(methods))])
    formats: dict[str, Any] = {"norm": ".4g", "error": ".4g", "width": alt.Undefined, "rate": "~g", "decay": "~g"}
    points = alt.Chart(wanted).mark_point(filled=True, size=80)
    points = points.encode(
        x=x,
        y=y("error"),
        color=alt.Color("sample:N", scale=palette, legend=samples),
        shape=alt.Shape("method:N", scale=symbols, legend=shapes if len(methods) > 1 else None),
        opacity=faded(on_page, 0.75, 0.05),
        tooltip=["method:N", "sample:N", *(alt.Tooltip(f"{name}:Q", format=f) for name, f in formats.items())],
    )
    line = threshold_layers(run.threshold, y, wanted.x.max(), x)
    chart = alt.layer(*paper_layers(marks, x, y, looks(methods), on_page=on_page), points, *line)
    if on_page:
        chart = chart.add_params(alt.param(name="shown", value=[]))
    return finished(chart, on_page=on_page, title=f"{run.name}: {run.title}")
