"""A run on images as its folder holds it: a table with a row for each finished trial, and what it was about."""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Required

import pandas as pd
from pydantic import TypeAdapter
from scipy.stats import binomtest
from typing_extensions import TypedDict

from kernelgap.errors import InputError
from kernelgap.images.experiment.outcome import ImageOutcome
from kernelgap.images.experiment.store import ImageLedger
from kernelgap.images.experiment.trials import AnyImageTrial, KernelTrial, TrainingTrial
from kernelgap.runs.run_file import Failure, as_stored

CONFIDENCE = 0.95


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
FAMILIES = ("network", "gated network", "network's kernel", "kernel")


@dataclass(frozen=True)
class ImageRun:
    """``table`` has for each trial: method, family, samples, seed, accuracy with ``low`` and ``high`` (95% for these
    test images, Wilson's interval; NaN if it diverged), tested, status, setting, seconds, multiplications, shown
    (images, to networks), epochs, curves.
    """

    folder: Path
    description: dict[str, Any]
    about: dict[str, Any]
    table: pd.DataFrame
    failures: list[Failure]

    def as_table(self) -> pd.DataFrame:
        """The table, with what the run was about in its ``attrs``."""
        found = self.table.copy()
        found.attrs = {
            **{key: self.description.get(key) for key in ("experiment", "scale", "seed")},
            **{key: self.about.get(key) for key in ("title", "set", "shape", "classes", "train", "test")},
            "folder": str(self.folder),
            "failures": [asdict(failure) for failure in self.failures],
        }
        return found

    @property
    def unfinished(self) -> list[str]:
        """What was planned and is not there, in words."""
        planned: dict[str, str] = self.about.get("planned", {})
        return [label for identity, label in planned.items() if identity not in set(self.table.trial)]


def read_image_run(folder: str | Path) -> ImageRun:
    """What is finished in a folder."""
    with ImageLedger.reading(folder) as ledger:
        outcomes, description, about = ledger.outcomes(), ledger.description(), ledger.about()
        failures = ledger.failures()
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
    return ImageRun(Path(folder), description, about, table, failures)


def _row(trial: AnyImageTrial, outcome: ImageOutcome) -> dict[str, Any]:
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
