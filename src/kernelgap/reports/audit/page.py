"""The page of an audit: the verdict, why, all curves and intervals, how it was done, and what to do with it."""

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap.audit.class_report import format_classes
from kernelgap.audit.floors import format_floor
from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.wording import measure
from kernelgap.durations import format_duration
from kernelgap.number_text import digits
from kernelgap.reports.audit.curves_chart import curves_chart
from kernelgap.reports.audit.gap_chart import gap_chart
from kernelgap.reports.audit.interval_charts import difference_chart, features_chart, forest_chart
from kernelgap.reports.audit.lines import above_charts, contenders_of
from kernelgap.reports.audit.text import (
    COLOURS,
    FAMILIES,
    command_of,
    contender_in_words,
    contender_looks,
    describe_setting,
    source_name,
    without_folder,
)
from kernelgap.reports.common.page import write_page, write_record

OUTCOMES = {"network ahead": "network", "kernel ahead": "kernel", "undecided": "undecided"}


def write_audit_page(audit: Audit, *, until: float = math.inf) -> Path:
    """Write ``report.html``, ``charts/`` and the tables into the folder of an audit.

    After the time ``until``, on the clock ``time.monotonic``, no more charts are saved as pictures: the page has them.
    """
    draw: dict[str, Callable[..., Any]] = {
        "errors": curves_chart,
        "accuracy": partial(curves_chart, what="accuracy"),
        "contenders": forest_chart,
        "difference": difference_chart,
        "gap": gap_chart,
        "features": features_chart,
    }
    drawn = {name: chart(audit, on_page=True) for name, chart in draw.items()}
    charts = {name: chart for name, chart in drawn.items() if chart is not None}
    return write_page(
        audit,
        "audit/page.html",
        _context(audit),
        charts=charts,
        pictures={name: partial(draw[name], audit, on_page=False) for name in charts},
        tables={
            "contenders.csv": partial(audit.contenders.to_csv, index=False),
            "fits.csv": partial(audit.table.to_csv, index=False),
            "audit.json": partial(write_record, audit, without=["folder", "model", "fits"]),
        },
        until=until,
    )


def _context(audit: Audit) -> dict[str, Any]:
    answer, table = audit.answer, audit.data
    return {
        "audit": audit,
        "source": source_name(audit),
        "colour": OUTCOMES[audit.verdict],
        "answer": answer,
        "comparison": answer.comparison,
        "accuracy": _accuracy(audit),
        "tiles": _tiles(audit),
        "legend": _legend(audit),
        "above": above_charts(audit),
        "sizes": sorted({n for curve in answer.curves for n in curve.samples}),
        "rows": _rows(audit),
        "table": table,
        "budget": format_duration(audit.plan.budget),
        "given": format_duration(audit.budget),
        "notices": [without_folder(notice.sentence, audit) for notice in audit.notices],
        "winner": audit.winner if audit.model_path is not None else None,
        "unkept": _unkept(audit),
        "class_sentences": [] if answer.classes is None else format_classes(answer.classes),
        "floors": [format_floor(floor) for floor in answer.floors],
        "command": command_of(audit),
        "fits": int(audit.table.fits.sum()),
    }


def _unkept(audit: Audit) -> list[str]:
    """The contenders with less validation error than the model that is kept."""
    if audit.winner is None:
        return []
    errors = audit.with_samples(audit.winner_samples).set_index("contender").validation_error
    return [str(name) for name, error in errors.items() if error < errors[audit.winner]]


def _tiles(audit: Audit) -> list[dict[str, str]]:
    """A few numbers in large type."""
    answer, comparison = audit.answer, audit.answer.comparison
    rows: Any = audit.with_samples(comparison.samples).set_index("contender")
    tiles = [
        {
            "words": f"best {kind} by validation",
            "number": digits(error.value),
            "more": f"{name}: {_quality(rows.loc[name], audit)}",
            "colour": kind,
        }
        for kind, name, error in (
            ("network", comparison.network, comparison.network_error),
            ("kernel", comparison.kernel, comparison.kernel_error),
        )
    ]
    right = "" if answer.constant_accuracy is None else f"{answer.constant_accuracy.value:.1%} right: "
    beat = f"{right}what anyone has to beat"
    constant = {"words": "constant guess", "number": digits(answer.constant.value), "more": beat}
    number, more = _gap_tile(audit)
    return [*tiles, constant, {"words": "kernel gap", "number": number, "more": more}]


