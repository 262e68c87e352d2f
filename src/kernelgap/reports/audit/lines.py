"""The data of an audit's charts, one row a point, and the axes of errors."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.gap import fitted_sizes
from kernelgap.audit.statistics.results import Curve, Interval
from kernelgap.number_text import digits
from kernelgap.reports.audit.text import COLOURS, FAMILIES, describe_setting
from kernelgap.reports.common.axes import Axis, linear_axis, log_axis

HIGHEST = 4.0  # times a constant's error: charts end there, whatever diverged


def measure_of(audit: Audit) -> str:
    """The title of an axis of errors."""
    if audit.metric is not None:
        return f"loss on test rows: {audit.metric.title}"
    return "squared test error" if audit.data.task == "classification" else "mean squared test error"


def error_axis(values: Sequence[float], title: str) -> Axis:
    """Logarithmic, unless there is nothing above 0."""
    return log_axis(values, title) if any(v > 0 for v in values) else linear_axis(title)


def curve_rows(audit: Audit, what: str = "error") -> pd.DataFrame:
    """Errors, or accuracies, of all contenders over the numbers of samples, with intervals, by family."""
    best = (audit.answer.comparison.network, audit.answer.comparison.kernel)
    rows = []
    for curve in contenders_of(audit):
        values = curve.errors if what == "error" else curve.accuracy or ()
        for place, (samples, interval) in enumerate(zip(curve.samples, values, strict=False)):
            fits = audit.table[(audit.table.contender == curve.contender) & (audit.table.samples == samples)]
            rows.append(
                {
                    "method": curve.contender,
                    "family": FAMILIES[curve.family],
                    "colour": COLOURS[curve.family],
                    "best": curve.contender in best,
                    "x": samples,
                    **asdict(interval),
                    "text": format_interval(interval, share=what != "error"),
                    "seeds": len(curve.by_seed[place]),
                    "setting": describe_setting(fits.setting),
                }
            )
    return pd.DataFrame(rows)


def contenders_of(audit: Audit) -> list[Curve]:
    """All contenders by family, in each by validation error."""
    order = list(FAMILIES)
    return sorted(audit.answer.curves, key=lambda c: (order.index(c.family), -c.samples[-1], c.validation[-1]))


def format_interval(interval: Interval, *, share: bool = False) -> str:
    """``0.55 (0.39 to 0.75)``."""
    value, low, high = (f"{v:.1%}" if share else digits(v) for v in (interval.value, interval.low, interval.high))
    return f"{value} ({low} to {high})"


def top_of(audit: Audit) -> float:
    """The upper end of charts of errors."""
    return HIGHEST * audit.answer.constant.value


def above_charts(audit: Audit) -> list[str]:
    """The contenders with an error beyond the upper end of the charts."""
    top = top_of(audit)
    return [c.contender for c in contenders_of(audit) if top > 0 and any(e.value > top for e in c.errors)]


class Law(NamedTuple):
    """error = exp(constant) N^slope, through the last ``points`` sizes of the best kernels."""

    slope: float
    constant: float
    points: int

    def at(self, samples: float) -> float:
        return float(np.exp(self.constant) * samples**self.slope)

    def reaches(self, error: float) -> float:
        """The number of samples; infinite if never."""
        if self.slope >= 0 or error <= 0:
            return math.inf
        with np.errstate(over="ignore"):
            return float(np.exp((np.log(error) - self.constant) / self.slope))


def best_kernels(audit: Audit) -> pd.DataFrame:
    """At each number of samples the kernel that validation prefers."""
    rows = []
    kernels = [curve for curve in audit.answer.curves if curve.family == "kernel"]
    for samples in sorted({n for curve in kernels for n in curve.samples}):
        places = [(curve, curve.samples.index(samples)) for curve in kernels if samples in curve.samples]
        curve, place = min(places, key=lambda at: at[0].validation[at[1]])
        rows.append({"x": samples, "method": curve.contender, **asdict(curve.errors[place])})
    return pd.DataFrame(rows)


def law_of(kernels: pd.DataFrame) -> Law | None:
    """The power law by which the kernel gap is extrapolated; None where a logarithm fails."""
    points = fitted_sizes(len(kernels))
    last = kernels.tail(points)
    if len(last) < 2 or (last.value <= 0).any():
        return None
    slope, constant = np.polyfit(np.log(last.x.astype(float)), np.log(last.value), 1)
    return Law(float(slope), float(constant), points)


def row_of(name: str, interval: Interval, **more: Any) -> dict[str, Any]:
    """A row of a chart of intervals."""
    return {"method": name, **asdict(interval), "text": format_interval(interval), **more}
