"""A claim's picture as a chart: lines with bands over one axis, levels as dashed lines."""

from typing import Any

import altair as alt
import pandas as pd

from kernelgap.paper.claims import Picture
from kernelgap.reports.common.axes import PALETTE, finished, labelled_level, linear_axis, log_axis
from kernelgap.reports.common.looks import OTHER_COLOURS

COLOURS = (*PALETTE, *OTHER_COLOURS)
HEIGHT = 300


def picture_chart(picture: Picture, *, on_page: bool, title: str = "") -> alt.LayerChart:
    """Points that a logarithmic axis cannot show are left out."""
    rows = _rows(picture)
    names = [line.name for line in picture.lines]
    values = [value for row in rows for value in (row["y"], row["low"], row["high"]) if value is not None]
    values += [level for _, level in picture.levels]
    y = log_axis(values, picture.y) if picture.y_axis == "log" else linear_axis(picture.y)
    data = pd.DataFrame(rows)
    x = _categories(picture) if picture.categories else _numbers(picture, data.x)
    colour = alt.Color(
        "name:N",
        sort=names,
        scale=alt.Scale(domain=names, range=[COLOURS[i % len(COLOURS)] for i in range(len(names))]),
        legend=alt.Legend(title=None, orient="top", labelFontSize=12, labelLimit=360, columns=3, symbolOpacity=1)
        if len(names) > 1
        else None,
    )
    base = alt.Chart(data).encode(x=x, color=colour)
    tooltip = [
        alt.Tooltip("name:N", title="what"),
        alt.Tooltip("category:N", title="of") if picture.categories else _tooltip("x", picture.x),
        _tooltip("y", picture.y),
    ]
    layers: list[Any] = []
    if data.low.notna().any():
        band = base.transform_filter("isValid(datum.low)")
        layers.append(band.mark_area(opacity=0.18, strokeOpacity=0).encode(y=y("low"), y2="high:Q"))
    if not data.points_only.all():
        layers.append(base.transform_filter("!datum.points_only").mark_line(strokeWidth=2.2).encode(y=y("y")))
    layers.append(base.mark_point(filled=True, size=46, opacity=1).encode(y=y("y"), tooltip=tooltip))
    for name, level in picture.levels:
        last = {"x": data.x.max(), "category": picture.categories[-1] if picture.categories else ""}
        row = {**last, "level": level, "label": name}
        layers += labelled_level(row, "level", x, y, align="right", name=f"words{len(layers) + 1}")
    return finished(alt.layer(*layers), on_page=on_page, height=HEIGHT, title=title)


def _rows(picture: Picture) -> list[dict[str, Any]]:
    rows = []
    for line in picture.lines:
        for i, (x, y) in enumerate(zip(line.x, line.y, strict=True)):
            if (picture.x_axis == "log" and x <= 0) or (picture.y_axis == "log" and y <= 0):
                continue
            low = None if line.low is None else line.low[i]
            high = None if line.high is None else line.high[i]
            if low is not None and low <= 0 and picture.y_axis == "log":
                low = y
            shown = {"x": x, "y": y, "low": low, "high": high, "points_only": line.points_only}
            rows.append(
                {"name": line.name, "category": picture.categories[int(x)] if picture.categories else "", **shown}
            )
    return rows


def _numbers(picture: Picture, values: pd.Series) -> alt.X:
    plain = bool((values.abs() < 1e7).all()) and bool((values[values != 0].abs() >= 1e-4).all())
    scale = alt.Scale(type="log", nice=False, padding=12)
    if picture.x_axis == "linear":
        scale = alt.Scale(nice=False, padding=12, zero=False)
    return alt.X(
        "x:Q",
        title=picture.x,
        scale=scale,
        axis=alt.Axis(grid=False, format=",~f" if plain else "~e", labelOverlap="greedy", labelSeparation=6),
    )


def _categories(picture: Picture) -> alt.X:
    axis = alt.Axis(grid=False, labelAngle=-35, labelLimit=220)
    return alt.X("category:N", title=picture.x, sort=list(picture.categories), axis=axis)


def _tooltip(column: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{column}:Q", format=".4g", title=title.partition(" (")[0].partition(",")[0][:40])
