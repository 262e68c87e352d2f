"""How many samples, seeds and fits there will be: as many as the table has, the time allows and the memory holds."""

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from kernelgap.audit.contenders.registry import FAMILIES, on_curves, twins
from kernelgap.audit.cost import fitting_seconds, judging_seconds
from kernelgap.audit.search_budget import SearchBudget
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
FIRST_SAMPLES, FIRST_FITS, FIRST_EPOCHS = 400, 4, 60  # for who comes before all others
BUSY = 1.5  # a pace from which on it is said


class Rung(NamedTuple):
    fits: int
    seeds: int
    sizes: int


PATIENT = 1800.0  # seconds from which on a budget buys the first rung
HASTY = (Rung(4, 3, 3), Rung(4, 2, 2), Rung(4, 2, 1))
RUNGS = (Rung(25, 5, 5), Rung(16, 3, 4), Rung(9, 3, 4), Rung(9, 3, 3), *HASTY)


class Plan(BaseModel):
    """``sizes`` rise to the largest; ``of`` is how many rows there were for learning.

    ``pace`` is how many times longer than on an idle machine work took when it was planned.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[int, ...] = Field(min_length=1)
    seeds: int = Field(ge=1)
    fits: int = Field(ge=1)
    landmarks: int | None
    most_rows: int
    of: int
    budget: float
    pace: float = 1.0

    @property
    def first(self) -> int:
        """How many samples those get who come first: few, and none of ``sizes``, so that the two are told apart."""
        return max((n for n in range(1, min(FIRST_SAMPLES, self.sizes[-1]) + 1) if n not in self.sizes), default=1)

    @property
    def first_effort(self) -> SearchBudget:
        return SearchBudget(fits=FIRST_FITS, epochs=FIRST_EPOCHS, most_rows=self.most_rows)

    def search_budget(self, samples: int) -> SearchBudget:
        return SearchBudget(
            fits=self.fits,
            epochs=max(LEAST_EPOCHS, min(PASSES, STEPS * BATCH // samples)),
            landmarks=self.landmarks if self.landmarks is not None and samples > self.landmarks else None,
            most_rows=self.most_rows,
        )

    def notices(self) -> Iterator[Notice]:
        """What a reader should know of it."""
        largest = self.sizes[-1]
        busy = f" on a machine that is busy (work takes {self.pace:.1f} times as long)" if self.pace >= BUSY else ""
        if largest < self.of:
            why = f"A budget of {format_duration(self.budget)} allows {largest:,} of {self.of:,} rows{busy}"
            yield Notice("sampled", "rows", f"{why}: a longer --budget uses more.")
        if self.landmarks is not None and largest > self.landmarks:
            yield Notice(
                "nystroem",
                "kernels",
                f"With more than {self.landmarks:,} samples kernels use Nystroem features with {self.landmarks:,} "
                "landmarks: whole Gram matrices would take too much memory or time.",
            )
        if largest > self.most_rows:
            yield Notice("nystroem", "adaptive", f"The adaptive kernel learns from {self.most_rows:,} rows at most.")


def make_plan(
    pool: int, inputs: int, outputs: int, *, budget: float, workers: int, memory: int, pace: float = 1.0
) -> Plan:
    """The plan with the most samples, and then the most thorough, that the budget allows by the estimate.

    Above ``MANY`` samples, fewer of them are preferred to hasty rungs. Nystroem features are used where whole Gram
    matrices would not fit into the memory, or not into the time. ``pace`` is how many times longer work takes.
    """
    of = pool
    rungs = RUNGS if budget >= PATIENT else RUNGS[1:]
    for largest in _fewer(of):
        for rung in rungs if largest <= MANY else [rung for rung in rungs if rung not in HASTY]:
            for landmarks in _landmarks(largest, outputs, memory // workers, patient=budget >= PATIENT):
                plan = _plan(rung, largest, of, budget, landmarks, most_rows=exact_rows(memory // workers))
                plan = plan.model_copy(update={"pace": pace})
                if estimate(plan, inputs, outputs) * pace <= FILLED * budget * workers:
                    return plan
    return plan


def _fewer(largest: int) -> Iterator[int]:
    """A number of samples and its halves, down to ``FEWEST``."""
    yield largest
    while largest > FEWEST:
        largest = max(FEWEST, largest // 2)
        yield largest


def exact_rows(memory: int) -> int:
    """Up to how many samples a worker has room for whole Gram matrices: half of its memory for three of them."""
    return max(1, min(EXACT, int((memory / 2 / (3 * 8)) ** 0.5)))


def _landmarks(largest: int, outputs: int, memory: int, *, patient: bool) -> Iterator[int | None]:
    """None, for whole Gram matrices, where they have room; then as many landmarks as make a difference."""
    if largest <= exact_rows(memory):
        yield None
    count = min(LANDMARKS if patient else FEWER_LANDMARKS, most_landmarks(largest, outputs=outputs, memory=memory // 2))
    if count < largest:
        yield max(1, count)


def _plan(rung: Rung, largest: int, of: int, budget: float, landmarks: int | None, *, most_rows: int) -> Plan:
    sizes = [max(1, largest // 2**i) for i in range(rung.sizes)]
    sizes = [n for n in sizes if n >= SMALLEST] or sizes[:1]
    return Plan(
        sizes=tuple(sorted(set(sizes))),
        seeds=rung.seeds,
        fits=rung.fits,
        landmarks=landmarks,
        most_rows=min(ADAPTING, most_rows),
        of=of,
        budget=budget,
    )


def estimate(plan: Plan, inputs: int, outputs: int) -> float:
    """Seconds of one core for all of it, whichever networks will be the best."""
    *smaller, largest = plan.sizes
    names = [(name, largest) for name in (*FAMILIES, *twins("3resnet"))]
    names += [(name, samples) for samples in smaller for name in on_curves(("3resnet", "3layer"))]
    sizes = [(name, (samples, inputs, outputs, plan.search_budget(samples))) for name, samples in names]
    return plan.seeds * sum(judging_seconds(name, *size) + fitting_seconds(name, *size) for name, size in sizes)
