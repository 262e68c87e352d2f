"""Charts of a run on images: accuracy over the number of training images, and how the networks learned."""

import math
from collections.abc import Iterable
from typing import Any, Literal

import altair as alt
import pandas as pd

from kernelgap.images.experiment import ImageRun
from kernelgap.images.experiment.comparison import (
    GATED,
    NETWORK,
    ImagePoint,
    SizeComparison,
    accuracy_of,
)
from kernelgap.images.experiment.record import format_span
from kernelgap.reports.common.axes import HEIGHT, Axis, finished, log_axis, standing_out
from kernelgap.reports.images.text import NAMES, describe_setting, method_looks


def accuracy_rows(run: ImageRun) -> pd.DataFrame:
    """One row a point; the networks and the best kernel of the headline stand out."""
    points = run.points
    best = outstanding(points, run.headline)
    return pd.DataFrame(
        [
            {
                "method": p.method,
                "family": NAMES[p.family],
                "best": p.method in best,
                "x": p.samples,
                "value": accuracy_of(p).value,
                "low": accuracy_of(p).low,
                "high": accuracy_of(p).high,
                "accuracy_text": format_span(accuracy_of(p)),
                "tested": p.tested,
                "setting": describe_setting(p),
                "seeds": p.seeds - p.diverged,
            }
            for p in points
            if p.accuracy is not None
        ]
    )


def outstanding(points: list[ImagePoint], headline: SizeComparison) -> set[str]:
    kernel = {headline.kernel.method} if headline.kernel is not None else set()
    return {p.method for p in points if p.family in (NETWORK, GATED)} | kernel


def accuracy_chart(run: ImageRun, *, on_page: bool) -> alt.LayerChart | None:
    """Accuracies over a logarithmic axis, with bands or bars of 95%; None if no trial is finished."""
    rows = accuracy_rows(run)
    if rows.empty:
        return None
    drawn = method_looks(run.points)
    rows = rows.assign(shape=[drawn[m].shape for m in rows.method])
    names = list(dict.fromkeys(rows.method))
    legend = None if on_page else alt.Legend(title=None, symbolType="stroke", symbolSize=400, symbolOpacity=1)
    colours = alt.Scale(domain=names, range=[drawn[m].colour for m in names])
    dashes = alt.Scale(domain=names, range=[list(drawn[m].dash) or [1, 0] for m in names])
    colour = alt.Color("method:N", scale=colours, sort=names, legend=legend)
    x = images_axis([float(n) for n in rows.x])
    y = _share_axis(rows)
    base = alt.Chart(rows).encode(x=x, y=y("value"), color=colour)
    spans = alt.Chart(rows).encode(x=x, y=y("low"), y2="high:Q", color=colour, detail="method:N")
    tooltip = [
        alt.Tooltip("method:N", title="who"),
        alt.Tooltip("family:N", title="of the"),
        alt.Tooltip("x:Q", format=",d", title="training images"),
        alt.Tooltip("accuracy_text:N", title="accuracy"),
        alt.Tooltip("tested:Q", format=",d", title="test images"),
        alt.Tooltip("setting:N"),
        alt.Tooltip("seeds:Q", title="seeds"),
    ]
    layers: list[Any] = [
        spans.mark_area(strokeOpacity=0).encode(fillOpacity=standing_out(on_page, 0.15, 0.0, 0.13, 0.0)),
        spans.mark_rule(strokeWidth=1.6).encode(opacity=standing_out(on_page, 0.75, 0.4, 0.9, 0.05)),
        base.mark_line().encode(
            strokeDash=alt.StrokeDash("method:N", scale=dashes, sort=names, legend=legend),
            strokeWidth=alt.condition("datum.best", alt.value(3.0), alt.value(1.5)),
            opacity=standing_out(on_page, 1.0, 0.6, 1.0, 0.06),
        ),
        base.mark_point(filled=True).encode(
            shape=alt.Shape("shape:N", scale=None),
            size=alt.condition("datum.best", alt.value(90), alt.value(45)),
            opacity=standing_out(on_page, 1.0, 0.7, 1.0, 0.06),
            tooltip=tooltip,
        ),
    ]
    chart = alt.layer(*layers)
    if on_page:
        return finished(chart.add_params(alt.param(name="shown", value=[])), on_page=True)
    title = f"Accuracy on {run.about.get('set', 'images')} over the number of training images"
    return finished(chart, on_page=False, title=alt.Title(title, subtitle="Bands and bars: 95% intervals."))


def images_axis(values: list[float]) -> alt.X:
    """Logarithmic, with a tick at each number of images."""
    ticks = sorted(set(values))
    ends = [ticks[0], ticks[-1]] if len(ticks) > 1 else [ticks[0] / 2, ticks[0] * 2]
    scale = alt.Scale(type="log", domain=ends, nice=False, padding=14)
    axis = alt.Axis(values=ticks, format=",d", grid=False, labelOverlap="greedy", labelSeparation=4)
    return alt.X("x:Q", title="training images", scale=scale, axis=axis)


