"""The kernel gap: where the best kernel's learning curve reaches the network's error."""

import math
from typing import Any, Literal

import altair as alt
import pandas as pd

from kernelgap.audit.result import Audit
from kernelgap.number_text import digits
from kernelgap.reports.audit.curves_chart import LEAST
from kernelgap.reports.audit.lines import best_kernels, error_axis, law_of, measure_of
from kernelgap.reports.audit.text import COLOURS
from kernelgap.reports.common.axes import MUTED, finished, tooltips

FURTHEST = 1e4  # times the samples at hand: extrapolations are drawn up to there ...
BEYOND = 30.0  # ... and this far if they lead nowhere


def gap_chart(audit: Audit, *, on_page: bool) -> alt.LayerChart | None:
    """Measured solid, extrapolated dashed; None where there is no gap to speak of."""
    gap, kernels = audit.answer.gap, best_kernels(audit)
    if gap.kind == "none" or gap.kernel_samples is None or len(kernels) < 2:
        return None
    target = audit.answer.comparison.network_error.value
    reached = gap.kernel_samples
    last = float(kernels.x.max())
    right = max(last, float(gap.samples)) * (BEYOND if gap.kind == "out of reach" else 1.0)
    law = law_of(kernels) if gap.kind in ("extrapolated", "out of reach") else None
    for end in (reached.value, law.reaches(target) if law is not None and gap.kind == "extrapolated" else math.inf):
        right = max(right, min(end, FURTHEST * last)) if math.isfinite(end) else right
    right *= 1.6 if gap.kind in ("extrapolated", "out of reach") else 1.0
    left = float(min(kernels.x.min(), gap.samples, max(1.0, reached.value)))
    ends = [] if law is None else [last, right]
    beyond = pd.DataFrame({"x": ends, "value": [law.at(n) for n in ends] if law is not None else []})
    positive = [v for v in (*kernels.value, target, *beyond.value) if v > 0]
    least = LEAST * min(positive, default=1.0)
    kernels = kernels.assign(low=kernels.low.clip(lower=least), value=kernels.value.clip(lower=least))
    y = error_axis([*positive, *kernels.low, *kernels.high, audit.answer.constant.value], measure_of(audit))
    scale = alt.Scale(type="log", domain=[left, right], nice=False, padding=14)
    axis = alt.Axis(grid=False, format=",~f", labelOverlap="greedy", labelSeparation=8, tickCount=6)

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title="samples", scale=scale, axis=axis)

    blue, orange = COLOURS["kernel"], COLOURS["network"]
    tooltip = tooltips(("method:N", "best kernel"), ("x:Q", "samples", ",d"), ("value:Q", "error", ".3g"))
    curve = alt.Chart(kernels).encode(x=x("x"))
    layers: list[Any] = [
        curve.mark_area(color=blue, opacity=0.14, clip=True).encode(y=y("low"), y2="high:Q"),
        curve.mark_line(color=blue, strokeWidth=3).encode(y=y("value")),
        curve.mark_point(color=blue, filled=True, size=80, opacity=1).encode(y=y("value"), tooltip=tooltip),
    ]
    if len(beyond):
        dashed = alt.Chart(beyond).mark_line(color=blue, strokeWidth=2.4, strokeDash=[6, 5], clip=True)
        layers.append(dashed.encode(x=x("x"), y=y("value")))
    layers += _network_layers(audit, max(target, least), left, right, x, y, orange)
    title = f"The kernel gap: what {audit.answer.comparison.network} does with {gap.samples:,} samples"
    return finished(alt.layer(*layers), on_page=on_page, height=340, title=title)


def _network_layers(audit: Audit, target: float, left: float, right: float, x: Any, y: Any, orange: str) -> list[Any]:
    """The network's error as a line to where the kernel reaches it, with the interval of that place."""
    gap, comparison = audit.answer.gap, audit.answer.comparison
    assert gap.kernel_samples is not None
    reached = gap.kernel_samples
    end = min(reached.value, right) if math.isfinite(reached.value) else right
    at = {"x": float(gap.samples), "value": target}
    line = pd.DataFrame([{**at, "end": end}])
    own = pd.DataFrame([{**at, "method": comparison.network, "text": digits(target)}])
    low, high = (min(max(limit, left), right) for limit in (reached.low, reached.high))
    span = pd.DataFrame([{"low": low, "high": high, "value": target}])
    tooltip = tooltips(("method:N", "network"), ("text:N", "error"))
    layers = [
        alt.Chart(span).mark_rule(color=MUTED, strokeWidth=9, opacity=0.28, clip=True)
        .encode(x=x("low"), x2="high:Q", y=y("value")),
        alt.Chart(line).mark_rule(color=orange, strokeWidth=1.8, strokeDash=[3, 3])
        .encode(x=x("x"), x2="end:Q", y=y("value")),
        alt.Chart(own).mark_point(color=orange, filled=True, size=150, opacity=1)
        .encode(x=x("x"), y=y("value"), tooltip=tooltip),
    ]  # fmt: skip
    if math.isfinite(reached.value) and reached.value <= right:
        samples = f"{'at least ' if gap.kind == 'extrapolated' else ''}{digits(reached.value)} samples"
        place = pd.DataFrame([{"x": max(reached.value, left), "value": target, "text": samples}])
        point = alt.Chart(place).encode(x=x("x"), y=y("value"), tooltip=tooltips(("text:N", "as good with")))
        layers.append(point.mark_point(color=COLOURS["kernel"], filled=False, size=150, strokeWidth=2.5, opacity=1))
        align: Literal["left", "right"] = "right" if reached.value > gap.samples else "left"
        text = alt.Chart(place, name="words_gap").encode(x=x("x"), y=y("value"), text="text:N")
        layers.append(text.mark_text(align=align, baseline="top", dy=12, fontSize=12, color=MUTED))
    return layers
