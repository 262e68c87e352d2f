"""How a network learned: its errors, and how far its outputs are from F and from H, over the epochs."""

import math
from collections.abc import Sequence

import altair as alt
import pandas as pd

from kernelgap.paper.figures.signals import Signals
from kernelgap.reports.common.axes import MUTED, PALETTE, finished, legend_above, log_axis


def learning_chart(
    curves: dict[str, list[float]], title: str, threshold: float, *, drop: float | None, on_page: bool
) -> alt.LayerChart | None:
    """Train, validation and test error over the epochs, as stored."""
    columns = {name: curves[name] for name in ("train", "validation", "test") if curves.get(name)}
    return _over_epochs(curves.get("epochs", []), columns, "error", title, threshold, drop=drop, on_page=on_page)


def signals_chart(
    signals: Signals, title: str, threshold: float, *, drop: float | None, on_page: bool
) -> alt.LayerChart | None:
    """How far out1 is from F and out from H over the epochs: F is learned before G."""
    columns = {"|out1 \u2212 F|\u00b2": signals["base"], "|out \u2212 H|\u00b2": signals["target"]}
    return _over_epochs(
        signals["epochs"], columns, "distance on the test sample", title, threshold, drop=drop, on_page=on_page
    )


def _over_epochs(
    epochs: Sequence[float],
    columns: dict[str, list[float]],
    measure: str,
    title: str,
    threshold: float,
    *,
    drop: float | None,
    on_page: bool,
) -> alt.LayerChart | None:
    rows = [
        {"epoch": e, "what": name, "value": v}
        for name, values in columns.items()
        for e, v in zip(epochs, values, strict=False)  # a diverged member's curves end early
        if math.isfinite(v) and v > 0
    ]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    y = log_axis([*data.value, threshold], measure)
    last = float(data.epoch.max())
    ticks = [0.0, *(10.0**k for k in range(7) if 10.0**k < 0.7 * last), *([last] if last else [])]
    across = alt.X(
        "epoch:Q",
        title="epoch",
        scale=alt.Scale(type="symlog", constant=1, domain=[0, last or 1], nice=False),
        axis=alt.Axis(values=ticks, format=",d", grid=False),
    )
    names = list(columns)
    base = alt.Chart(data).encode(
        x=across,
        y=y("value"),
        color=alt.Color(
            "what:N", scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])), legend=legend_above()
        ),
        tooltip=[
            alt.Tooltip("what:N", title="measure"),
            alt.Tooltip("epoch:Q", format=",d"),
            alt.Tooltip("value:Q", format=".4g"),
        ],
    )
    dashes: list[list[int]] = [[1, 0], [7, 3], [2, 3]]
    layers: list[alt.Chart] = []
    if drop is not None and 0 < drop < last:
        fall = alt.Chart(pd.DataFrame([{"epoch": drop}])).mark_rule(strokeWidth=1, color=MUTED, opacity=0.6)
        layers.append(fall.encode(x=across, tooltip=[alt.Tooltip("epoch:Q", title="the rate falls at epoch")]))
    layers += [
        base.mark_line(strokeWidth=2.2).encode(
            strokeDash=alt.StrokeDash(
                "what:N", scale=alt.Scale(domain=names, range=dashes[: len(names)]), legend=legend_above()
            )
        ),
        base.mark_point(size=26, filled=True, opacity=1),
    ]
    line = pd.DataFrame([{"epoch": 0.0, "value": threshold, "words": f"threshold {threshold:.4g}"}])
    words = (
        alt.Chart(line)
        .mark_text(align="left", baseline="top", dx=4, dy=4, fontSize=12, color=MUTED)
        .properties(name="words")
    )
    layers += [
        alt.Chart(line).mark_rule(strokeDash=[6, 4], strokeWidth=1.6, color=MUTED).encode(y=y("value")),
        words.encode(x=across, y=y("value"), text="words:N"),
    ]
    return finished(alt.layer(*layers), on_page=on_page, title=title, height=300, width=460)
