"""The numbers of a run on images with their intervals: each method by number of images, differences, who is ahead."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from kernelgap.errors import InputError

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


Share = Annotated[float, Field(ge=0, le=1)]
Accuracies = dict[str, dict[int, Interval95]]  # by method and number of images


def accuracies_of(done: pd.DataFrame) -> Accuracies:
    """Means over seeds with their intervals, of trials that did not diverge."""
    accuracies: Accuracies = {}
    for _, rows in done.groupby(["method", "samples"]):
        first = rows.iloc[0]
        accuracies.setdefault(str(first.method), {})[int(first.samples)] = _over_seeds(rows)
    return accuracies


def points_of(table: pd.DataFrame, accuracies: Accuracies) -> list[ImagePoint]:
    """The points in the order of the run's table: by family, method, number of images."""
    groups = table.groupby(["family", "method", "samples"], sort=False)
    return [_point(rows, accuracies) for _, rows in groups]


def _point(rows: pd.DataFrame, accuracies: Accuracies) -> ImagePoint:
    first, done = rows.iloc[0], rows[rows.status == "done"]
    return ImagePoint(
        method=str(first.method),
        family=str(first.family),
        samples=int(first.samples),
        accuracy=accuracies[first.method][first.samples] if len(done) else None,
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


@dataclass(frozen=True)
class Leaders:
    """The methods that are best of their side with so many images, and whether the network is ahead of every kernel."""

    samples: int
    network: str | None
    gated: str | None
    kernel: str | None
    ahead: bool


def leaders_of(points: list[ImagePoint]) -> list[Leaders]:
    """For each number of images. Where only a network's own kernels are there, though others are elsewhere, there is
    no kernel: the best of few is not the best.
    """
    needed = {KERNEL} if any(p.family == KERNEL and p.accuracy for p in points) else set(KERNELS)
    leaders = []
    for n in sorted({p.samples for p in points}):
        there = [p for p in points if p.samples == n and p.accuracy is not None]
        kernels = [p for p in there if p.family in KERNELS] if any(p.family in needed for p in there) else []
        network, gated, kernel = (
            max(side, key=lambda p: accuracy_of(p).value, default=None)
            for side in ([p for p in there if p.family == NETWORK], [p for p in there if p.family == GATED], kernels)
        )
        less = [span for p in kernels if (span := _less(network, p)) is not None]
        ahead = bool(less) and all(span.low > 0 for span in less)
        best, best_gated, best_kernel = (None if p is None else p.method for p in (network, gated, kernel))
        leaders.append(Leaders(n, best, best_gated, best_kernel, ahead))
    return leaders


def comparisons_of(points: list[ImagePoint], leaders: Sequence[Leaders]) -> list[SizeComparison]:
    """The leaders' points, for each number of images."""
    there: Mapping[tuple[str, int], ImagePoint] = {(p.method, p.samples): p for p in points if p.accuracy is not None}
    by_size = {each.samples: each for each in leaders}
    comparisons = []
    for n in sorted({p.samples for p in points}):
        best = by_size[n]
        names = (best.network, best.gated, best.kernel)
        network, gated, kernel = (None if name is None else there[name, n] for name in names)
        comparisons.append(SizeComparison(n, network, gated, kernel, best.ahead))
    return comparisons


@dataclass(frozen=True)
class ImageConclusion:
    """What a run stores once all is done: every interval, and who is best.

    Attributes
    ----------
    intervals
        For each trial that did not diverge: the ends of its accuracy's interval for these test images.
    accuracies
        Means over seeds with their intervals, by method and number of images.
    leaders
        Who is best of each side, for each number of images.
    """

    intervals: dict[str, tuple[Share, Share]]
    accuracies: Accuracies
    leaders: list[Leaders]

    @classmethod
    def of(cls, table: pd.DataFrame) -> "ImageConclusion":
        """From the table of a run, with the intervals of its trials."""
        done = table[table.status == "done"]
        columns = (done[name].tolist() for name in ("trial", "low", "high"))
        intervals = {trial: (low, high) for trial, low, high in zip(*columns, strict=True)}
        accuracies = accuracies_of(done)
        return cls(intervals, accuracies, leaders_of(points_of(table, accuracies)))

    def check(self, table: pd.DataFrame) -> None:
        """Refuse what does not belong to the trials of a table."""
        done = table[table.status == "done"]
        there = {(method, n) for method, by_size in self.accuracies.items() for n in by_size}
        leading = {(name, e.samples) for e in self.leaders for name in (e.network, e.gated, e.kernel) if name}
        spans = [span for by_size in self.accuracies.values() for span in by_size.values()]
        if (
            set(self.intervals) != set(done.trial)
            or there != set(zip(done.method, done.samples, strict=True))
            or not leading <= there
            or {each.samples for each in self.leaders} != set(table.samples)
        ):
            raise InputError("it is about other trials than those that are stored")
        if not all(0 <= span.low <= span.value <= span.high <= 1 for span in spans):
            raise InputError("an interval is none")


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
