"""A run on images as a terminal's table, and as plain values for JSON."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kernelgap.images.experiment.comparison import (
    Comparison,
    ImagePoint,
    Span,
    ahead_from,
    comparisons_of,
    headline_of,
    points_of,
)
from kernelgap.images.experiment.cost import GPU, cost_of, pace_of, talk_costs
from kernelgap.images.experiment.sentence import sentence_of, with_half

if TYPE_CHECKING:
    from kernelgap.images.experiment.result import ImageRun

DASH = "\u2013"


def summary_rows(run: "ImageRun") -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a table: each method's accuracy in percent over the numbers of training images."""
    points = points_of(run)
    sizes = sorted({p.samples for p in points})
    rows = []
    for method in dict.fromkeys(p.method for p in points):
        own = {p.samples: p for p in points if p.method == method}
        rows.append([method, *(cell(own.get(n)) for n in sizes)])
    return ["accuracy in %, images:", *(f"{n:,}" for n in sizes)], rows


def cell(point: ImagePoint | None) -> str:
    if point is None:
        return DASH
    return "diverged" if point.accuracy is None else with_half(point.accuracy)


def images_record(run: "ImageRun") -> dict[str, Any]:
    """The whole answer; what is not finite, or not there, is null."""
    points = points_of(run)
    comparisons = comparisons_of(points)
    chosen, pace = headline_of(comparisons), pace_of(points)
    about = {key: run.about.get(key) for key in ("title", "set", "shape", "classes", "train", "test", "network")}
    described = {"experiment": run.name, "scale": run.scale, "seed": run.seed, "images": run.digest}
    record = {
        **described,
        **about,
        "folder": str(run.folder),
        "sentence": sentence_of(run),
        "headline": _comparison(chosen) if chosen.sides else None,
        "ahead_from": ahead_from(comparisons),
        "comparisons": [_comparison(c) for c in comparisons],
        "rows": [_row(p) for p in points],
        "talk": {name: asdict(cost) for name, cost in talk_costs(pace).items()},
        "gpu_flops_per_second": GPU,
        "failures": [asdict(failure) for failure in run.failures],
        "unfinished": run.unfinished,
    }
    return {key: _plain(value) for key, value in record.items()}


def _comparison(c: Comparison) -> dict[str, Any]:
    sides = {"network": c.network, "gated": c.gated, "kernel": c.kernel}
    less = {"network_less_gated": c.over_gated, "network_less_kernel": c.over_kernel}
    return {
        "samples": c.samples,
        **{name: None if p is None else {"method": p.method, **_span(p.accuracy)} for name, p in sides.items()},
        **{name: None if span is None else _span(span) for name, span in less.items()},
    }


def _row(p: ImagePoint) -> dict[str, Any]:
    found, cost = asdict(p), cost_of(p.multiplications)
    del found["accuracy"]
    return {**found, **_span(p.accuracy, "accuracy"), "flops": cost.flops, "gpu_seconds": cost.gpu_seconds}


def _span(span: Span | None, name: str = "value") -> dict[str, Any]:
    return {part: getattr(span, own, None) for part, own in ((name, "value"), ("low", "low"), ("high", "high"))}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    number = value.item() if hasattr(value, "item") else value  # NumPy's
    return None if isinstance(number, float) and not math.isfinite(number) else number
