"""A run on images as its folder holds it: an SQLite file, read as a table with a row for each finished trial."""

import math
from dataclasses import asdict, dataclass
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
    ImagePoint,
    SizeComparison,
    comparisons_of,
    points_of,
)
from kernelgap.images.experiment.learners import ImageChunk
from kernelgap.images.experiment.record import images_record, sentence_of
from kernelgap.images.experiment.trials import AnyImageTrial, ImageOutcome, KernelTrial, TrainingTrial, read_image_trial
from kernelgap.runs.result import Run
from kernelgap.runs.store import ResultStore, as_stored


class ImageStore(ResultStore):
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


_ABOUT = TypeAdapter(_About)


@dataclass(frozen=True, kw_only=True)
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
    """

    kind = "images"

    about: dict[str, Any]
    digest: str = ""

    @cached_property
    def points(self) -> list[ImagePoint]:
        """Each method with each number of images, over its seeds."""
        return points_of(self.table)

    @cached_property
    def comparisons(self) -> list[SizeComparison]:
        """The best of each side, for each number of images."""
        return comparisons_of(self.points)

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


def read_images_run(folder: Path) -> ImageRun:
    """The finished trials of a run on images.

    Parameters
    ----------
    folder
        The folder of the run.

    Raises
    ------
    InputError
        If nothing is finished, or the folder is damaged.
    """
    with ImageStore.reading(folder) as store:
        outcomes, about, common = store.outcomes(), store.about(), store.common()
        digest = str(store.description().get("images", ""))
    if not outcomes:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    with as_stored(folder, "what came of a trial", mistakes=True):
        table = pd.DataFrame([_row(trial, outcome) for trial, outcome in outcomes])
        _ABOUT.validate_python(about, strict=True)
    order = {family: i for i, family in enumerate(FAMILIES)}
    table = table.sort_values(
        ["family", "method", "samples", "seed"],
        key=lambda column: column.map(order) if column.name == "family" else column,
        ignore_index=True,
    )
    return ImageRun(**common, table=table, about=about, digest=digest)


def _row(trial: AnyImageTrial, outcome: ImageOutcome) -> dict[str, Any]:
    from scipy.stats import binomtest  # half a second, which what reads no results need not wait for

    done = outcome.status == "done"
    interval = binomtest(outcome.right, outcome.tested).proportion_ci(CONFIDENCE, method="wilson")
    training = trial if isinstance(trial, TrainingTrial) else None
    return {
        "trial": trial.id,
        "method": trial.method,
        "family": _family(trial),
        "samples": trial.samples,
        "seed": trial.seed,
        "accuracy": outcome.right / outcome.tested if done else math.nan,
        "low": float(interval.low) if done else math.nan,
        "high": float(interval.high) if done else math.nan,
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
