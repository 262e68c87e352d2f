"""Drawings that are computed once and drawn as often as one likes, as scikit-learn's displays are."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Self

import altair as alt
import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.reports.common.axes import MUTED

Numbers = Float[np.ndarray, " points"]


@dataclass(frozen=True)
class Series:
    """A line or points on axes of matplotlib.

    Parameters
    ----------
    name
        For the legend.
    x, y
        Where its points are.
    colour, dash
        How it is drawn; the dash in points, on and off.
    band
        Its lower and its upper end, if there is one around y.
    marker
        Of each point; "" for a line without any.
    line
        Whether the points are joined.
    """

    name: str
    x: Numbers
    y: Numbers
    colour: str
    dash: tuple[int, ...] = ()
    band: tuple[Numbers, Numbers] | None = None
    marker: str = "o"
    line: bool = True


class Display(ABC):
    """What a figure, a curve, a spectrum or an audit shows; made by a class method, drawn by ``plot``.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure of matplotlib that ``plot`` drew on.
    chart_
        The altair chart, where ``plot`` drew with altair.
    """

    titles: tuple[str, str]  # of the axes
    log: tuple[bool, bool] = (True, True)  # whether they are logarithmic

    @abstractmethod
    def chart(self) -> alt.TopLevelMixin:
        """The drawing as an altair chart."""

    @abstractmethod
    def _series(self) -> list[Series]:
        """The drawing for matplotlib."""

    def _levels(self) -> dict[str, float]:
        """Horizontal lines, by their labels."""
        return {}

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax
            Axes of matplotlib. Without any, new ones are made where matplotlib is installed, else the drawing is an
            altair chart.

        Returns
        -------
        The display, with ``ax_`` and ``figure_``, or with ``chart_``. A notebook shows the chart.

        Raises
        ------
        InputError
            If ``ax`` is something else than axes.
        """
        if ax is None and find_spec("matplotlib") is None:
            self.chart_ = self.chart()
            return self
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(layout="constrained")
        if not hasattr(ax, "fill_between"):
            raise InputError(f"ax must be axes of matplotlib, not of the type {type(ax).__name__}.")
        for each in self._series():
            _draw(ax, each)
        for label, level in self._levels().items():
            ax.axhline(level, color=MUTED, linestyle=(0, (2, 3)), linewidth=1, label=label)
        ax.set(xlabel=self.titles[0], ylabel=self.titles[1])
        for log, set_scale in zip(self.log, (ax.set_xscale, ax.set_yscale), strict=True):
            if log:
                set_scale("log")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _repr_mimebundle_(self, *arguments: Any, **options: Any) -> Any:
        """What a notebook shows: the chart, where altair drew it."""
        chart: Any = getattr(self, "chart_", None)
        return {"text/plain": repr(self)} if chart is None else chart._repr_mimebundle_(*arguments, **options)


def _draw(ax: Any, series: Series) -> None:
    style = {"color": series.colour, "linestyle": (0, series.dash) if series.dash else "-"}
    if not series.line:
        style["linestyle"] = "none"
    ax.plot(series.x, series.y, marker=series.marker or None, markersize=4, label=series.name, **style)
    if series.band is not None:
        ax.fill_between(series.x, *series.band, color=series.colour, alpha=0.15, linewidth=0)
