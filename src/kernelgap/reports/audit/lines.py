"""The data behind the charts of an audit: one row a point."""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.answer import Curve, Interval
from kernelgap.audit.statistics.reach import fitted_sizes
from kernelgap.audit.statistics.wording import digits
from kernelgap.reports.audit.text import COLOURS, FAMILIES, describe_setting

HIGHEST = 4.0  # times a constant's error: charts end there, whatever diverged


def measure_of(audit: Audit) -> str:
    """What the errors are, for an axis."""
    return "squared test error" if audit.data.task == "classification" else "mean squared test error"


def curve_rows(audit: Audit, what: str = "error") -> pd.DataFrame:
    """Errors, or accuracies, of everybody over the numbers of samples, with intervals; the families in their order."""
    best = (audit.answer.comparison.network, audit.answer.comparison.kernel)
    rows = []
    for curve in contenders_of(audit):
        values = curve.errors if what == "error" else curve.accuracy or ()
        for place, (samples, found) in enumerate(zip(curve.samples, values, strict=False)):
            rows.append(
                {
                    "method": curve.contender,
                    "family": FAMILIES[curve.family],
                    "colour": COLOURS[curve.family],
                    "best": curve.contender in best,
                    "x": samples,
                    **_span(found),
                    "told": told(found, share=what != "error"),
                    "seeds": len(curve.by_seed[place]),
                    "setting": _setting(audit, curve.contender, samples),
                }
            )
    return pd.DataFrame(rows)


def contenders_of(audit: Audit) -> list[Curve]:
    """Everybody by family, in each those with the least validation error first."""
    order = list(FAMILIES)
    return sorted(audit.answer.curves, key=lambda c: (order.index(c.family), -c.samples[-1], c.validation[-1]))


def _setting(audit: Audit, contender: str, samples: int) -> str:
    fits = audit.table
    return describe_setting(fits[(fits.contender == contender) & (fits.samples == samples)].setting)


def _span(found: Interval) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high}


def told(found: Interval, *, share: bool = False) -> str:
    """``0.55 (0.39 to 0.75)``."""
    if share:
        return f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%})"
    return f"{digits(found.value)} ({digits(found.low)} to {digits(found.high)})"


def top_of(audit: Audit) -> float:
    """Where charts of errors end."""
    return HIGHEST * audit.answer.constant.value


def above_charts(audit: Audit) -> list[str]:
    """Who has an error, with some number of samples, that charts do not reach up to."""
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
        """With how many samples; infinite if never."""
        if self.slope >= 0 or error <= 0:
            return math.inf
        with np.errstate(over="ignore"):
            return float(np.exp((np.log(error) - self.constant) / self.slope))


def best_kernels(audit: Audit) -> pd.DataFrame:
    """At each number of samples the kernel that validation prefers."""
    rows = []
    kernels = [curve for curve in audit.answer.curves if curve.family == "kernel"]
    for samples in sorted({n for curve in kernels for n in curve.samples}):
        there = [(curve, curve.samples.index(samples)) for curve in kernels if samples in curve.samples]
        curve, place = min(there, key=lambda found: found[0].validation[found[1]])
        rows.append({"x": samples, "method": curve.contender, **_span(curve.errors[place])})
    return pd.DataFrame(rows)


def law_of(kernels: pd.DataFrame) -> Law | None:
    """The power law by which the kernel gap is extrapolated; None where a logarithm fails."""
    points = fitted_sizes(len(kernels))
    last = kernels.tail(points)
    if len(last) < 2 or (last.value <= 0).any():
        return None
    slope, constant = np.polyfit(np.log(last.x.astype(float)), np.log(last.value), 1)
    return Law(float(slope), float(constant), points)


def row_of(name: str, found: Interval, **more: Any) -> dict[str, Any]:
    """A row of a chart of intervals."""
    return {"method": name, **_span(found), "told": told(found), **more}
