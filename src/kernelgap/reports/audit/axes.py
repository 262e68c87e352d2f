"""Axes that the charts of an audit share: errors from left to right, and how far up errors go."""

import math
from collections.abc import Callable, Sequence

import altair as alt

from kernelgap.reports.common.axes import Axis, linear_axis, log_axis, log_room

WIDE = 8.0  # the largest over the least, from which on an axis of errors is logarithmic


def is_wide(values: Sequence[float]) -> bool:
    known = [v for v in values if math.isfinite(v)]
    return min(known) > 0 and max(known) / min(known) > WIDE


def upwards(values: Sequence[float], title: str) -> Axis:
    """Logarithmic, unless there is nothing above 0."""
    return log_axis(values, title) if any(v > 0 for v in values) else linear_axis(title)


def sideways(values: Sequence[float], title: str) -> Callable[[str], alt.X]:
    """Errors from left to right: logarithmic where they differ much, else from 0."""
    if is_wide(values):
        least, most, ticks = log_room(values)
        return lambda column: alt.X(
            f"{column}:Q",
            title=title,
            scale=alt.Scale(type="log", domain=[least, most], nice=False),
            axis=alt.Axis(values=ticks, format="~g", labelOverlap="greedy", labelSeparation=8),
        )
    high = max((v for v in values if math.isfinite(v)), default=1.0) or 1.0
    scale = alt.Scale(domain=[0, high * 1.05], nice=False)
    return lambda column: alt.X(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(format="~g", tickCount=8))
