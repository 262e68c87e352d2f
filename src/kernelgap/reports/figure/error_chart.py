"""Test error against width or beta, as in the paper's figures: medians over seeds, bands from least to greatest."""

from typing import Any

import altair as alt
import pandas as pd

from kernelgap.paper.figures.paper_values import LABEL
from kernelgap.paper.figures.picks import NETWORKS
from kernelgap.paper.figures.result import FigureRun
from kernelgap.reports.common.axes import MUTED, Axis, across, finished, labelled_level, log_axis
from kernelgap.reports.common.looks import Look, looks
from kernelgap.reports.figure.lines import PICKS, error_lines, is_line_of, paper_marks

TITLES = {"width": "width m", "beta": "beta, the strength of the base signal", "norm": "Frobenius norm of the weights"}
SHOWN = "(length(shown) == 0 || indexof(shown, datum.method) >= 0)"
OF_NETWORK = f"datum.group == '{NETWORKS}'"


def error_chart(run: FigureRun, *, on_page: bool) -> alt.LayerChart | None:
    """Test error against width or beta, log-log; None if no method has a finite error."""
    lines = error_lines(run)
    if lines.empty:
        return None
    marks = paper_marks(run.name, lines)
    if not on_page:
        lines = lines[lines.pick == PICKS[0]]
    y = log_axis([*lines.low, *lines.high, *marks.error, run.threshold], "test error")
    x = across(lines.x.tolist(), TITLES[run.axis], whole=run.axis == "width")
    methods = list(dict.fromkeys(lines.method))
    drawn = looks(methods)
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=500, symbolOpacity=1, labelLimit=180)

    def by_method(channel: Any, values: list[Any]) -> Any:
        scale = alt.Scale(domain=methods, range=values)
        return channel("method:N", scale=scale, sort=methods, legend=None if on_page else legend)

    colour = by_method(alt.Color, [drawn[m].colour for m in methods])
    dash = by_method(alt.StrokeDash, [list(drawn[m].dash) or [1, 0] for m in methods])
    lines = lines.assign(shape=[drawn[m].shape for m in lines.method])
    base = alt.Chart(lines).encode(x=x, y=y("error"), color=colour)
    if on_page:
        base = base.transform_filter("datum.pick == pick")
    tooltip = [
        alt.Tooltip("method:N"),
        alt.Tooltip("place:N", title="at"),
        alt.Tooltip("error:Q", format=".4g", title="test error, median"),
        alt.Tooltip("setting:N"),
        alt.Tooltip("failed:N", title="failed trials"),
    ]
    layers = []
    if (lines.seeds > 1).any():
        ends = {"low": "least", "high": "greatest"}
        tooltip += [alt.Tooltip(f"{end}:Q", format=".4g", title=f"{name} over seeds") for end, name in ends.items()]
        band = base.mark_area(opacity=1, strokeOpacity=0).encode(y=y("low"), y2="high:Q")
        for which, full, faint in ((OF_NETWORK, 0.18, 0.02), (f"!({OF_NETWORK})", 0.07, 0.01)):
            layers.append(band.transform_filter(which).encode(fillOpacity=faded(on_page, full, faint)))
    layers += paper_layers(marks, x, y, drawn, on_page=on_page)
    opacity = faded(on_page, 1.0, 0.07)
    width, size = (alt.condition(OF_NETWORK, alt.value(a), alt.value(b)) for a, b in ((2.8, 1.5), (70, 34)))
    points = base.transform_filter("!datum.flat").mark_point(filled=True)
    layers += [
        base.mark_line().encode(strokeDash=dash, strokeWidth=width, opacity=opacity),
        points.encode(shape=alt.Shape("shape:N", scale=None), size=size, opacity=opacity, tooltip=tooltip),
        *threshold_layers(run.threshold, y, lines.x.max(), x),
    ]
    if on_page and lines.flat.any():  # broad and unseen: easier to point at than a thin line
        flat = base.transform_filter("datum.flat").mark_line(strokeWidth=12, opacity=0)
        layers.append(flat.encode(detail="method:N", tooltip=tooltip))
    chart = alt.layer(*layers)
    if on_page:
        chart = chart.add_params(alt.param(name="shown", value=[]), alt.param(name="pick", value=PICKS[0]))
    several = int(lines.seeds.max())
    note = f"Picked on {PICKS[0]}." + (f" Medians and ranges over {several} seeds." if several > 1 else " One start.")
    note += f" Faint, wide marks: {LABEL}." if len(marks) else ""
    return finished(chart, on_page=on_page, title=alt.Title(f"{run.name}: {run.title}", subtitle=note))


def faded(on_page: bool, full: float, faint: float) -> Any:
    """A method that is not among those shown steps back."""
    return alt.condition(SHOWN, alt.value(full), alt.value(faint)) if on_page else alt.value(full)


def paper_layers(marks: pd.DataFrame, x: alt.X, y: Axis, drawn: dict[str, Look], *, on_page: bool) -> list[alt.Chart]:
    """The paper's values: faint wide strokes, or rings where it is one point; grey if of many methods."""
    if marks.empty:
        return []
    colours = [
        next((look.colour for name, look in drawn.items() if m and is_line_of(name, m)), MUTED) for m in marks.method
    ]
    shown = marks.assign(colour=colours, source=LABEL, method=marks.method.fillna("several methods"))
    tooltip = [
        alt.Tooltip("source:N", title="from"),
        alt.Tooltip("method:N"),
        alt.Tooltip("error:Q", format=".3g", title="test error, about"),
        alt.Tooltip("text:N", title="read as"),
    ]
    colour = alt.Color("colour:N", scale=None)
    base = alt.Chart(shown).encode(
        x=x, y=y("error"), color=colour, strokeOpacity=faded(on_page, 0.36, 0.04), tooltip=tooltip
    )
    wide = base.transform_filter("datum.x < datum.x2").mark_rule(strokeWidth=9, strokeCap="round").encode(x2="x2:Q")
    single = base.transform_filter("datum.x >= datum.x2").mark_point(size=260, strokeWidth=5)
    return [wide, single]


def threshold_layers(threshold: float, y: Axis, right: float, x: alt.X) -> list[Any]:
    """The dashed line that learning F alone, or nothing, does not get under."""
    row = {"x": right, "error": threshold, "label": f"threshold {threshold:.4g}"}
    line, label = labelled_level(row, "error", x, y, align="right")
    return [line.encode(tooltip=[alt.Tooltip("error:Q", format=".4g", title="threshold")]), label]
