"""Displays of figures, predicted curves, spectra and audits: compute once, ``plot(ax=...)``."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import altair as alt
import numpy as np

from kernelgap import certificates, curves
from kernelgap.audit.result import Audit
from kernelgap.certificates import Retention
from kernelgap.curves import Curve, Need
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels import get as get_kernel
from kernelgap.paper.figures import FigureRun
from kernelgap.problems import Problem
from kernelgap.problems import get as get_problem
from kernelgap.reports.audit.curves_chart import curves_chart
from kernelgap.reports.audit.lines import contenders_of, curve_rows, measure_of
from kernelgap.reports.audit.text import contender_looks
from kernelgap.reports.common.axes import PALETTE
from kernelgap.reports.common.charts import COLOUR, LEAST, spectrum_chart
from kernelgap.reports.common.display import Display, Series
from kernelgap.reports.common.looks import looks
from kernelgap.reports.curve.chart import curve_chart
from kernelgap.reports.figure.error_chart import TITLES, error_chart
from kernelgap.reports.figure.lines import PICKS, error_lines
from kernelgap.reports.figure.norm_chart import norm_chart

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False)
class FigureDisplay(Display):
    """Test errors of a figure's methods: medians over seeds, with their ranges, picked on validation.

    Parameters
    ----------
    run
        A finished figure, as ``kernelgap.run`` returns it.

    Examples
    --------
    ``FigureDisplay.from_run(kg.run("fig2a")).plot(ax=ax)``
    """

    run: FigureRun

    def __post_init__(self) -> None:
        lines = error_lines(self.run)
        if lines.empty:
            raise InputError("No method of this run has a finite error: there is nothing to draw.")
        self.lines: pd.DataFrame = lines[lines.pick == PICKS[0]]
        self.titles = (TITLES[self.run.axis], "test error")
        self.log = (self.run.axis != "norm", self.run.axis != "norm")

    @classmethod
    def from_run(cls, run: FigureRun) -> Self:
        """The display of a run."""
        return cls(run)

    def chart(self) -> alt.TopLevelMixin:
        """The drawing as an altair chart."""
        drawn = (norm_chart if self.run.axis == "norm" else error_chart)(self.run, on_page=False)
        assert drawn is not None
        return drawn

    def _series(self) -> list[Series]:
        own = looks(list(dict.fromkeys(self.lines.method)))
        series = []
        for name, line in self.lines.groupby("method", sort=False):
            look = own[str(name)]
            x, y, low, high = (line[column].to_numpy(float) for column in ("x", "error", "low", "high"))
            marker = "" if line.flat.all() else "o"
            series.append(Series(str(name), x, y, look.colour, look.dash, (low, high), marker))
        return series

    def _levels(self) -> dict[str, float]:
        return {f"threshold {self.run.threshold:.4g}": self.run.threshold}


@dataclass(eq=False)
class CurveDisplay(Display):
    """The predicted learning curve of a kernel.

    Parameters
    ----------
    curve
        Predictions over several numbers of samples.
    need
        The samples for a risk, which the altair chart states.
    """

    curve: Curve
    need: Need

    titles = ("training samples", "risk")

    @classmethod
    def from_kernel(
        cls, problem: Problem | str, kernel: Kernel | str, n: Any, ridge: Any = "best", *, noise: float | None = None
    ) -> Self:
        """Predict and keep a curve.

        Parameters
        ----------
        problem, kernel, n, ridge, noise
            As ``kernelgap.curves.predict`` takes them, and problems by name too.
        """
        asked = get_problem(problem) if isinstance(problem, str) else problem
        predicted = curves.predict(asked, kernel, np.atleast_1d(np.asarray(n, float)), ridge, noise=noise)
        return cls(predicted, curves.need(asked, kernel, asked.threshold / 10, ridge=ridge, noise=noise))

    def chart(self) -> alt.TopLevelMixin:
        """The drawing as an altair chart."""
        return curve_chart(self.curve, self.need)

    def _series(self) -> list[Series]:
        name = f"{self.curve.kernel} on {self.curve.problem}"
        return [Series(name, self.curve.n, self.curve.risk, PALETTE[1], marker="")]

    def _levels(self) -> dict[str, float]:
        return {f"threshold {self.curve.threshold:.4g}": self.curve.threshold}


@dataclass(eq=False)
class SpectrumDisplay(Display):
    """A kernel's eigenvalues by degree on the cube, and how much of each degree its samples can hold.

    Parameters
    ----------
    retention
        What ``kernelgap.certificates.retention`` gives.
    """

    retention: Retention

    titles = ("degree of the parity", "relative eigenvalue, share held")
    log = (False, True)

    @classmethod
    def from_kernel(cls, problem: Problem | str, kernel: Kernel | str, n: int, *, seed: int = 0) -> Self:
        """Compute and keep a spectrum.

        Parameters
        ----------
        problem, kernel
            Themselves or their names.
        n, seed
            How many training inputs are drawn, and with which seed.
        """
        asked = get_problem(problem) if isinstance(problem, str) else problem
        X, _ = asked.sample(n, seed)
        return cls(certificates.retention(asked, get_kernel(kernel), X))

    def chart(self) -> alt.TopLevelMixin:
        """The drawing as an altair chart."""
        return spectrum_chart(self.retention)

    def _series(self) -> list[Series]:
        table = self.retention.table
        parts = {
            "eigenvalue, relative to the largest": (table.eigenvalue.abs() / table.eigenvalue.abs().max(), COLOUR),
            f"share that {self.retention.n:,} samples can hold": (table.captured, PALETTE[0]),
        }
        series = []
        for name, (values, colour) in parts.items():
            shown = values > LEAST
            degrees, heights = table.degree[shown].to_numpy(float), values[shown].to_numpy(float)
            series.append(Series(name, degrees, heights, colour, line=False))
        return series


@dataclass(eq=False)
class AuditDisplay(Display):
    """The learning curves of an audit's contenders, with their intervals.

    Parameters
    ----------
    audit
        What ``kernelgap.audit`` returns.
    """

    audit: Audit

    def __post_init__(self) -> None:
        self.rows: pd.DataFrame = curve_rows(self.audit)
        if self.rows.empty:
            raise InputError("No contender of this audit has a finite error: there is nothing to draw.")
        self.titles = ("training samples", measure_of(self.audit))
        self.log = (True, bool((self.rows.value > 0).all()))

    @classmethod
    def from_audit(cls, audit: Audit) -> Self:
        """The display of an audit."""
        return cls(audit)

    def chart(self) -> alt.TopLevelMixin:
        """The drawing as an altair chart."""
        drawn = curves_chart(self.audit, on_page=False)
        if drawn is None:
            raise InputError("This audit has one number of samples: there is no curve to draw.")
        return drawn

    def _series(self) -> list[Series]:
        own = contender_looks([(curve.contender, curve.family) for curve in contenders_of(self.audit)])
        series = []
        for name, line in self.rows.groupby("method", sort=False):
            look = own[str(name)]
            x, y, low, high = (line[column].to_numpy(float) for column in ("x", "value", "low", "high"))
            band = (low, high) if line.best.all() else None  # those of all would hide each other
            series.append(Series(str(name), x, y, look.colour, look.dash, band))
        return series

    def _levels(self) -> dict[str, float]:
        return {"a constant": self.audit.answer.constant.value}
