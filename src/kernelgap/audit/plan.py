"""How many samples, seeds and fits an audit has: as many as the table, the time and the memory allow."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kernelgap.audit.contenders.registry import FAMILIES, FIRST, frozen_kernels, on_curves
from kernelgap.audit.contenders.view import SearchBudget
from kernelgap.audit.cost import fitting_seconds, judging_seconds
from kernelgap.audit.tables.notices import Notice
from kernelgap.durations import format_duration
from kernelgap.regression import most_landmarks

PASSES = 400  # epochs, of as many samples as make STEPS steps; with more samples fewer
STEPS = 4000
BATCH = 50
LEAST_EPOCHS = 40
SMALLEST = 40  # samples of a curve's first point
FEWEST = 500  # samples that a plan comes down to for lack of time
MANY = 2000
EXACT = 5000  # samples up to which Gram matrices are factorised
LANDMARKS, FEWER_LANDMARKS = 2500, 1500
ADAPTING = 3000
FILLED = 0.75  # of the budget that a plan may take by the estimate
FIRST_SAMPLES, FIRST_FITS, FIRST_EPOCHS = 400, 4, 60  # for the contenders that come first
FIRST_SHARE = 0.15  # of the budget that they may take by the estimate ...
FIRST_EFFORTS = ((FIRST_FITS, FIRST_EPOCHS), (3, 30), (1, 20), (1, 8), (1, 3))  # ... with fewer fits and epochs
FIRST_SEEDS = 2
BUSY = 1.5  # a slowdown from which on a notice mentions it


class SearchSize(NamedTuple):
    fits: int
    seeds: int
    sizes: int


PATIENT = 1800.0  # seconds from which on a budget buys the first rung
HASTY = (SearchSize(4, 3, 3), SearchSize(4, 2, 2), SearchSize(4, 2, 1))
RUNGS = (SearchSize(25, 5, 5), SearchSize(16, 3, 4), SearchSize(9, 3, 4), SearchSize(9, 3, 3), *HASTY)


class AuditPlan(BaseModel):
    """``sizes`` rise to the largest; ``pool_rows`` is the number of rows in the pool.

    ``slowdown`` is that of the machine at the time of planning: 1 if it was idle. ``own`` are the descriptions of the
    user's contenders; ``metric`` is what they are compared in, None for squared errors.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[int, ...] = Field(min_length=1)
    seeds: int = Field(ge=1)
    fits: int = Field(ge=1)
    landmarks: int | None
    most_rows: int
    pool_rows: int
    budget: float
    slowdown: float = 1.0
    own: dict[str, str] = Field(default_factory=dict)
    metric: str | None = None
    first_fits: int = FIRST_FITS
    first_epochs: int = FIRST_EPOCHS

    @model_validator(mode="before")
    @classmethod
    def _stored_before(cls, stored: Any) -> Any:
        """Runs of 0.2 have other names for some fields."""
        older = {"of": "pool_rows", "pace": "slowdown"}
        return {older.get(name, name): v for name, v in stored.items()} if isinstance(stored, dict) else stored

    @property
    def first_samples(self) -> int:
        """The samples of the contenders that come first: few, and none of ``sizes``, to keep the two apart."""
        return max((n for n in range(1, min(FIRST_SAMPLES, self.sizes[-1]) + 1) if n not in self.sizes), default=1)

    @property
    def first_search_budget(self) -> SearchBudget:
        return SearchBudget(fits=self.first_fits, epochs=self.first_epochs, most_rows=self.most_rows)

    def search_budget(self, samples: int) -> SearchBudget:
        return SearchBudget(
            fits=self.fits,
            epochs=max(LEAST_EPOCHS, min(PASSES, STEPS * BATCH // samples)),
            landmarks=self.landmarks if self.landmarks is not None and samples > self.landmarks else None,
            most_rows=self.most_rows,
        )

    def notices(self) -> Iterator[Notice]:
        largest = self.sizes[-1]
        busy = (
            f" on a machine that is busy (work takes {self.slowdown:.1f} times as long)"
            if self.slowdown >= BUSY
            else ""
        )
        if largest < self.pool_rows:
            why = f"A budget of {format_duration(self.budget)} allows {largest:,} of {self.pool_rows:,} rows{busy}"
            yield Notice("sampled", "rows", f"{why}: a longer --budget uses more.")
        if self.landmarks is not None and largest > self.landmarks:
            features = f"Nystroem features with {self.landmarks:,} landmarks"
            why = "whole Gram matrices would take too much memory or time"
            sentence = f"With more than {self.landmarks:,} samples kernels use {features}: {why}."
            yield Notice("nystroem", "kernels", sentence)
        if largest > self.most_rows:
            yield Notice("nystroem", "adaptive", f"The adaptive kernel learns from {self.most_rows:,} rows at most.")


def make_plan(
    pool: int,
    inputs: int,
    outputs: int,
    *,
    budget: float,
    workers: int,
    memory: int,
    slowdown: float = 1.0,
    seeds: int | None = None,
) -> AuditPlan:
    """The plan with the most samples, and then the most thorough, that the budget allows by the estimate.

    ``seeds`` are as many as the budget allows unless they are given.
    Above ``MANY`` samples, fewer of them are preferred to hasty rungs. Nystroem features are used where whole Gram
    matrices would not fit into the memory, or not into the time.
    """
    rungs, each = RUNGS if budget >= PATIENT else RUNGS[1:], memory // workers
    for largest in _fewer(pool):
        for rung in rungs if largest <= MANY else [rung for rung in rungs if rung not in HASTY]:
            for landmarks in _landmarks(largest, outputs, each, patient=budget >= PATIENT):
                plan = AuditPlan(
                    sizes=_sizes(largest, rung.sizes),
                    seeds=seeds or rung.seeds,
                    fits=rung.fits,
                    landmarks=landmarks,
                    most_rows=min(ADAPTING, exact_rows(each)),
                    pool_rows=pool,
                    budget=budget,
                    slowdown=slowdown,
                )
                if estimate(plan, inputs, outputs) * slowdown <= FILLED * budget * workers:
                    return _with_first(plan, inputs, outputs)
    return _with_first(plan, inputs, outputs)


def _with_first(plan: AuditPlan, inputs: int, outputs: int) -> AuditPlan:
    """The plan in which those that come first take a small part of the budget, however many inputs there are."""
    limit = FIRST_SHARE * plan.budget / plan.slowdown
    seeds = min(FIRST_SEEDS, plan.seeds)
    for fits, epochs in FIRST_EFFORTS:
        first = plan.model_copy(update={"first_fits": fits, "first_epochs": epochs})
        size = first.first_samples, inputs, outputs, first.first_search_budget
        if seeds * sum(judging_seconds(name, *size) + fitting_seconds(name, *size) for name in FIRST) <= limit:
            break
    return first


def _sizes(largest: int, count: int) -> tuple[int, ...]:
    sizes = [max(1, largest // 2**i) for i in range(count)]
    return tuple(sorted({n for n in sizes if n >= SMALLEST} or {largest}))


def _fewer(largest: int) -> Iterator[int]:
    """A number of samples and its halves, down to ``FEWEST``."""
    yield largest
    while largest > FEWEST:
        largest = max(FEWEST, largest // 2)
        yield largest


def exact_rows(memory: int) -> int:
    """The most samples with whole Gram matrices: half of a worker's memory holds three of them."""
    return max(1, min(EXACT, int((memory / 2 / (3 * 8)) ** 0.5)))


def _landmarks(largest: int, outputs: int, memory: int, *, patient: bool) -> Iterator[int | None]:
    """None, for whole Gram matrices, where they have room; then a number of landmarks, if it is smaller."""
    if largest <= exact_rows(memory):
        yield None
    count = min(LANDMARKS if patient else FEWER_LANDMARKS, most_landmarks(largest, outputs=outputs, memory=memory // 2))
    if count < largest:
        yield max(1, count)


def estimate(plan: AuditPlan, inputs: int, outputs: int) -> float:
    """Seconds of one core for the whole plan, whichever networks turn out best."""
    *smaller, largest = plan.sizes
    names = [(name, largest) for name in (*FAMILIES, *frozen_kernels("3resnet"))]
    names += [(name, samples) for samples in smaller for name in on_curves(("3resnet", "3layer"))]
    sizes = [(name, (samples, inputs, outputs, plan.search_budget(samples))) for name, samples in names]
    return plan.seeds * sum(judging_seconds(name, *size) + fitting_seconds(name, *size) for name, size in sizes)