def _share_axis(rows: pd.DataFrame) -> Any:
    room = 0.03 * max(0.1, float(rows.high.max() - rows.low.min()))
    low, high = max(0.0, float(rows.low.min()) - room), min(1.0, float(rows.high.max()) + room)
    scale, axis = alt.Scale(domain=[low, high], nice=False), alt.Axis(format=".0%", tickCount=HEIGHT // 50)
    return lambda column: alt.Y(f"{column}:Q", title="right on the test images", scale=scale, axis=axis)


What = Literal["accuracy", "loss"]
DASHES: list[list[int]] = [[1, 0], [7, 3], [2, 2]]  # as images.css has them in the legend
EXTENT = 44  # of the labels of both charts, so that they stand one above the other
THOUSANDS = "datum.value >= 1000 ? format(datum.value / 1000, ',') + 'k' : datum.label"
STORED: dict[What, str] = {"accuracy": "accuracy test", "loss": "loss"}
TITLES: dict[What, str] = {"accuracy": "right on test images", "loss": "loss on what was shown"}


def learning_rows(run: ImageRun) -> pd.DataFrame:
    """One row a moment of a training: images shown so far, the accuracy, the loss."""
    trials: Iterable[Any] = run.table.itertuples()
    rows = []
    for trial in trials:
        curves: dict[str, list[float]] = trial.curves or {}
        if not curves.get("epoch") or pd.isna(trial.shown):
            continue
        each = trial.shown / trial.epochs
        for i, epoch in enumerate(curves["epoch"]):
            values: dict[str, float] = {what: _at(curves.get(name, []), i) for what, name in STORED.items()}
            common = {"method": trial.method, "samples": trial.samples, "seed": trial.seed, "epoch": int(epoch)}
            rows.append({**common, "x": each * epoch, **values})
    return pd.DataFrame(rows, columns=["method", "samples", "seed", "epoch", "x", *STORED])


def learning_sizes(run: ImageRun) -> list[int]:
    """The numbers of training images for which there is something to draw."""
    rows = learning_rows(run)
    return sorted(int(n) for n in rows[rows.accuracy.notna() | rows.loss.notna()].samples.unique())


def learning_chart(run: ImageRun, samples: int, what: What) -> alt.LayerChart | None:
    """For the page: with so many training images; all such charts have the same vertical axis."""
    rows = learning_rows(run)
    chart = _lines(run, rows, samples, what)
    if chart is None:
        return None
    drawn = finished(chart, on_page=True, height=200 if what == "accuracy" else 150)
    return drawn.configure_axisY(minExtent=EXTENT)


def all_learning_charts(run: ImageRun) -> Any:
    """As one picture: accuracies above, losses below, a column for each number of training images."""
    rows = learning_rows(run)
    columns = []
    for n in learning_sizes(run):
        pair = [_lines(run, rows, n, what, legend=True) for what in STORED]
        sized = [c.properties(width=220, height=h) for c, h in zip(pair, (200, 150), strict=True) if c is not None]
        columns.append(alt.vconcat(*sized).properties(title=f"{n:,} training images"))
    if not columns:
        return None
    return (
        alt.hconcat(*columns)
        .resolve_scale(x="independent")
        .properties(background="#ffffff", title=alt.Title("How the networks learned", offset=14))
        .configure(font="sans-serif")
        .configure_view(strokeWidth=0)
        .configure_axis(titleFontWeight="normal", gridColor="#8884")
        .configure_title(anchor="start", fontSize=13)
    )


def _lines(run: ImageRun, rows: pd.DataFrame, samples: int, what: What, *, legend: bool = False) -> Any:
    """Lines over the images that were shown; None if nothing was measured."""
    known = rows[rows[what].notna()]
    here = known[known.samples == samples]
    if here.empty:
        return None
    drawn = method_looks(run.points)
    names = [m for m in drawn if m in set(known.method)]
    shown = alt.Legend(title=None, orient="bottom", columns=1, symbolType="stroke", symbolSize=300) if legend else None
    colour = alt.Color("method:N", scale=alt.Scale(domain=names, range=[drawn[m].colour for m in names]), legend=shown)
    dashes = alt.Scale(domain=names, range=[DASHES[i % len(DASHES)] for i in range(len(names))])
    x = alt.X(
        "x:Q",
        title="images shown",
        scale=alt.Scale(domain=[0, float(here.x.max())], nice=False),
        axis=alt.Axis(labelExpr=THOUSANDS, grid=False, tickCount=5, labelOverlap="greedy"),
    )
    base = alt.Chart(here).encode(
        x=x,
        y=_axis(known, what)(what),
        color=colour,
        detail="seed:N",
        tooltip=[
            alt.Tooltip("method:N", title="who"),
            alt.Tooltip("epoch:Q", format=",d"),
            alt.Tooltip("x:Q", format=",.0f", title="images shown"),
            alt.Tooltip(f"{what}:Q", format=".1%" if what == "accuracy" else ".3g"),
        ],
    )
    line = base.mark_line(strokeWidth=2).encode(strokeDash=alt.StrokeDash("method:N", scale=dashes, legend=shown))
    return alt.layer(line, base.mark_point(filled=True, size=24, opacity=1))


def _axis(known: pd.DataFrame, what: What) -> Axis:
    values = [float(v) for v in known[what]]
    if what == "loss" and min(values) > 0:
        return log_axis(values, TITLES[what])
    low = math.floor(10 * min(values)) / 10
    scale = alt.Scale(domain=[low, 1.0 if what == "accuracy" else max(values)], nice=False)
    axis = alt.Axis(format=".0%" if what == "accuracy" else "~g", tickCount=5)
    return lambda column: alt.Y(f"{column}:Q", title=TITLES[what], scale=scale, axis=axis)


def _at(values: list[float], i: int) -> float:
    """A diverged training's curves end early."""
    return float(values[i]) if i < len(values) and math.isfinite(values[i]) else math.nan
