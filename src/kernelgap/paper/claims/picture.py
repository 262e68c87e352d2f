"""A chart as data: lines over one axis, levels beside them. The reports draw it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Axis = Literal["linear", "log"]


@dataclass(frozen=True)
class Line:
    """Points that belong together; ``low`` and ``high`` make a band around them."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    points_only: bool = False


@dataclass(frozen=True)
class Picture:
    """``levels`` are dashed horizontal lines with names; with ``categories`` the numbers on the x axis count these."""

    x: str
    y: str
    lines: Sequence[Line]
    levels: Sequence[tuple[str, float]] = ()
    x_axis: Axis = "linear"
    y_axis: Axis = "linear"
    categories: Sequence[str] = ()
