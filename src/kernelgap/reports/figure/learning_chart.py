"""How a network learned: its errors, and how far its outputs are from F and from H, over the epochs."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from kernelgap.paper.figures.signals import Signals
from kernelgap.reports.common.axes import MUTED, PALETTE, finished, labelled_level, legend_above, log_axis


def learning_chart(
    curves: dict[str, list[float]], title: str, threshold: float, *, drop: float | None, on_page: bool
) -> alt.LayerChart | None:
    """Train, validation and test error over the epochs, as stored."""
    columns = {name: curves[name] for name in ("train", "validation", "test") if curves.get(name)}
    rows = _rows(curves.get("epochs", []), columns)
    return _over_epochs(rows, "error", title, threshold, drop=drop, on_page=on_page)


def signals_chart(
    signals: Signals, title: str, threshold: float, *, drop: float | None, on_page: bool
) -> alt.LayerChart | None:
    """How far out1 is from F and out from H over the epochs: F is learned before G."""
    columns = {"|out1 \u2212 F|\u00b2": signals["base"], "|out \u2212 H|\u00b2": signals["target"]}
    rows = _rows(signals["epochs"], columns)
    return _over_epochs(rows, "distance on the test sample", title, threshold, drop=drop, on_page=on_page)


def _rows(epochs: Sequence[float], columns: dict[str, list[float]]) -> pd.DataFrame:
    """What a logarithmic axis can show; a diverged member's curves end early."""
    points = [(e, name, v) for name, values in columns.items() for e, v in zip(epochs, values, strict=False)]
    finite = [point for point in points if math.isfinite(point[2]) and point[2] > 0]
    return pd.DataFrame(finite, columns=["epoch", "what", "value"])


def _over_epochs(
    data: pd.DataFrame, measure: str, title: str, threshold: float, *, drop: float | None, on_page: bool
) -> alt.LayerChart | None:
    if data.empty:
        return None
    y = log_axis([*data.value, threshold], measure)
    last = float(data.epoch.max())
    ticks = [0.0, *(10.0**k for k in range(7) if 10.0**k < 0.7 * last), *([last] if last else [])]
    scale = alt.Scale(type="symlog", constant=1, domain=[0, last or 1], nice=False)
    x = alt.X("epoch:Q", title="epoch", scale=scale, axis=alt.Axis(values=ticks, format=",d", grid=False))
    names = list(dict.fromkeys(data.what))

    def by_name(channel: Any, values: list[Any]) -> Any:
        return channel("what:N", scale=alt.Scale(domain=names, range=values[: len(names)]), legend=legend_above())

    tooltip = [
        alt.Tooltip("what:N", title="measure"),
        alt.Tooltip("epoch:Q", format=",d"),
        alt.Tooltip("value:Q", format=".4g"),
    ]
    base = alt.Chart(data).encode(x=x, y=y("value"), color=by_name(alt.Color, list(PALETTE)), tooltip=tooltip)
    layers: list[alt.Chart] = []
    if drop is not None and 0 < drop < last:
        fall = alt.Chart(pd.DataFrame([{"epoch": drop}])).mark_rule(strokeWidth=1, color=MUTED, opacity=0.6)
        layers.append(fall.encode(x=x, tooltip=[alt.Tooltip("epoch:Q", title="the rate falls at epoch")]))
    level = {"epoch": 0.0, "value": threshold, "label": f"threshold {threshold:.4g}"}
    layers += [
        base.mark_line(strokeWidth=2.2).encode(strokeDash=by_name(alt.StrokeDash, [[1, 0], [7, 3], [2, 3]])),
        base.mark_point(size=26, filled=True, opacity=1),
        *labelled_level(level, "value", x, y, align="left"),
    ]
    return finished(alt.layer(*layers), on_page=on_page, title=title, height=300, width=460)
