"""The page of a run on images: the answer, accuracy over their number, learning curves, costs, how it was done."""

import json
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kernelgap.audit.statistics.wording import digits
from kernelgap.durations import format_duration, format_estimate
from kernelgap.images.experiment import ImageRun
from kernelgap.images.experiment.comparison import (
    Comparison,
    ImagePoint,
    accuracy_of,
    comparisons_of,
    headline_of,
    points_of,
)
from kernelgap.images.experiment.cost import GPU, Cost, cost_of, pace_of, talk_costs
from kernelgap.images.experiment.learners import WATCHED
from kernelgap.images.experiment.record import DASH, cell, format_points, format_span, percent, signed, with_half
from kernelgap.images.experiment.scales import TANGENT_RATE
from kernelgap.images.experiment.trials import COMPARED, HELD_OUT
from kernelgap.reports.common.page import write_page
from kernelgap.reports.images.charts import (
    STORED,
    accuracy_chart,
    all_learning_charts,
    learning_chart,
    learning_sizes,
    outstanding,
)
from kernelgap.reports.images.text import NAMES, colour_of, edge_of, method_in_words, method_looks, setting_in_words


@dataclass(frozen=True)
class Reported:
    source: str
    network: str
    gated: str
    apart: str
    kernel: str


REPORTED = (
    Reported("the talk: CIFAR-10, ResNet-32, 8 times as wide", "94.55", "93.85", "0.70", ""),
    Reported("the talk: CIFAR-100, ResNet-32, 8 times as wide", "77.04", "75.27", "1.77", ""),
    Reported("the paper, citing others: CIFAR-10", "96", "", "", "77 (tangent kernels), 85 (random features)"),
)


TRIALS, SUMMARY = "trials.csv", "summary.json"


def write_images_page(run: ImageRun) -> Path:
    """Write ``report.html``, ``charts/`` and the tables into the folder of a run."""
    charts = {"accuracy": accuracy_chart(run, on_page=True)}
    for n in learning_sizes(run):
        charts |= {f"{what}-{n}": learning_chart(run, n, what) for what in STORED}
    charts = {name: chart for name, chart in charts.items() if chart is not None}
    return write_page(
        run,
        "images/page.html",
        _context(run, charts),
        charts=charts,
        pictures={
            "accuracy": partial(accuracy_chart, run, on_page=False),
            "learning": partial(all_learning_charts, run),
        },
        tables={TRIALS: partial(_write_trials, run), SUMMARY: partial(_write_summary, run)},
    )


def _write_trials(run: ImageRun, path: Path) -> None:
    plain = run.table.drop(columns="curves").assign(setting=[json.dumps(s) for s in run.table.setting])
    plain.to_csv(path, index=False)


def _write_summary(run: ImageRun, path: Path) -> None:
    record = {name: value for name, value in run.as_record().items() if name != "folder"}
    path.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _context(run: ImageRun, charts: dict[str, Any]) -> dict[str, Any]:
    points = points_of(run)
    comparisons = comparisons_of(points)
    headline, pace = headline_of(comparisons), pace_of(points)
    failed = {failure.label for failure in run.failures}
    return {
        "title": run.about.get("title", "Accuracy on images"),
        "set": run.about.get("set", "the set"),
        "scale": run.scale,
        "seed": run.seed,
        "about": run.about,
        "digest": run.digest,
        "sentence": run.sentence,
        "tiles": _tiles(headline),
        "headline": headline,
        "legend": _legend(points),
        "sizes": [f"{n:,}" for n in sorted({p.samples for p in points})],
        "matrix": _matrix(points, headline),
        "differences": _differences(comparisons),
        "learning": [n for n in learning_sizes(run) if f"accuracy-{n}" in charts or f"loss-{n}" in charts],
        "learners": _learners(points),
        "charts": list(charts),
        "rows": [_row(p) for p in points],
        "reported": REPORTED,
        "found": _found(headline),
        "talk": [{"name": name, **_cost_in_words(cost)} for name, cost in talk_costs(pace).items()],
        "whole": _cost_in_words(cost_of(sum(p.multiplications * p.seeds for p in points))),
        "gpu": f"{digits(GPU / 1e12)} trillion",
        "watched": min(WATCHED, int(run.about.get("test", WATCHED))),
        "compared": COMPARED,
        "held_out": f"{HELD_OUT:.0%}",
        "schedule": run.about.get("schedule"),
        "tangent_rate": TANGENT_RATE,
        "seeds": max(p.seeds for p in points),
        "fewer": sorted({p.method for p in points if p.tested < int(run.about.get("test", 0))}),
        "fewest": min(p.tested for p in points),
        "unfinished": [label for label in run.unfinished if label not in failed],
        "planned": len(run.about.get("planned", {})),
        "failures": run.failures,
        "diverged": [f"{p.method}, {p.samples:,} images: {p.diverged} of {p.seeds}" for p in points if p.diverged],
    }


