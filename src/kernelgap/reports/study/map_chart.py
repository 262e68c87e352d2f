"""Cells over whole numbers, panel beside panel, with one colour scale."""

import math
from typing import Any

import altair as alt
import pandas as pd

from kernelgap.paper.studies.study import HeatMap
from kernelgap.reports.common.axes import MUTED, with_fonts

SIDE, GAP = 46, 18  # of a cell, and between panels
DARK = "#16202a"


def map_chart(heat: HeatMap, *, on_page: bool, title: str = "") -> alt.HConcatChart:
    """Draw the panels of a heat map; cells without a value are empty, with their text.

    Parameters
    ----------
    heat
        The cells.
    on_page
        Whether it is for a page, or a picture by itself.
    title
        Of a picture.
    """
    table = pd.DataFrame(heat.cells)
    table["ok"] = table.value.notna()
    values = table.value[table.ok]
    low, high = float(values.min()), float(values.max())
    table["light"] = [ok and value < math.sqrt(low * high) for ok, value in zip(table.ok, table.value, strict=True)]
    columns, rows = sorted(table.x.unique().tolist()), sorted(table.y.unique().tolist(), reverse=True)
    panels = [
        _panel(heat, table[table.panel == name], name, columns, rows, (low, high), first=i == 0)
        for i, name in enumerate(dict.fromkeys(table.panel))
    ]
    titled: dict[str, Any] = {"title": title} if title else {}
    background = "transparent" if on_page else "#ffffff"
    chart = alt.hconcat(*panels, spacing=GAP).properties(background=background, **titled)
    whole: alt.HConcatChart = with_fonts(chart, on_page=on_page)
    return whole


def _panel(
    heat: HeatMap,
    cells: pd.DataFrame,
    name: str,
    columns: list[int],
    rows: list[int],
    ends: tuple[float, float],
    *,
    first: bool,
) -> alt.LayerChart:
    base = alt.Chart(cells).encode(
        x=alt.X("x:O", title=heat.x, scale=alt.Scale(domain=columns), axis=alt.Axis(labelAngle=0)),
        y=alt.Y("y:O", title=heat.y if first else None, scale=alt.Scale(domain=rows)),
        tooltip=[alt.Tooltip("x:O", title=heat.x), alt.Tooltip("y:O", title=heat.y), alt.Tooltip("text:N", title=name)],
    )
    scale = alt.Scale(type="log", scheme="viridis", domain=list(ends), reverse=True)
    legend = alt.Legend(title=heat.legend, format="~s", tickCount=5)
    layers: Any = alt.layer(
        base.transform_filter("datum.ok").mark_rect().encode(color=alt.Color("value:Q", scale=scale, legend=legend)),
        base.transform_filter("!datum.ok").mark_rect(fill=MUTED, fillOpacity=0.15),
        base.mark_text(fontSize=11).encode(
            text="text:N",
            color=alt.condition("datum.ok && !datum.light", alt.value("#ffffff"), alt.value(DARK)),
        ),
    )
    panel: alt.LayerChart = layers.properties(
        width=SIDE * len(columns), height=SIDE * 0.75 * len(rows), title=alt.TitleParams(name, fontSize=12)
    )
    return panel
