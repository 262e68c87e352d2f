"""The page of a run on images: the answer, accuracy over their number, learning curves, costs, how it was done."""

import json
from collections import namedtuple
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from kernelgap.durations import format_duration, format_estimate
from kernelgap.images.experiment import ImageRun
from kernelgap.images.experiment.comparison import ImagePoint, SizeComparison, accuracy_of
from kernelgap.images.experiment.learners import WATCHED
from kernelgap.images.experiment.record import (
    DASH,
    format_accuracy,
    format_points,
    format_span,
    percent,
    signed,
    with_half,
)
from kernelgap.images.experiment.scales import GPU, TANGENT_RATE, Cost, cost_of, pace_of, talk_costs
from kernelgap.images.experiment.trials import COMPARED, HELD_OUT
from kernelgap.number_text import digits
from kernelgap.reports.common.page import write_page, write_record
from kernelgap.reports.images.charts import (
    STORED,
    accuracy_chart,
    all_learning_charts,
    learning_chart,
    learning_sizes,
    outstanding,
)
from kernelgap.reports.images.text import NAMES, colour_of, describe_method, describe_setting, edge_of, method_looks

# in percent: the talk's slides, and the paper's introduction
Reported = namedtuple("Reported", "source network gated apart kernel")
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
        tables={TRIALS: partial(_write_trials, run), SUMMARY: partial(write_record, run, without=["folder"])},
    )


def _write_trials(run: ImageRun, path: Path) -> None:
    plain = run.table.drop(columns="curves").assign(setting=[json.dumps(s) for s in run.table.setting])
    plain.to_csv(path, index=False)


def _context(run: ImageRun, charts: dict[str, Any]) -> dict[str, Any]:
    points, headline = run.points, run.headline
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
        "differences": _differences(run.comparisons),
        "learning": [n for n in learning_sizes(run) if f"accuracy-{n}" in charts or f"loss-{n}" in charts],
        "learners": _learners(points),
        "charts": list(charts),
        "rows": [_row(p) for p in points],
        "reported": REPORTED,
        "found": _found(headline),
        "talk": [{"name": name, **_format_cost(cost)} for name, cost in talk_costs(pace_of(points)).items()],
        "whole": _format_cost(cost_of(sum(p.multiplications * p.seeds for p in points))),
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


def _tiles(c: SizeComparison) -> list[dict[str, str]]:
    """A few numbers in large type."""
    tiles = []
    for label, point in (("network", c.network), ("with frozen gates", c.gated), ("best kernel", c.kernel)):
        if point is not None:
            accuracy = accuracy_of(point)
            more = f"{point.method} ({percent(accuracy.low)} to {percent(accuracy.high)})"
            tiles.append((label, percent(accuracy.value), more, colour_of(point.family)))
    for label, less in (("network over gated", c.over_gated), ("network over kernel", c.over_kernel)):
        if less is not None:
            tiles.append((label, signed(less.value), f"points ({signed(less.low)} to {signed(less.high)})", "inherit"))
    return [dict(zip(("words", "number", "more", "colour"), tile, strict=True)) for tile in tiles]


def _legend(points: list[ImagePoint]) -> list[dict[str, Any]]:
    """The methods by family, each as it is drawn."""
    looks = method_looks(points)
    groups = []
    for family, name in NAMES.items():
        methods = dict.fromkeys(p.method for p in points if p.family == family and p.accuracy is not None)
        groups.append({"name": name, "methods": [{"method": m, **asdict(looks[m])} for m in methods]})
    return [group for group in groups if group["methods"]]


def _learners(points: list[ImagePoint]) -> list[dict[str, str]]:
    methods = dict.fromkeys((p.method, p.family) for p in points if p.shown)
    return [{"method": method, "colour": colour_of(family)} for method, family in methods]


def _matrix(points: list[ImagePoint], headline: SizeComparison) -> list[dict[str, Any]]:
    """Accuracies, a row for each method; the highest with so many images is marked."""
    sizes, marked = sorted({p.samples for p in points}), outstanding(points, headline)
    values = {(p.method, p.samples): p.accuracy.value for p in points if p.accuracy is not None}
    most = {n: max((value for (_, size), value in values.items() if size == n), default=None) for n in sizes}
    rows = []
    for method, family in dict.fromkeys((p.method, p.family) for p in points):
        own = {p.samples: p for p in points if p.method == method}
        highest = {n: (method, n) in values and values[method, n] == most[n] for n in sizes}
        cells = [{"text": format_accuracy(own.get(n)), "highest": highest[n]} for n in sizes]
        row = {"method": method, "words": describe_method(method), "colour": colour_of(family)}
        rows.append({**row, "best": method in marked, "cells": cells})
    return rows


def _differences(comparisons: list[SizeComparison]) -> list[dict[str, Any]]:
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
    """A row of the table of all, as it is shown and as it is sorted; a value that is not there sorts first."""
    cost = cost_of(p.multiplications)
    steps = sorted({int(s["steps"]) for s in p.settings if "steps" in s})
    return {
        **{name: getattr(p, name) for name in ("method", "samples", "tested", "seeds", "seconds", "shown", "epochs")},
        "family": NAMES[p.family],
        "colour": colour_of(p.family),
        "accuracy": -1.0 if p.accuracy is None else p.accuracy.value,
        "accuracy_shown": "diverged" if p.accuracy is None else with_half(p.accuracy),
        "setting": describe_setting(p),
        "edge": edge_of(p),
        "diverged": p.diverged if p.accuracy is not None else 0,
        "time": format_duration(p.seconds),
        "steps": steps[-1] if steps else None,
        "flops": cost.flops,
        "gpu_seconds": cost.gpu_seconds,
        **_format_cost(cost),
    }


def _found(c: SizeComparison) -> dict[str, str]:
    """The headline, beside what others report."""
    sides = {"network": c.network, "gated": c.gated, "kernel": c.kernel}
    shown = {name: format_span(accuracy_of(p)).replace("%", "") if p else "" for name, p in sides.items()}
    if c.kernel is not None:
        shown["kernel"] += f", {c.kernel.method}"
    return {"samples": f"{c.samples:,}", **shown, "apart": "" if c.over_gated is None else format_points(c.over_gated)}


def _format_cost(cost: Cost) -> dict[str, Any]:
    mantissa, power = f"{cost.flops:.1e}".split("e")
    return {
        "mantissa": mantissa,
        "power": int(power),
        "gpu_time": format_estimate(cost.gpu_seconds),
        "core_time": None if cost.core_seconds is None else format_estimate(cost.core_seconds),
    }
