"""The numbers of a run on images with their intervals: each method by number of images, differences, who is ahead."""

import math
import statistics
from dataclasses import dataclass
from typing import Any

import pandas as pd

CONFIDENCE = 0.95
FAMILIES = NETWORK, GATED, OWN_KERNEL, KERNEL = ("network", "gated network", "network's kernel", "kernel")
KERNELS = (KERNEL, OWN_KERNEL)


@dataclass(frozen=True)
class Interval95:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class ImagePoint:
    """A method with so many training images, over its seeds; ``accuracy`` is None where all of them diverged."""

    method: str
    family: str
    samples: int
    accuracy: Interval95 | None
    seeds: int
    diverged: int
    tested: int
    settings: tuple[dict[str, Any], ...]
    seconds: float
    multiplications: float
    shown: int | None
    epochs: int | None


def points_of(table: pd.DataFrame) -> list[ImagePoint]:
    """The points in the order of the run's table: by family, method, number of images."""
    groups = table.groupby(["family", "method", "samples"], sort=False)
    return [_point(rows) for _, rows in groups]


def _point(rows: pd.DataFrame) -> ImagePoint:
    first, done = rows.iloc[0], rows[rows.status == "done"]
    return ImagePoint(
        method=str(first.method),
        family=str(first.family),
        samples=int(first.samples),
        accuracy=_over_seeds(done) if len(done) else None,
        seeds=len(rows),
        diverged=len(rows) - len(done),
        tested=int(first.tested),
        settings=tuple(done.setting),
        seconds=float(rows.seconds.mean()),
        multiplications=float(first.multiplications),
        shown=None if pd.isna(first.shown) else int(first.shown),
        epochs=None if pd.isna(first.epochs) else int(first.epochs),
    )


def _over_seeds(done: pd.DataFrame) -> Interval95:
    """The mean; its interval has the test images' part and, with several seeds, Student's for these in quadrature."""
    mean, low, high = (float(done[name].mean()) for name in ("accuracy", "low", "high"))
    n = len(done)
    spread = 0.0
    if n > 1:
        from scipy.stats import t  # late, as in result.py

        spread = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * statistics.stdev(done.accuracy) / math.sqrt(n)
    return Interval95(
        mean, max(0.0, mean - math.hypot(mean - low, spread)), min(1.0, mean + math.hypot(high - mean, spread))
    )


def difference(one: Interval95, other: Interval95) -> Interval95:
    """One less the other: Newcombe's interval, of the distances to the ends of both.

    It takes them to be independent. On the same test images what is hard for one is hard for the other, as a rule, so
    that the true interval is narrower.
    """
    d = one.value - other.value
    return Interval95(
        d,
        d - math.hypot(one.value - one.low, other.high - other.value),
        d + math.hypot(one.high - one.value, other.value - other.low),
    )


def accuracy_of(point: ImagePoint) -> Interval95:
    assert point.accuracy is not None
    return point.accuracy


@dataclass(frozen=True)
class SizeComparison:
    """The best of each side with so many images, and the network's accuracy less the others'.

    ``ahead`` says that the network is ahead of every kernel: each of the intervals leaves out 0.
    """

    samples: int
    network: ImagePoint | None
    gated: ImagePoint | None
    kernel: ImagePoint | None
    ahead: bool

    @property
    def over_gated(self) -> Interval95 | None:
        return _less(self.network, self.gated)

    @property
    def over_kernel(self) -> Interval95 | None:
        return _less(self.network, self.kernel)

    @property
    def sides(self) -> int:
        return sum(side is not None for side in (self.network, self.gated, self.kernel))


def _less(one: ImagePoint | None, other: ImagePoint | None) -> Interval95 | None:
    return None if one is None or other is None else difference(accuracy_of(one), accuracy_of(other))


def comparisons_of(points: list[ImagePoint]) -> list[SizeComparison]:
    """For each number of images. Where only a network's own kernels are there, though others are elsewhere, there is
    no kernel: the best of few is not the best.
    """
    needed = {KERNEL} if any(p.family == KERNEL and p.accuracy for p in points) else set(KERNELS)
    comparisons = []
    for n in sorted({p.samples for p in points}):
        there = [p for p in points if p.samples == n and p.accuracy is not None]
        kernels = [p for p in there if p.family in KERNELS] if any(p.family in needed for p in there) else []
        network, gated, kernel = (
            max(side, key=lambda p: accuracy_of(p).value, default=None)
            for side in ([p for p in there if p.family == NETWORK], [p for p in there if p.family == GATED], kernels)
        )
        less = [span for p in kernels if (span := _less(network, p)) is not None]
        comparisons.append(
            SizeComparison(n, network, gated, kernel, ahead=bool(less) and all(span.low > 0 for span in less))
        )
    return comparisons


def ahead_from(comparisons: list[SizeComparison]) -> int | None:
    """The number of images from which on the network is ahead of every kernel."""
    start = None
    for c in reversed(comparisons):
        if c.over_kernel is None:
            continue
        if not c.ahead:
            break
        start = c.samples
    return start
