"""Errors over rates and decays as a heat map."""

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from kernelgap.reports.common.axes import MUTED, PALETTE, finished


def heat_chart(cells: pd.DataFrame, method: str, place: str, *, on_page: bool) -> alt.LayerChart | None:
    """Validation error over rates x decays of one method; on the page its place can be chosen."""
    mine = cells[(cells.method == method) & (on_page | (cells.place == place))]
    finite = mine.validation[np.isfinite(mine.validation) & (mine.validation > 0)]
    if finite.empty:
        return None
    low, high = finite.min(), finite.max()
    low, high = (low, high) if low < high else (low / 1.5, high * 1.5)
    ok = np.isfinite(mine.validation)
    data = mine.assign(
        ok=ok,
        shown=[f"{v:.2g}" if math.isfinite(v) else "×" for v in mine.validation],
        validation=mine.validation.where(ok, None),
        test=mine.test.where(np.isfinite(mine.test), None),
        rate=[f"{v:g}" for v in mine.rate],
        decay=[f"{v:g}" for v in mine.decay],
    )
    rates, decays = ([f"{v:g}" for v in sorted(mine[name].unique())] for name in ("rate", "decay"))
    tooltip = [
        alt.Tooltip("place:N", title="at"),
        alt.Tooltip("rate:N"),
        alt.Tooltip("decay:N"),
        alt.Tooltip("validation:Q", format=".4g", title="validation error"),
        alt.Tooltip("test:Q", format=".4g", title="test error"),
        alt.Tooltip("status:N"),
    ]
    base = alt.Chart(data).encode(
        x=alt.X("rate:O", sort=rates, title="rate", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("decay:O", sort=decays[::-1], title="decay"),
        tooltip=tooltip,
    )
    if on_page:
        base = base.transform_filter("datum.place == place")
    colour = alt.Color(
        "validation:Q",
        scale=alt.Scale(type="log", scheme="viridis", domain=[low, high]),
        legend=None if on_page else alt.Legend(title="validation error", format=".1g"),
    )
    dark = f"datum.ok && datum.validation < {math.sqrt(low * high)}"
    text_colour = alt.condition(dark, alt.value("#ffffff"), alt.value("#16202a"))
    frame: dict[str, Any] = {"filled": False, "stroke": PALETTE[0], "strokeWidth": 3.5, "cornerRadius": 2}
    chart = alt.layer(
        base.transform_filter("datum.ok").mark_rect().encode(color=colour),
        base.transform_filter("!datum.ok").mark_rect(fill=MUTED, fillOpacity=0.12),
        base.transform_filter("datum.best").mark_rect(**frame),
        base.mark_text(fontSize=11).properties(name="values").encode(text="shown:N", color=text_colour),
    )
    if on_page:
        chart = chart.add_params(alt.param(name="place", value=place))
    height = 34 * int(mine.groupby("place").decay.nunique().max()) + 4
    return finished(chart, on_page=on_page, title=f"{method} at {place}" if place else method, height=height, width=340)
