"""Errors with their intervals, one line each: all contenders, and a network beside its own kernels."""

from collections.abc import Iterable
from typing import Any

import altair as alt
import pandas as pd

from kernelgap.audit.result import Audit
from kernelgap.reports.audit.axes import sideways
from kernelgap.reports.audit.lines import measure_of, row_of, top_of
from kernelgap.reports.audit.text import COLOURS, FAMILIES
from kernelgap.reports.common.axes import MUTED, finished, legend_above

LINE = 25  # pixels for each


def forest_chart(audit: Audit, *, on_page: bool) -> alt.LayerChart:
    """Everybody with the samples of the verdict, the least test error on top; the two that are compared are larger."""
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
            "told": f"{row.error:.3g} ({row.low:.3g} to {row.high:.3g})",
            "best": row.contender in best,
        }
        for row in sorted_rows
    ]
    title = f"Test errors with {comparison.samples:,} samples, and 95% intervals"
    return _intervals(audit, pd.DataFrame(rows), title, on_page=on_page)


def features_chart(audit: Audit, *, on_page: bool) -> alt.LayerChart | None:
    """The best kernel, the network frozen at its start, the network trained; None where nothing was frozen."""
    found, comparison = audit.answer.features, audit.answer.comparison
    if found.last is None and found.ntk is None:
        return None
    kernel = {"family": FAMILIES["kernel"], "best": True}
    frozen = {"family": FAMILIES["twin"], "best": True}
    rows = [row_of(f"best kernel ({comparison.kernel})", comparison.kernel_error, **kernel)]
    rows += [] if found.last is None else [row_of("last layer trained alone", found.last, **frozen)]
    rows += [] if found.ntk is None else [row_of("tangent kernel", found.ntk, **frozen)]
    rows += [row_of(f"{found.network}, trained", found.error, family=FAMILIES["network"], best=True)]
    title = f"{found.network}: frozen at its start, and trained"
    return _intervals(audit, pd.DataFrame(rows), title, on_page=on_page)


def _intervals(audit: Audit, rows: pd.DataFrame, title: str, *, on_page: bool) -> alt.LayerChart:
    constant, top = audit.answer.constant.value, top_of(audit)
    seen = rows[rows.value <= top] if top > 0 else rows
    ends = [v for v in (*seen.value, *seen.low, *seen.high.clip(upper=top or None)) if v > 0]
    x = sideways([*ends, constant] if constant > 0 else [*ends, 1e-12], measure_of(audit))
    least = min(ends, default=0.0)
    rows = rows.assign(low=rows.low.clip(lower=least), value=rows.value.clip(lower=least))
    there = [family for family in FAMILIES if FAMILIES[family] in set(rows.family)]
    colour = alt.Color(
        "family:N",
        scale=alt.Scale(domain=[FAMILIES[f] for f in there], range=[COLOURS[f] for f in there]),
        legend=None if on_page else legend_above(),
    )
    y = alt.Y("method:N", sort=list(rows.method), title=None, axis=alt.Axis(labelLimit=190, ticks=False, grid=True))
    tooltip = [
        alt.Tooltip("method:N", title="who"),
        alt.Tooltip("family:N", title="of the"),
        alt.Tooltip("told:N", title="error"),
    ]
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
        at = pd.DataFrame([{"value": constant, "words": "constant guess"}])
        line = alt.Chart(at).mark_rule(strokeDash=[6, 4], strokeWidth=1.6, color=MUTED)
        layers.append(line.encode(x=x("value"), tooltip=[alt.Tooltip("value:Q", format=".3g", title="constant guess")]))
    return finished(alt.layer(*layers), on_page=on_page, height=LINE * len(rows) + 10, title=title)
