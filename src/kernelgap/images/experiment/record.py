"""The answer of a run on images: as a sentence, as a table for the terminal, as plain values for JSON."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kernelgap.images.experiment.comparison import (
    GATED,
    KERNEL,
    NETWORK,
    ImagePoint,
    Interval95,
    SizeComparison,
    accuracy_of,
    ahead_from,
)
from kernelgap.images.experiment.scales import GPU, cost_of, pace_of, talk_costs

if TYPE_CHECKING:
    from kernelgap.images.experiment.result import ImageRun

DASH = "\u2013"


def percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def format_span(span: Interval95) -> str:
    """``88.1% (87.5% to 88.7%)``."""
    return f"{percent(span.value)} ({percent(span.low)} to {percent(span.high)})"


def with_half(span: Interval95) -> str:
    """``88.1 ± 0.6``, in percent."""
    return f"{100 * span.value:.1f} \u00b1 {100 * span.half:.1f}"


def format_points(span: Interval95) -> str:
    """``+1.2 (0.4 to 2.1)``, in points of a percent."""
    return f"{signed(span.value)} ({signed(span.low)} to {signed(span.high)})"


def signed(value: float) -> str:
    """Points of a percent."""
    return f"{100 * value:+.1f}".replace("-", "\u2212")


def sentence_of(run: "ImageRun") -> str:
    """The answer of a run: who does how well with the most images that all have, and where the network is ahead."""
    points, comparisons, chosen = run.points, run.comparisons, run.headline
    parts = [_compared(chosen, str(run.about.get("set", "the set")))] if chosen.sides else []
    parts += [
        _missing(side, points, chosen)
        for side, point in ((NETWORK, chosen.network), (GATED, chosen.gated), (KERNEL, chosen.kernel))
        if point is None
    ]
    every = "every kernel that is finished" if run.unfinished else "every kernel"
    parts += [_ahead(comparisons, chosen, every), _with_more(comparisons, chosen)]
    left, planned = len(run.unfinished), len(run.about.get("planned", {}))
    parts.append(f"{left} of {planned} parts of the run are not finished." if left else "")
    return " ".join(part for part in parts if part)


def _compared(c: SizeComparison, name: str) -> str:
    """The first sentence: all methods with results."""
    clauses = []
    if c.network is not None:
        clauses.append(f"{c.network.method} gets {format_span(accuracy_of(c.network))}")
    if c.gated is not None:
        who = "its twin with frozen gates" if clauses else f"{c.gated.method} gets"
        clauses.append(f"{who} {format_span(accuracy_of(c.gated))}" + _apart(c.over_gated))
    if c.kernel is not None:
        verb = "" if clauses else "gets "
        clauses.append(f"the best kernel, {c.kernel.method}, {verb}{format_span(accuracy_of(c.kernel))}")
    several = max(p.seeds - p.diverged for p in (c.network, c.gated, c.kernel) if p is not None)
    over = f", on average over {several} seeds" if several > 1 else ""
    listed = clauses[0] if len(clauses) == 1 else ", ".join(clauses[:-1]) + f", and {clauses[-1]}"
    return f"With {c.samples:,} training images of {name}{over}, {listed} of the test images right (95% intervals)."


def _apart(less: Interval95 | None) -> str:
    if less is None:
        return ""
    if less.low <= 0 <= less.high:
        return f", {abs(100 * less.value):.1f} points apart, which may be chance"
    low, high = sorted((abs(less.low), abs(less.high)))
    word = "less" if less.value > 0 else "more"
    return f", {abs(100 * less.value):.1f} points {word} ({100 * low:.1f} to {100 * high:.1f})"


def _missing(side: str, points: list[ImagePoint], c: SizeComparison) -> str:
    """What to say of a side without a number: diverged, not run with so many images, or not run at all."""
    name = {NETWORK: "ordinary network", GATED: "network with frozen gates", KERNEL: "kernel"}[side]
    gone = sorted({p.method for p in points if p.family == side and p.samples == c.samples and p.diverged})
    if gone:
        return f"{', '.join(gone)} diverged."
    there = any(p.family == side and p.accuracy is not None for p in points)
    return f"No {name} is finished{' with so many images' if there else ''}."


def _ahead(comparisons: list[SizeComparison], chosen: SizeComparison, every: str) -> str:
    """From where on the network is ahead of every kernel, if it is."""
    start = ahead_from(comparisons)
    both = [c for c in comparisons if c.over_kernel is not None]
    if not both:
        return ""
    if start is not None:
        if len(both) == 1:
            return f"The network is ahead of {every}."
        if start == both[0].samples:
            return f"The network is ahead of {every} at each of {len(both)} numbers of images."
        if start == both[-1].samples:
            return f"The network is ahead of {every} with {start:,} images, and with fewer not clearly."
        return f"The network is ahead of {every} from {start:,} images on."
    last = both[-1].over_kernel
    assert last is not None
    place = "" if both[-1].samples == chosen.samples else f" with {both[-1].samples:,} images"
    if last.high < 0:
        points, low, high = (f"{-100 * v:.1f}" for v in (last.value, last.high, last.low))
        return f"The best kernel is ahead of the network{place}, by {points} points ({low} to {high})."
    if last.low > 0:
        return f"The network is ahead of the best kernel{place}; others had too few test images to tell."
    return f"Between the network and the best kernel{place}, {abs(100 * last.value):.1f} points may be chance."


def _with_more(comparisons: list[SizeComparison], chosen: SizeComparison) -> str:
    """What networks do with more images than all have."""
    more = [c for c in comparisons if c.samples > chosen.samples and (c.network is not None or c.gated is not None)]
    if not more:
        return ""
    c = more[-1]
    accuracies = [f"{p.method} {format_span(accuracy_of(p))}" for p in (c.network, c.gated) if p is not None]
    return f"With {c.samples:,} images, which not all have, it is {' and '.join(accuracies)}."


def summary_rows(run: "ImageRun") -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a table: each method's accuracy in percent over the numbers of training images."""
    points = run.points
    sizes = sorted({p.samples for p in points})
    rows = []
    for method in dict.fromkeys(p.method for p in points):
        own = {p.samples: p for p in points if p.method == method}
        rows.append([method, *(format_accuracy(own.get(n)) for n in sizes)])
    return ["accuracy in %, images:", *(f"{n:,}" for n in sizes)], rows


