"""A run on images as its folder holds it: an SQLite file, read as a table with a row for each finished trial."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Required

import pandas as pd
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from kernelgap.errors import InputError
from kernelgap.images.experiment.comparison import (
    CONFIDENCE,
    FAMILIES,
    ImageConclusion,
    ImagePoint,
    SizeComparison,
    comparisons_of,
    points_of,
)
from kernelgap.images.experiment.learners import ImageChunk
from kernelgap.images.experiment.record import images_record, sentence_of
from kernelgap.images.experiment.trials import AnyImageTrial, ImageOutcome, KernelTrial, TrainingTrial, read_image_trial
from kernelgap.progress import Progress, silent
from kernelgap.runs.result import Run
from kernelgap.runs.store import KindStore, as_stored


class ImageStore(KindStore):
    """What came of each trial, in one transaction."""

    KIND: ClassVar = "images"
    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS outcomes (chunk TEXT PRIMARY KEY REFERENCES chunks (id), trial TEXT NOT NULL, "
        "content TEXT NOT NULL)",
    )
    COLUMNS: ClassVar = {"outcomes": ("chunk", "trial", "content")}

    def save(self, chunk: ImageChunk, done: ImageOutcome) -> None:
        with self._saving(chunk, done.seconds) as connection:
            row = (chunk.id, chunk.trial.model_dump_json(), done.as_json())
            connection.execute("INSERT INTO outcomes VALUES (?, ?, ?)", row)

    def outcomes(self) -> list[tuple[AnyImageTrial, ImageOutcome]]:
        rows = self._rows("SELECT trial, content FROM outcomes ORDER BY rowid")
        with as_stored(self.folder, "what came of a trial", mistakes=True):
            return [(read_image_trial(trial), ImageOutcome.from_json(content)) for trial, content in rows]

    def check(self) -> None:
        super().check()
        self.outcomes()


class _About(TypedDict, total=False):
    """What a start notes for the page."""

    set: Required[str]
    shape: Required[list[int]]
    classes: Required[list[str]]
    train: Required[int]
    test: Required[int]
    title: str
    schedule: dict[str, Any]
    planned: dict[str, str]
    network: dict[str, int]


_ABOUT, _CONCLUSION = TypeAdapter(_About), TypeAdapter(ImageConclusion)
Outcomes = Sequence[tuple[AnyImageTrial, ImageOutcome]]
Intervals = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, kw_only=True, repr=False)
class ImageRun(Run):
    """Accuracies of networks and kernels over the number of training images.

    ``table`` has for each trial: method, family, samples, seed, accuracy with ``low`` and ``high`` (95% for these test
    images, Wilson's interval; NaN if it diverged), tested, status, setting, seconds, multiplications, shown (images,
    to networks), epochs, curves.

    Attributes
    ----------
    about
        Which images they are, and how networks were trained.
    digest
        Identifies the images.
    conclusion
        What the run stored of intervals and of who is best; made of the table for a run that stored none.
    """

    kind = "images"

    about: dict[str, Any]
    digest: str = ""
    conclusion: ImageConclusion | None = field(default=None, repr=False)

    @cached_property
    def _concluded(self) -> ImageConclusion:
        return self.conclusion or ImageConclusion.of(self.table)

    @cached_property
    def points(self) -> list[ImagePoint]:
        """Each method with each number of images, over its seeds."""
        return points_of(self.table, self._concluded.accuracies)

    @cached_property
    def comparisons(self) -> list[SizeComparison]:
        """The best of each side, for each number of images."""
        return comparisons_of(self.points, self._concluded.leaders)

    @property
    def headline(self) -> SizeComparison:
        """The comparison with most sides; of these the one with the most images."""
        return max(self.comparisons, key=lambda c: (c.sides, c.samples))

    @property
    def unfinished(self) -> list[str]:
        """What was planned and is not there, in words."""
        planned: dict[str, str] = self.about.get("planned", {})
        return [label for identity, label in planned.items() if identity not in set(self.table.trial)]

    @property
    def sentence(self) -> str:
        return sentence_of(self)

    def as_record(self) -> dict[str, Any]:
        return images_record(self)


def conclude_images(store: ImageStore, on_progress: Progress = silent) -> dict[str, Any]:
    """Every interval, and who is best with how many images."""
    outcomes = store.outcomes()
    concluded: dict[str, Any] = _CONCLUSION.dump_python(ImageConclusion.of(_table(outcomes, _intervals(outcomes))))
    return concluded


def read_images_run(folder: Path) -> ImageRun:
    """The finished trials of a run on images.

    Parameters
    ----------
    folder
        The folder of the run. One that is not finished, or of an earlier version, has stored no conclusion.

    Raises
    ------
    InputError
        If nothing is finished, or the folder is damaged.
    """
    with ImageStore.reading(folder) as store:
        outcomes, about, common, stored = store.outcomes(), store.about(), store.common(), store.conclusion()
        digest = str(store.description().get("images", ""))
    if not outcomes:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    with as_stored(folder, "its conclusion", mistakes=True):
        conclusion = None if stored is None else _CONCLUSION.validate_python(stored)
    with as_stored(folder, "what came of a trial", mistakes=True):
        table = _table(outcomes, _intervals(outcomes) if conclusion is None else conclusion.intervals)
        _ABOUT.validate_python(about, strict=True)
    if conclusion is not None:
        with as_stored(folder, "its conclusion", mistakes=True):
            conclusion.check(table)
    return ImageRun(**common, table=table, about=about, digest=digest, conclusion=conclusion)


def _table(outcomes: Outcomes, intervals: Intervals) -> pd.DataFrame:
    """A row a trial, by family, method, number of images and seed."""
    table = pd.DataFrame([_row(trial, outcome, intervals) for trial, outcome in outcomes])
    order = {family: i for i, family in enumerate(FAMILIES)}
    return table.sort_values(
        ["family", "method", "samples", "seed"],
        key=lambda column: column.map(order) if column.name == "family" else column,
        ignore_index=True,
    )


def _intervals(outcomes: Outcomes) -> Intervals:
    """Wilson's, for the test images, of the trials that did not diverge."""
    from scipy.stats import binomtest  # half a second, which what reads a conclusion need not wait for

    intervals = {}
    for trial, outcome in outcomes:
        if outcome.status == "done":
            ends = binomtest(outcome.right, outcome.tested).proportion_ci(CONFIDENCE, method="wilson")
            intervals[trial.id] = (float(ends.low), float(ends.high))
    return intervals


def _row(trial: AnyImageTrial, outcome: ImageOutcome, intervals: Intervals) -> dict[str, Any]:
    low, high = intervals.get(trial.id, (math.nan, math.nan))
    training = trial if isinstance(trial, TrainingTrial) else None
    return {
        "trial": trial.id,
        "method": trial.method,
        "family": _family(trial),
        "samples": trial.samples,
        "seed": trial.seed,
        "accuracy": outcome.right / outcome.tested if outcome.status == "done" else math.nan,
        "low": low,
        "high": high,
        **{key: value for key, value in asdict(outcome).items() if key not in ("right", "curves")},
        "multiplications": trial.multiplications,
        "shown": None if training is None else training.shown,
        "epochs": None if training is None else training.schedule.epochs,
        "curves": outcome.curves,
    }


def _family(trial: AnyImageTrial) -> str:
    if isinstance(trial, KernelTrial):
        return "kernel"
    if isinstance(trial, TrainingTrial) and trial.mode == "all":
        return "gated network" if "gated" in trial.network else "network"
    return "network's kernel"
