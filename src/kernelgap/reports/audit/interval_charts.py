"""Intervals, one line each: the errors of all contenders, a network beside its own kernels, the difference."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import altair as alt
import pandas as pd

from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.results import FROZEN
from kernelgap.audit.statistics.verdict import NOTICED
from kernelgap.number_text import digits
from kernelgap.reports.audit.lines import measure_of, row_of, top_of
from kernelgap.reports.audit.text import COLOURS, FAMILIES
from kernelgap.reports.common.axes import MUTED, finished, legend_above, log_room, tooltips

LINE = 25  # pixels for each
WIDE = 8.0  # the largest over the least, from which on an axis of errors is logarithmic
GREY = "#6b7785"


def forest_chart(audit: Audit, *, on_page: bool) -> alt.LayerChart:
    """All contenders with the samples of the verdict, by test error; the two that are compared are larger."""
    comparison = audit.answer.comparison
    best = (comparison.network, comparison.kernel)
    table = audit.with_samples(comparison.samples)
    sorted_rows: Iterable[Any] = table.sort_values("error").itertuples()
    rows = [
        {
            "method": row.contender,
            "family": FAMILIES[row.family],
            "value": row.error,
            "low": row.low,
            "high": row.high,
            "text": f"{row.error:.3g} ({row.low:.3g} to {row.high:.3g})",
            "best": row.contender in best,
        }
        for row in sorted_rows
    ]
    title = f"Test errors with {comparison.samples:,} samples, and 95% intervals"
    return _intervals(audit, pd.DataFrame(rows), title, on_page=on_page)


def features_chart(audit: Audit, *, on_page: bool) -> alt.LayerChart | None:
    """The best kernel, the network frozen at its start, the network trained; None where nothing was frozen."""
    features, comparison = audit.answer.features, audit.answer.comparison
    if features.last is None and features.ntk is None:
        return None
    kernel = {"family": FAMILIES["kernel"], "best": True}
    frozen = {"family": FAMILIES[FROZEN], "best": True}
    rows = [row_of(f"best kernel ({comparison.kernel})", comparison.kernel_error, **kernel)]
    rows += [] if features.last is None else [row_of("last layer trained alone", features.last, **frozen)]
    rows += [] if features.ntk is None else [row_of("tangent kernel", features.ntk, **frozen)]
    rows += [row_of(f"{features.network}, trained", features.error, family=FAMILIES["network"], best=True)]
    title = f"{features.network}: frozen at its start, and trained"
    return _intervals(audit, pd.DataFrame(rows), title, on_page=on_page)


def _intervals(audit: Audit, rows: pd.DataFrame, title: str, *, on_page: bool) -> alt.LayerChart:
    constant, top = audit.answer.constant.value, top_of(audit)
    seen = rows[rows.value <= top] if top > 0 else rows
    ends = [v for v in (*seen.value, *seen.low, *seen.high.clip(upper=top or None)) if v > 0]
    x = _sideways([*ends, constant] if constant > 0 else [*ends, 1e-12], measure_of(audit))
    least = min(ends, default=0.0)
    rows = rows.assign(low=rows.low.clip(lower=least), value=rows.value.clip(lower=least))
    present = [family for family in FAMILIES if FAMILIES[family] in set(rows.family)]
    colours = alt.Scale(domain=[FAMILIES[f] for f in present], range=[COLOURS[f] for f in present])
    colour = alt.Color("family:N", scale=colours, legend=None if on_page else legend_above())
    y = alt.Y("method:N", sort=list(rows.method), title=None, axis=alt.Axis(labelLimit=190, ticks=False, grid=True))
    tooltip = tooltips(("method:N", "who"), ("family:N", "of the"), ("text:N", "error"))
    base = alt.Chart(rows).encode(y=y, color=colour, tooltip=tooltip)
    rule = base.mark_rule(clip=True, strokeCap="round").encode(
        x=x("low"),
        x2="high:Q",
        strokeWidth=alt.condition("datum.best", alt.value(4), alt.value(2)),
        opacity=alt.condition("datum.best", alt.value(0.75), alt.value(0.5)),
    )
    point = base.mark_point(filled=True, opacity=1, clip=True).encode(
        x=x("value"), size=alt.condition("datum.best", alt.value(150), alt.value(60))
    )
    layers: list[Any] = [rule, point]
    if constant > 0:
        line = alt.Chart(pd.DataFrame([{"value": constant}]))
        line = line.mark_rule(strokeDash=[6, 4], strokeWidth=1.6, color=MUTED)
        layers.append(line.encode(x=x("value"), tooltip=tooltips(("value:Q", "constant guess", ".3g"))))
    return finished(alt.layer(*layers), on_page=on_page, height=LINE * len(rows) + 10, title=title)


def _sideways(values: Sequence[float], title: str) -> Callable[[str], alt.X]:
    """Errors from left to right: logarithmic where they differ much, else from 0."""
    finite = [v for v in values if math.isfinite(v)]
    if min(finite) > 0 and max(finite) / min(finite) > WIDE:
        least, most, ticks = log_room(values)
        scale = alt.Scale(type="log", domain=[least, most], nice=False)
        axis = alt.Axis(values=ticks, format="~g", labelOverlap="greedy", labelSeparation=8)
    else:
        scale = alt.Scale(domain=[0, (max(finite) or 1.0) * 1.05], nice=False)
        axis = alt.Axis(format="~g", tickCount=8)
    return lambda column: alt.X(f"{column}:Q", title=title, scale=scale, axis=axis)


def difference_chart(audit: Audit, *, on_page: bool) -> alt.LayerChart:
    """The kernel's error less the network's on the same rows and seeds: the mean with its 95% interval, and each seed.

    The ground is grey where the difference is too small to be noticed.
    """
    comparison = audit.answer.comparison
    rows = [row_of("all seeds", comparison.difference, all=True)]
    for seed, value in enumerate(comparison.by_seed):
        ends = {"value": value, "low": value, "high": value}
        rows.append({"method": f"seed {seed}", **ends, "text": digits(value), "all": False})
    noticed = NOTICED * audit.answer.constant.value
    title = f"error of {comparison.kernel} minus error of {comparison.network}"
    colour = {"network ahead": COLOURS["network"], "kernel ahead": COLOURS["kernel"]}.get(audit.verdict)
    sides = ("\u2190 kernel better", "network better \u2192")
    layers = difference_layers(pd.DataFrame(rows), noticed, title, sides, colour)
    named = f"{comparison.kernel} against {comparison.network} with {comparison.samples:,} samples"
    return finished(alt.layer(*layers), on_page=on_page, height=32 * len(rows) + 12, title=named)


def difference_layers(
    data: pd.DataFrame, noticed: float, title: str, sides: tuple[str, str], colour: str | None
) -> list[Any]:
    """Differences as points, the one of ``all`` with its interval, on a ground that is grey where it is not noticed."""
    colour = colour or GREY
    reach = 1.15 * max(*data.low.abs(), *data.high.abs(), 1.5 * noticed) or 1.0
    scale, axis = alt.Scale(domain=[-reach, reach], nice=False), alt.Axis(format="~g", tickCount=7)

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=title, scale=scale, axis=axis)

    y = alt.Y("method:N", sort=list(data.method), title=None, axis=alt.Axis(ticks=False, grid=False))
    base = alt.Chart(data).encode(y=y, tooltip=tooltips(("method:N", "of"), ("text:N", "difference")))
    ground = alt.Chart(pd.DataFrame([{"low": -noticed, "high": noticed}])).mark_rect(color=MUTED, opacity=0.22)
    zero = alt.Chart(pd.DataFrame([{"zero": 0.0}])).mark_rule(color=GREY, strokeWidth=1.6)
    interval = base.transform_filter("datum.all")
    interval = interval.mark_rule(strokeWidth=4, opacity=0.75, color=colour, strokeCap="round")
    size = alt.condition("datum.all", alt.value(170), alt.value(70))
    layers: list[Any] = [
        ground.encode(x=x("low"), x2="high:Q"),
        zero.encode(x=x("zero")),
        interval.encode(x=x("low"), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, color=colour).encode(x=x("value"), size=size),
    ]
    places: tuple[tuple[Literal["left", "right"], float], ...] = (("left", -reach), ("right", reach))
    for (side, at), text in zip(places, sides, strict=True):
        label = alt.Chart(pd.DataFrame([{"at": at, "text": text}]), name=f"words_{side}")
        label = label.mark_text(align=side, baseline="bottom", fontSize=12, color=MUTED, dy=-4)
        layers.append(label.encode(x=x("at"), y=alt.value(0), text="text:N"))
    return layers
