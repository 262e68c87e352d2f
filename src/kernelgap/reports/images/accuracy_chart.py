"""Everybody's accuracy over the number of training images."""

from typing import Any

import altair as alt
import pandas as pd

from kernelgap.images.experiment import ImageRun
from kernelgap.images.experiment.comparison import (
    GATED,
    NETWORK,
    Comparison,
    ImagePoint,
    accuracy_of,
    comparisons_of,
    headline_of,
    points_of,
)
from kernelgap.images.experiment.sentence import format_span
from kernelgap.reports.common.axes import HEIGHT, finished, standing_out
from kernelgap.reports.images.text import NAMES, method_looks, setting_in_words


def accuracy_rows(run: ImageRun) -> pd.DataFrame:
    """One row a point; the networks and the best kernel of the headline stand out."""
    points = points_of(run)
    best = outstanding(points, headline_of(comparisons_of(points)))
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
                "setting": setting_in_words(p),
                "seeds": p.seeds - p.diverged,
            }
            for p in points
            if p.accuracy is not None
        ]
    )


def outstanding(points: list[ImagePoint], headline: Comparison) -> set[str]:
    kernel = {headline.kernel.method} if headline.kernel is not None else set()
    return {p.method for p in points if p.family in (NETWORK, GATED)} | kernel


def accuracy_chart(run: ImageRun, *, on_page: bool) -> alt.LayerChart | None:
    """Over a logarithmic axis, with 95% bands of those that stand out and bars of all; None if nobody is finished."""
    rows = accuracy_rows(run)
    if rows.empty:
        return None
    drawn = method_looks(points_of(run))
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
