"""Errors over rates and decays as a heat map."""

import math

import altair as alt
import pandas as pd

from kernelgap.reports.common.axes import MUTED, PALETTE, finished


def heat_chart(cells: pd.DataFrame, method: str, place: str, *, on_page: bool) -> alt.LayerChart | None:
    """Validation error over rates x decays of one method; on the page its place can be chosen."""
    mine = cells[cells.method == method]
    if not on_page:
        mine = mine[mine.place == place]
    finite = mine.validation[mine.validation.map(lambda v: math.isfinite(v) and v > 0)]
    if finite.empty:
        return None
    low, high = finite.min(), finite.max()
    low, high = (low, high) if low < high else (low / 1.5, high * 1.5)
    dark = math.sqrt(low * high)
    data = mine.assign(
        ok=mine.validation.map(math.isfinite),
        shown=[f"{v:.2g}" if math.isfinite(v) else "×" for v in mine.validation],
        validation=mine.validation.where(mine.validation.map(math.isfinite), None),
        test=mine.test.where(mine.test.map(math.isfinite), None),
        rate=[f"{v:g}" for v in mine.rate],
        decay=[f"{v:g}" for v in mine.decay],
    )
    order = {name: [f"{v:g}" for v in sorted(mine[name].unique())] for name in ("rate", "decay")}
    tooltip = [
        alt.Tooltip("place:N", title="at"),
        alt.Tooltip("rate:N"),
        alt.Tooltip("decay:N"),
        alt.Tooltip("validation:Q", format=".4g", title="validation error"),
        alt.Tooltip("test:Q", format=".4g", title="test error"),
        alt.Tooltip("status:N"),
    ]
    base = alt.Chart(data).encode(
        x=alt.X("rate:O", sort=order["rate"], title="rate", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("decay:O", sort=order["decay"][::-1], title="decay"),
        tooltip=tooltip,
    )
    if on_page:
        base = base.transform_filter("datum.place == place")
    cell = base.transform_filter("datum.ok").mark_rect()
    colour = alt.Color(
        "validation:Q",
        scale=alt.Scale(type="log", scheme="viridis", domain=[low, high]),
        legend=None if on_page else alt.Legend(title="validation error", format=".1g"),
    )
    failed = base.transform_filter("!datum.ok").mark_rect(fill=MUTED, fillOpacity=0.12)
    best = base.transform_filter("datum.best").mark_rect(
        filled=False, stroke=PALETTE[0], strokeWidth=3.5, cornerRadius=2
    )
    words = (
        base.mark_text(fontSize=11)
        .properties(name="values")
        .encode(
            text="shown:N",
            color=alt.condition(f"datum.ok && datum.validation < {dark}", alt.value("#ffffff"), alt.value("#16202a")),
        )
    )
    chart = alt.layer(cell.encode(color=colour), failed, best, words)
    if on_page:
        chart = chart.add_params(alt.param(name="place", value=place))
    title = f"{method}{f' at {place}' if place else ''}"
    rows = (
        mine[mine.place == place].decay.nunique() if not on_page else int(mine.groupby("place").decay.nunique().max())
    )
    return finished(chart, on_page=on_page, title=None if on_page else title, height=34 * rows + 4, width=340)
