"""Test error against width or beta, as in the paper's figures."""

from typing import Any

import altair as alt
import pandas as pd

from kernelgap.paper.figures.picks import NETWORKS
from kernelgap.paper.figures.result import FigureRun
from kernelgap.reports.common.axes import MUTED, Axis, across, finished, log_axis
from kernelgap.reports.common.looks import Look, looks
from kernelgap.reports.figure.lines import PICKS, error_lines, paper_marks
from kernelgap.reports.figure.paper_values import LABEL

TITLES = {"width": "width m", "beta": "beta, the strength of the base signal", "norm": "Frobenius norm of the weights"}
SHOWN = "(length(shown) == 0 || indexof(shown, datum.method) >= 0)"


def error_chart(run: FigureRun, *, on_page: bool) -> alt.LayerChart | None:
    """Test error against width or beta, log-log; None if no method has a finite error."""
    lines = error_lines(run)
    if lines.empty:
        return None
    x = run.axis
    marks = paper_marks(run.name, lines)
    threshold = run.threshold
    if not on_page:
        lines = lines[lines.pick == PICKS[0]]
    y = log_axis([*lines.low, *lines.high, *marks.error, threshold], "test error")
    horizontal = across(lines.x.tolist(), TITLES[x], whole=x == "width")
    methods = list(dict.fromkeys(lines.method))
    drawn = looks(methods)
    legend = (
        None
        if on_page
        else alt.Legend(title=None, symbolType="stroke", symbolSize=500, symbolOpacity=1, labelLimit=180)
    )
    colour = alt.Color(
        "method:N",
        scale=alt.Scale(domain=methods, range=[drawn[m].colour for m in methods]),
        sort=methods,
        legend=legend,
    )
    dash = alt.StrokeDash(
        "method:N",
        scale=alt.Scale(domain=methods, range=[list(drawn[m].dash) or [1, 0] for m in methods]),
        sort=methods,
        legend=legend,
    )
    lines = lines.assign(shape=[drawn[m].shape for m in lines.method])
    base = alt.Chart(lines).encode(x=horizontal, y=y("error"), color=colour)
    if on_page:
        base = base.transform_filter("datum.pick == pick")
    tooltip = [
        alt.Tooltip("method:N"),
        alt.Tooltip("place:N", title="at"),
        alt.Tooltip("error:Q", format=".4g", title="test error"),
        alt.Tooltip("setting:N"),
        alt.Tooltip("failed:N", title="failed trials"),
    ]
    several = bool((lines.seeds > 1).any())
    if several:
        ends = {"low": "least", "high": "greatest"}
        tooltip += [alt.Tooltip(f"{end}:Q", format=".4g", title=f"{name} over seeds") for end, name in ends.items()]
    network = f"datum.group == '{NETWORKS}'"
    layers = []
    if several:
        band = base.mark_area(opacity=1, strokeOpacity=0).encode(y=y("low"), y2="high:Q")
        layers += [
            band.transform_filter(network).encode(fillOpacity=faded(on_page, 0.18, 0.02)),
            band.transform_filter(f"!({network})").encode(fillOpacity=faded(on_page, 0.07, 0.01)),
        ]
    layers += paper_layers(marks, horizontal, y, drawn, on_page=on_page)
    layers += [
        base.mark_line().encode(
            strokeDash=dash,
            strokeWidth=alt.condition(network, alt.value(2.8), alt.value(1.5)),
            opacity=faded(on_page, 1.0, 0.07),
        ),
        base.transform_filter("!datum.flat")
        .mark_point(filled=True)
        .encode(
            shape=alt.Shape("shape:N", scale=None),
            size=alt.condition(network, alt.value(70), alt.value(34)),
            opacity=faded(on_page, 1.0, 0.07),
            tooltip=tooltip,
        ),
        *threshold_layers(threshold, y, lines.x.max(), horizontal),
    ]
    if on_page and lines.flat.any():  # broad and unseen: easier to point at than a thin line
        flat = base.transform_filter("datum.flat").mark_line(strokeWidth=12, opacity=0)
        layers.append(flat.encode(detail="method:N", tooltip=tooltip))
    title = f"{run.name}: {run.title}"
    chart = alt.layer(*layers)
    if on_page:
        chart = chart.add_params(alt.param(name="shown", value=[]), alt.param(name="pick", value=PICKS[0]))
        return finished(chart, on_page=True)
    note = f"Picked on {PICKS[0]}." + (f" Faint, wide marks: {LABEL}." if len(marks) else "")
    return finished(chart, on_page=False, title=alt.Title(title, subtitle=note))


def faded(on_page: bool, full: float, faint: float) -> Any:
    """A method that is not among those shown steps back."""
    return alt.condition(SHOWN, alt.value(full), alt.value(faint)) if on_page else alt.value(full)


def paper_layers(
    marks: pd.DataFrame, horizontal: alt.X, y: Axis, drawn: dict[str, Look], *, on_page: bool
) -> list[alt.Chart]:
    """The paper's values: faint wide strokes, or rings where it is one point; grey if of many methods."""
    if marks.empty:
        return []
    colours = [next((look.colour for name, look in drawn.items() if m and _of(name, m)), MUTED) for m in marks.method]
    shown = marks.assign(colour=colours, source=LABEL, method=marks.method.fillna("several methods"))
    tooltip = [
        alt.Tooltip("source:N", title="from"),
        alt.Tooltip("method:N"),
        alt.Tooltip("error:Q", format=".3g", title="test error, about"),
        alt.Tooltip("words:N", title="read as"),
    ]
    base = alt.Chart(shown).encode(
        x=horizontal,
        y=y("error"),
        color=alt.Color("colour:N", scale=None),
        strokeOpacity=faded(on_page, 0.36, 0.04),
        tooltip=tooltip,
    )
    wide = base.transform_filter("datum.x < datum.x2").mark_rule(strokeWidth=9, strokeCap="round").encode(x2="x2:Q")
    single = base.transform_filter("datum.x >= datum.x2").mark_point(size=260, strokeWidth=5)
    return [wide, single]


def _of(line: str, method: str) -> bool:
    """Whether a line is that of a method, at one of its widths perhaps."""
    return line == method or line.startswith(f"{method} width ")


def threshold_layers(threshold: float, y: Axis, right: float, horizontal: alt.X) -> list[alt.Chart]:
    """The dashed line that learning F alone, or nothing, does not get under."""
    data = pd.DataFrame([{"x": right, "error": threshold, "words": f"threshold {threshold:.4g}"}])
    told = [alt.Tooltip("error:Q", format=".4g", title="threshold")]
    line = alt.Chart(data).mark_rule(strokeDash=[6, 4], strokeWidth=1.6, color=MUTED)
    words = alt.Chart(data, name="words").mark_text(align="right", baseline="top", dx=4, dy=5, fontSize=12, color=MUTED)
    return [line.encode(y=y("error"), tooltip=told), words.encode(x=horizontal, y=y("error"), text="words:N")]
