"""Learning curves: the contenders' errors, or accuracies, over the number of samples."""

from typing import Any

import altair as alt
import pandas as pd

from kernelgap.audit.result import Audit
from kernelgap.reports.audit.lines import contenders_of, curve_rows, error_axis, measure_of, top_of
from kernelgap.reports.audit.text import contender_looks
from kernelgap.reports.common.axes import HEIGHT, MUTED, Axis, across, finished, standing_out, tooltips

LEAST = 0.4  # of the least error: bands end there, as a logarithmic axis has no 0


def curves_chart(audit: Audit, *, on_page: bool, what: str = "error") -> alt.LayerChart | None:
    """Log-log for errors; None with fewer than two numbers of samples."""
    rows = curve_rows(audit, what)
    if rows.empty or rows.x.nunique() < 2:
        return None
    known = audit.answer.constant if what == "error" else audit.answer.constant_accuracy
    constant = 0.0 if known is None else known.value
    y, rows = _vertical(audit, rows, what, constant)
    drawn = contender_looks([(curve.contender, curve.family) for curve in contenders_of(audit)])
    rows = rows.assign(shape=[drawn[m].shape for m in rows.method])
    names = list(dict.fromkeys(rows.method))
    legend = None if on_page else alt.Legend(title=None, symbolType="stroke", symbolSize=400, symbolOpacity=1)
    colours = alt.Scale(domain=names, range=[drawn[m].colour for m in names])
    colour = alt.Color("method:N", scale=colours, sort=names, legend=legend)
    dashes = alt.Scale(domain=names, range=[list(drawn[m].dash) or [1, 0] for m in names])
    x = across([float(n) for n in rows.x], "samples", whole=True)
    base = alt.Chart(rows).encode(x=x, y=y("value"), color=colour)
    who = (("method:N", "who"), ("family:N", "of the"), ("x:Q", "samples", ",d"))
    tooltip = tooltips(*who, ("text:N", what), ("setting:N", "setting"), ("seeds:Q", "seeds"))
    band = alt.Chart(rows).encode(x=x, y=y("low"), y2="high:Q", color=colour, detail="method:N")
    layers: list[Any] = [
        band.mark_area(strokeOpacity=0, clip=True).encode(fillOpacity=standing_out(on_page, 0.16, 0.0, 0.13, 0.0)),
        base.mark_line(clip=True).encode(
            strokeDash=alt.StrokeDash("method:N", scale=dashes, sort=names, legend=legend),
            strokeWidth=alt.condition("datum.best", alt.value(3.2), alt.value(1.5)),
            opacity=standing_out(on_page, 1.0, 0.38, 1.0, 0.06),
        ),
        base.mark_point(filled=True, clip=True).encode(
            shape=alt.Shape("shape:N", scale=None),
            size=alt.condition("datum.best", alt.value(90), alt.value(34)),
            opacity=standing_out(on_page, 1.0, 0.45, 1.0, 0.06),
            tooltip=tooltip,
        ),
        *_constant_layers(constant, what, y, x, rows.x.max()),
    ]
    chart = alt.layer(*layers)
    height = HEIGHT if what == "error" else HEIGHT * 2 // 3
    if on_page:
        return finished(chart.add_params(alt.param(name="shown", value=[])), on_page=True, height=height)
    title = f"Test {what} over the number of samples"
    return finished(chart, on_page=False, title=alt.Title(title, subtitle="Bands: 95% intervals of the two best."))


def _vertical(audit: Audit, rows: pd.DataFrame, what: str, constant: float) -> tuple[Axis, pd.DataFrame]:
    """The axis, and the rows with bands that end within it."""
    if what != "error":
        low = max(0.0, min(float(rows.value.min()), constant or 1.0) - 0.05)
        room = 0.03 * (1 - low)  # for points at 100%
        scale, axis = alt.Scale(domain=[low, 1 + room], nice=False), alt.Axis(format=".0%", tickCount=6)
        title = "accuracy on the test rows"
        return (lambda column: alt.Y(f"{column}:Q", title=title, scale=scale, axis=axis)), rows
    top = top_of(audit)
    within = rows[(rows.value > 0) & (rows.value <= top)] if top > 0 else rows[rows.value > 0]
    least = LEAST * float(within.value.min()) if len(within) else 0.0
    bands = within[within.best]
    ends = [*bands.low.clip(lower=least), *bands.high.clip(upper=top)]
    y = error_axis([*within.value, *ends, constant], measure_of(audit))
    return y, rows.assign(value=rows.value.clip(lower=least), low=rows.low.clip(lower=least))


def _constant_layers(constant: float, what: str, y: Axis, x: alt.X, right: float) -> list[Any]:
    if constant <= 0:
        return []
    data = pd.DataFrame([{"x": right, "value": constant, "text": "constant guess"}])
    line = alt.Chart(data).mark_rule(strokeDash=[6, 4], strokeWidth=1.6, color=MUTED)
    place: Any = {"align": "right", "baseline": "bottom", "dx": 4, "dy": -4}
    text = alt.Chart(data, name=f"words_{what}").mark_text(**place, fontSize=12, color=MUTED)
    return [line.encode(y=y("value")), text.encode(x=x, y=y("value"), text="text:N")]
