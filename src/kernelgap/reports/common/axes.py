"""Axes, legends, tooltips and fonts that the charts share."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import altair as alt
import pandas as pd

MUTED = "#7b8794"
PALETTE = ("#d9540b", "#2b83c6", "#0d9a6c")
WIDTH, HEIGHT = 640, 420

Axis = Callable[[str], alt.Y]  # the vertical axis for a column


def legend_above() -> alt.Legend:
    return alt.Legend(
        title=None, orient="top", symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.4, labelFontSize=12
    )


def tooltips(*columns: tuple[str, str] | tuple[str, str, str]) -> list[alt.Tooltip]:
    """Tooltips from pairs of a column and its title; a third text is the format of its numbers."""
    return [alt.Tooltip(c, title=title, format=f[0] if f else alt.Undefined) for c, title, *f in columns]


def across(values: list[float], title: str, *, whole: bool) -> alt.X:
    """A logarithmic axis with a tick at each value; linear where a value is 0."""
    ticks = sorted(set(values))
    room = alt.Scale(type="log" if ticks[0] > 0 else "linear", domain=[ticks[0], ticks[-1]], nice=False, padding=12)
    axis = alt.Axis(values=ticks, format="d" if whole else "~g", grid=False, labelOverlap="greedy", labelSeparation=4)
    return alt.X("x:Q", title=title, scale=room, axis=axis)


def log_axis(values: Sequence[float], title: str) -> Axis:
    """A logarithmic axis that takes in all values, with ticks at powers of ten, at 1, 2, 5, or at all digits."""
    low, high, ticks = log_room(values)
    scale, axis = alt.Scale(type="log", domain=[low, high], nice=False), alt.Axis(values=ticks, format="~g")
    return lambda column: alt.Y(f"{column}:Q", title=title, scale=scale, axis=axis)


def log_room(values: Sequence[float]) -> tuple[float, float, list[float]]:
    """The ends of a logarithmic axis, with some room, and its ticks."""
    positive = [v for v in values if math.isfinite(v) and v > 0]
    low, high = min(positive) / 1.25, max(positive) * 1.25
    digits = (1,) if high / low > 300 else (1, 2, 5) if high / low > 10 else tuple(range(1, 10))
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return low, high, [float(f"{d}e{p}") for p in powers for d in digits if low <= float(f"{d}e{p}") <= high]


def linear_axis(title: str) -> Axis:
    return lambda column: alt.Y(f"{column}:Q", title=title, scale=alt.Scale(zero=True))


def finished(
    chart: Any, *, on_page: bool, title: Any = None, height: int = HEIGHT, width: int = WIDTH
) -> alt.LayerChart:
    """On the page a chart is as wide as its place and has no ground of its own; its title is the page's."""
    if on_page:
        fit = alt.AutoSizeParams(type="fit-x", contains="padding")
        chart = chart.properties(width="container", height=height, background="transparent", autosize=fit)
    else:
        titled = {"title": title} if title else {}
        chart = chart.properties(width=width, height=height, background="#ffffff", **titled)
    return with_fonts(chart, on_page=on_page)


def with_fonts(chart: Any, *, on_page: bool) -> Any:
    """The fonts and lines that all charts have."""
    fonts = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    return (
        chart.configure(font="system-ui, sans-serif" if on_page else "sans-serif")
        .configure_view(strokeWidth=0)
        .configure_axis(**fonts, gridColor="#8884", domainColor=MUTED, tickColor=MUTED)
        .configure_legend(labelFontSize=12)
        .configure_title(anchor="start", fontSize=14, subtitleFontSize=11, subtitleColor=MUTED)
    )


def labelled_level(row: dict[str, Any], column: str, x: alt.X, y: Axis, align: Any, name: str = "words") -> list[Any]:
    """A dashed line at a row's value in a column, and at its x the row's "label"."""
    data = pd.DataFrame([row])
    rule = alt.Chart(data).mark_rule(strokeDash=[6, 4], strokeWidth=1.6, color=MUTED).encode(y=y(column))
    label = alt.Chart(data, name=name)
    label = label.mark_text(align=align, baseline="top", dx=4, dy=5, fontSize=12, color=MUTED)
    return [rule, label.encode(x=x, y=y(column), text="label:N")]


def standing_out(on_page: bool, best: float, other: float, chosen: float, rest: float) -> Any:
    """A weight for each mark: the best stand out; what is chosen in the page's legend stands out instead."""
    if not on_page:
        return alt.condition("datum.best", alt.value(best), alt.value(other))
    return (
        alt.when("length(shown) == 0 && datum.best")
        .then(alt.value(best))
        .when("length(shown) == 0")
        .then(alt.value(other))
        .when("indexof(shown, datum.method) >= 0")
        .then(alt.value(chosen))
        .otherwise(alt.value(rest))
    )