def _tiles(c: Comparison) -> list[dict[str, str]]:
    """A few numbers in large type."""
    tiles = []
    for words, point in (("network", c.network), ("with frozen gates", c.gated), ("best kernel", c.kernel)):
        if point is not None:
            found = accuracy_of(point)
            interval = f"{percent(found.low)} to {percent(found.high)}"
            more = f"{point.method} ({interval})"
            tiles.append(
                {"words": words, "number": percent(found.value), "more": more, "colour": colour_of(point.family)}
            )
    for words, less in (("network over gated", c.over_gated), ("network over kernel", c.over_kernel)):
        if less is not None:
            ends = f"points ({signed(less.low)} to {signed(less.high)})"
            tiles.append({"words": words, "number": signed(less.value), "more": ends, "colour": "inherit"})
    return tiles


def _legend(points: list[ImagePoint]) -> list[dict[str, Any]]:
    """The methods by family, each as it is drawn."""
    drawn = method_looks(points)
    there = [p for p in points if p.accuracy is not None]
    groups = []
    for family, name in NAMES.items():
        methods = dict.fromkeys(p.method for p in there if p.family == family)
        if methods:
            groups.append({"name": name, "methods": [{"method": m, **asdict(drawn[m])} for m in methods]})
    return groups


def _learners(points: list[ImagePoint]) -> list[dict[str, str]]:
    methods = dict.fromkeys((p.method, p.family) for p in points if p.shown)
    return [{"method": method, "colour": colour_of(family)} for method, family in methods]


def _matrix(points: list[ImagePoint], headline: Comparison) -> list[dict[str, Any]]:
    """Accuracies, a row for each method; the highest with so many images is marked."""
    sizes, marked = sorted({p.samples for p in points}), outstanding(points, headline)
    most = {
        n: max((p.accuracy.value for p in points if p.samples == n and p.accuracy is not None), default=None)
        for n in sizes
    }
    rows = []
    for method, family in dict.fromkeys((p.method, p.family) for p in points):
        own = {p.samples: p for p in points if p.method == method}
        cells = []
        for n in sizes:
            p = own.get(n)
            highest = p is not None and p.accuracy is not None and p.accuracy.value == most[n]
            cells.append({"text": cell(p), "highest": highest})
        rows.append(
            {
                "method": method,
                "words": method_in_words(method),
                "colour": colour_of(family),
                "best": method in marked,
                "cells": cells,
            }
        )
    return rows


def _differences(comparisons: list[Comparison]) -> list[dict[str, Any]]:
    return [
        {
            "samples": c.samples,
            "gated": DASH if c.over_gated is None else format_points(c.over_gated),
            "kernel": DASH if c.over_kernel is None else format_points(c.over_kernel),
            "which": DASH if c.over_kernel is None or c.kernel is None else c.kernel.method,
        }
        for c in comparisons
        if c.over_gated is not None or c.over_kernel is not None
    ]


def _row(p: ImagePoint) -> dict[str, Any]:
    """Of the table of all, as it is shown and as it is sorted; a value that is not there sorts first."""
    cost = cost_of(p.multiplications)
    steps = sorted({int(s["steps"]) for s in p.settings if "steps" in s})
    return {
        "method": p.method,
        "family": NAMES[p.family],
        "colour": colour_of(p.family),
        "samples": p.samples,
        "accuracy": -1.0 if p.accuracy is None else p.accuracy.value,
        "accuracy_shown": "diverged" if p.accuracy is None else with_half(p.accuracy),
        "tested": p.tested,
        "setting": setting_in_words(p),
        "edge": edge_of(p),
        "seeds": p.seeds,
        "diverged": p.diverged if p.accuracy is not None else 0,
        "seconds": p.seconds,
        "time": format_duration(p.seconds),
        "steps": steps[-1] if steps else None,
        "shown": p.shown,
        "epochs": p.epochs,
        "flops": cost.flops,
        "gpu_seconds": cost.gpu_seconds,
        **_cost_in_words(cost),
    }


def _found(c: Comparison) -> dict[str, str]:
    """The headline, beside what others report."""
    return {
        "samples": f"{c.samples:,}",
        "network": "" if c.network is None else format_span(accuracy_of(c.network)).replace("%", ""),
        "gated": "" if c.gated is None else format_span(accuracy_of(c.gated)).replace("%", ""),
        "apart": "" if c.over_gated is None else format_points(c.over_gated),
        "kernel": ""
        if c.kernel is None
        else f"{format_span(accuracy_of(c.kernel)).replace('%', '')}, {c.kernel.method}",
    }


def _cost_in_words(cost: Cost) -> dict[str, Any]:
    mantissa, power = f"{cost.flops:.1e}".split("e")
    return {
        "mantissa": mantissa,
        "power": int(power),
        "gpu_time": format_estimate(cost.gpu_seconds),
        "core_time": None if cost.core_seconds is None else format_estimate(cost.core_seconds),
    }
