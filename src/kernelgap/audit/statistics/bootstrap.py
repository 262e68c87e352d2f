"""Intervals of errors: test rows drawn with replacement and seeds weighted at random, alike for all contenders."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy import stats
from threadpoolctl import threadpool_limits

from kernelgap.audit.statistics.results import Entry, Interval, Results
from kernelgap.seeds import stream

RESAMPLES = 4000
BLOCK = 2**21  # numbers in a block of row counts


@dataclass(frozen=True, eq=False)
class Resampled:
    """A mean over seeds and rows, with its value in every resample. Differences of two are paired.

    Seeds are few: drawn with replacement, 3 of them never leave their range, and intervals miss the true value several
    times too often. So they are given normal weights, of the same variance as draws with replacement have. Percentiles
    are too short still, for few rows too: they set an interval's shape, a two-way analysis of variance its length,
    s^2 = (MS_seeds + MS_rows) / (seeds x rows), with Student's quantile. Its degrees of freedom are Satterthwaite's,
    (c a + b)^2 / (c^2 a^2 / (seeds - 1) + b^2 / (rows - 1)) for the mean squares a and b, but with more weight on the
    seeds: c = 1 + 8 / (seeds - 1)^2. With c = 1, seeds that lie close together by chance make it too sure of itself.
    (With 3 seeds that differ much more than rows do, 95% intervals hold the true value 94 times in 100.)
    """

    table: Float[np.ndarray, "seeds rows"]
    draws: Float[np.ndarray, " resamples"]

    def __sub__(self, other: "Resampled") -> "Resampled":
        return Resampled(self.table - other.table, self.draws - other.draws)

    @cached_property
    def value(self) -> float:
        return float(self.table.mean())

    @cached_property
    def by_seed(self) -> tuple[float, ...]:
        return tuple(float(mean) for mean in self.table.mean(axis=1))

    @cached_property
    def spread(self) -> tuple[float, float]:
        """The standard error and its degrees of freedom."""
        seeds, rows = self.table.shape
        between_seeds = rows * float(self.table.mean(axis=1).var(ddof=1)) if seeds > 1 else 0.0
        between_rows = seeds * float(self.table.mean(axis=0).var(ddof=1)) if rows > 1 else 0.0
        largest = max(between_seeds, between_rows)
        if largest == 0:
            return 0.0, np.inf
        a, b = between_seeds / largest, between_rows / largest
        if seeds > 1:
            a *= 1 + 8 / (seeds - 1) ** 2
        freedom = (a + b) ** 2 / (a**2 / max(seeds - 1, 1) + b**2 / max(rows - 1, 1))
        return float(np.sqrt((between_seeds + between_rows) / (seeds * rows))), float(freedom)

    def stretch(self, level: float = 0.95) -> float:
        """The factor by which a percentile interval is too short."""
        error, freedom = self.spread
        resampled = float(self.draws.std())
        if error == 0 or resampled <= 1e-12 * error:
            return 1.0
        quantile = (1 + level) / 2
        return float(stats.t.ppf(quantile, freedom) / stats.norm.ppf(quantile)) * error / resampled

    def interval(self, level: float = 0.95, *, within: tuple[float, float] = (-np.inf, np.inf)) -> Interval:
        stretched = self.value + self.stretch(level) * (self.draws - self.value)
        return percentiles(self.value, np.clip(stretched, *within), level)


def percentiles(value: float, draws: Float[np.ndarray, " resamples"], level: float = 0.95) -> Interval:
    """The draws may be infinite: nothing is interpolated."""
    low = float(np.quantile(draws, (1 - level) / 2, method="lower"))
    high = float(np.quantile(draws, (1 + level) / 2, method="higher"))
    return Interval(value, min(low, value), max(high, value))


def common_seeds(entries: Iterable[Entry]) -> tuple[int, ...]:
    """The seeds that all of these have finished."""
    first, *rest = (set(entry.seeds) for entry in entries)
    return tuple(sorted(first.intersection(*rest)))


class Bootstrap:
    """The errors of all contenders in the same resamples of test rows and seeds."""

    def __init__(self, results: Results, *, seed: int, resamples: int = RESAMPLES) -> None:
        rng = stream(seed, "bootstrap")
        tables: dict[tuple[str, int, str], np.ndarray] = {}
        for entry in results.entries:
            tables[(entry.contender, entry.samples, "error")] = entry.errors
            if entry.wrong is not None:
                tables[(entry.contender, entry.samples, "accuracy")] = 1.0 - entry.wrong
        tables[("", 0, "error")] = results.constant.mean(axis=0, keepdims=True)
        if results.constant_wrong is not None:
            tables[("", 0, "accuracy")] = 1.0 - results.constant_wrong.mean(axis=0, keepdims=True)
        self._tables = tables
        means = resampled_means(rng, np.concatenate(list(tables.values())), resamples)
        ends = np.cumsum([len(table) for table in tables.values()])[:-1]
        self._means = dict(zip(tables, np.split(means, ends, axis=1), strict=True))
        self._normal = rng.standard_normal((resamples, max(len(table) for table in tables.values())))

    @property
    def constant(self) -> Resampled:
        """The constant's error; it hardly differs between seeds and is a mean over them."""
        return self._resampled(("", 0, "error"), [0])

    @property
    def constant_accuracy(self) -> Resampled | None:
        """How often the most frequent class is right."""
        key = ("", 0, "accuracy")
        return self._resampled(key, [0]) if key in self._tables else None

    def error(self, entry: Entry, seeds: tuple[int, ...] | None = None) -> Resampled:
        """The error over these seeds (default: its own). Without a seed: the mean over its own, paired by rows."""
        return self._of(entry, seeds, "error")

    def accuracy(self, entry: Entry, seeds: tuple[int, ...] | None = None) -> Resampled | None:
        return None if entry.wrong is None else self._of(entry, seeds, "accuracy")

    def _of(self, entry: Entry, seeds: tuple[int, ...] | None, what: str) -> Resampled:
        wanted = seeds or entry.seeds
        places = [entry.seeds.index(seed) for seed in wanted]
        resampled = self._resampled((entry.contender, entry.samples, what), places)
        return resampled if seeds != () else Resampled(resampled.table.mean(axis=0, keepdims=True), resampled.draws)

    def _resampled(self, key: tuple[str, int, str], places: list[int]) -> Resampled:
        means = self._means[key][:, places]
        normal = self._normal[:, : len(places)]
        weights = 1 + normal - normal.mean(axis=1, keepdims=True)
        return Resampled(self._tables[key][places], (weights * means).mean(axis=1))


def resampled_means(
    rng: np.random.Generator, tables: Float[np.ndarray, "tables rows"], resamples: int
) -> Float[np.ndarray, "resamples tables"]:
    """Means over rows drawn with replacement: counts of the rows, in blocks, times the tables."""
    rows = tables.shape[1]
    means = np.empty((resamples, len(tables)))
    block = max(1, BLOCK // rows)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = rng.integers(rows, size=(size, rows)) + rows * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * rows).reshape(size, rows)
        with threadpool_limits(limits=1):  # two threads that wait for a busy core take many times longer than one
            means[start : start + size] = counts.astype(float) @ tables.T / rows
    return means