def _quality(row: pd.Series, audit: Audit) -> str:
    if audit.metric is not None:
        return f"{audit.metric.title} {audit.metric.text(row.error)}"
    if "accuracy" in row:
        return f"{row.accuracy:.1%} right"
    more = f", RMSE {digits(row.rmse)}" if "rmse" in row else ""
    return f"R\u00b2 {row.r2:.3f}{more}"


def _gap_tile(audit: Audit) -> tuple[str, str]:
    """The number and the text below it."""
    gap, more = audit.answer.gap, "the samples, for the kernel to do as well"
    if gap.factor is None or gap.kernel_samples is None:
        return "\u2013", "why not, see below"
    if gap.kind in ("extrapolated", "out of reach"):
        if gap.kernel_samples.low < gap.samples:
            return "?", "not reached, and not told how far it is: see below"
        low = f"\u2265 {digits(gap.factor.low)}\u00d7" if math.isfinite(gap.factor.low) else "\u221e"
        never = "extrapolated: the kernel's curve never gets there"
        return low, f"{more}; extrapolated" if gap.kind == "extrapolated" else never
    number = f"{digits(gap.factor.value)}\u00d7"
    if gap.kind == "below":
        return f"\u2264 {number}", more
    high = digits(gap.factor.high) if math.isfinite(gap.factor.high) else "\u221e"
    return number, f"{more} (95% interval {digits(gap.factor.low)} to {high})"


def _accuracy(audit: Audit) -> str | None:
    """The difference of the two accuracies, in a sentence."""
    comparison = audit.answer.comparison
    difference, network, kernel = comparison.accuracy_difference, comparison.network, comparison.kernel
    if difference is None:
        return None
    if difference.low == difference.high == 0:
        return f"{network} and {kernel} are right on the same number of rows, with every seed."
    value, low, high = (f"{100 * end:+.2g}" for end in (difference.value, difference.low, difference.high))
    return f"Accuracy of {network} minus accuracy of {kernel}: {value} points (95% interval {low} to {high})."


def _legend(audit: Audit) -> list[dict[str, Any]]:
    """The contenders by family, each as it is drawn."""
    curves = contenders_of(audit)
    drawn = contender_looks([(curve.contender, curve.family) for curve in curves])
    groups = []
    for family, name in FAMILIES.items():
        members = [{"method": c.contender, **asdict(drawn[c.contender])} for c in curves if c.family == family]
        if members:
            groups.append({"name": name, "methods": members, "colour": COLOURS[family]})
    return groups


def _rows(audit: Audit) -> list[dict[str, Any]]:
    """The table of all contenders, as it is shown and as it is sorted."""
    comparison = audit.answer.comparison
    contenders: Iterable[Any] = audit.with_samples(comparison.samples).itertuples()
    rows = []
    for row in contenders:
        fits = audit.table[(audit.table.contender == row.contender) & (audit.table.samples == row.samples)]
        quality = {name: float(getattr(row, name)) for name in audit.measures}
        rows.append(
            {
                "contender": row.contender,
                "words": contender_in_words(row.contender),
                "family": FAMILIES[row.family],
                "colour": COLOURS[row.family],
                "best": row.contender in (comparison.network, comparison.kernel),
                "numbers": {"error": row.error, "validation": row.validation_error, **quality},
                "shown": {
                    "error": digits(row.error),
                    "interval": f"{digits(row.low)} to {digits(row.high)}",
                    "validation": digits(row.validation_error),
                    **{name: measure(name, value) for name, value in quality.items()},
                },
                "setting": describe_setting(fits.setting),
                "fits": row.fits,
                "seeds": len(fits),
                "seconds": row.seconds,
            }
        )
    return rows