def format_accuracy(point: ImagePoint | None) -> str:
    if point is None:
        return DASH
    return "diverged" if point.accuracy is None else with_half(point.accuracy)


def images_record(run: "ImageRun") -> dict[str, Any]:
    """The whole answer; what is not finite, or not there, is null."""
    points, comparisons = run.points, run.comparisons
    about = {key: run.about.get(key) for key in ("title", "set", "shape", "classes", "train", "test", "network")}
    described = {"experiment": run.name, "scale": run.scale, "seed": run.seed, "images": run.digest}
    record = {
        **described,
        **about,
        "folder": str(run.folder),
        "sentence": sentence_of(run),
        "headline": _comparison(run.headline) if run.headline.sides else None,
        "ahead_from": ahead_from(comparisons),
        "comparisons": [_comparison(c) for c in comparisons],
        "rows": [_row(p) for p in points],
        "talk": {name: asdict(cost) for name, cost in talk_costs(pace_of(points)).items()},
        "gpu_flops_per_second": GPU,
        "failures": [asdict(failure) for failure in run.failures],
        "unfinished": run.unfinished,
    }
    return {key: _plain(value) for key, value in record.items()}


def _comparison(c: SizeComparison) -> dict[str, Any]:
    sides = {"network": c.network, "gated": c.gated, "kernel": c.kernel}
    less = {"network_less_gated": c.over_gated, "network_less_kernel": c.over_kernel}
    return {
        "samples": c.samples,
        **{name: None if p is None else {"method": p.method, **_span(p.accuracy)} for name, p in sides.items()},
        **{name: None if span is None else _span(span) for name, span in less.items()},
    }


def _row(p: ImagePoint) -> dict[str, Any]:
    row, cost = asdict(p), cost_of(p.multiplications)
    del row["accuracy"]
    return {**row, **_span(p.accuracy, "accuracy"), "flops": cost.flops, "gpu_seconds": cost.gpu_seconds}


def _span(span: Interval95 | None, name: str = "value") -> dict[str, Any]:
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
