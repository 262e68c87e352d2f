"""From a source to the dataset that contenders get: the pool's inputs and targets, and the inputs of the test rows."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from kernelgap.atomic_file import atomically
from kernelgap.audit.contenders.view import SearchBudget, View
from kernelgap.audit.split import put_aside, sample_rows
from kernelgap.audit.tables.apart import rows_apart
from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.preparing import Preparation
from kernelgap.audit.tables.question import pose
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.audit.tables.table import Task
from kernelgap.audit.tables.targets import Targets
from kernelgap.errors import InputError, validated
from kernelgap.fingerprint import fingerprint

FILE, OLD_FILE = "dataset.npz", "material.npz"  # the second up to 0.2
LABELS = "test_targets.npz"
OPTIONAL = ("groups", "times", "test_groups")


@dataclass(frozen=True)
class Dataset:
    """``preparation`` made the inputs of the table's columns, ``targets`` turns outputs into what was asked for."""

    X: Float[np.ndarray, "pool d"]
    Y: Float[np.ndarray, "pool k"]
    X_test: Float[np.ndarray, "test d"]
    preparation: Preparation
    targets: Targets
    groups: Int[np.ndarray, " pool"] | None = None  # the number of each row's group
    times: Float[np.ndarray, " pool"] | None = None
    test_groups: Int[np.ndarray, " test"] | None = None

    @property
    def classes(self) -> bool:
        """Whether the targets are one-hot columns."""
        return self.targets.task == "classification"

    @property
    def divisor(self) -> int:
        """The divisor of a row's squared error, summed over outputs: the mean over targets for numbers."""
        return 1 if self.classes else self.Y.shape[1]

    @cached_property
    def digest(self) -> str:
        return fingerprint(self._metadata, self.X, self.Y, self.X_test, *self._given.values())

    @property
    def _given(self) -> dict[str, np.ndarray]:
        """Groups and times, where there are any."""
        named = {name: getattr(self, name) for name in OPTIONAL}
        return {name: values for name, values in named.items() if values is not None}

    @cached_property
    def _metadata(self) -> str:
        return json.dumps([part.model_dump(mode="json") for part in (self.preparation, self.targets)])

    def rows(self, samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """(training, validation) of a sample."""
        labels = self.Y.argmax(axis=1) if self.classes else None
        return sample_rows(len(self.X), labels, samples=samples, seed=seed, groups=self.groups, times=self.times)

    def view(self, samples: int, seed: int, search_budget: SearchBudget) -> View:
        """A sample as a contender sees it."""
        X, Y, (train, val) = self.X, self.Y, self.rows(samples, seed)
        return View(X[train], Y[train], X[val], Y[val], seed, search_budget, self.divisor, self.classes)

    def constant(self, samples: int, seed: int) -> Float[np.ndarray, " k"]:
        """The mean of a sample, the best constant prediction."""
        return self.Y[np.concatenate(self.rows(samples, seed))].mean(axis=0)

    def save(self, folder: Path) -> Path:
        """Write it into the folder, for workers, unless it is there already."""
        path = folder / FILE
        if not path.exists() or load_dataset(path).digest != self.digest:
            load_dataset.cache_clear()
            arrays = {"X": self.X, "Y": self.Y, "X_test": self.X_test, **self._given}
            write_arrays(path, {**arrays, "metadata": np.array(self._metadata)})
        return path


@lru_cache(maxsize=1)
def load_dataset(path: Path) -> Dataset:
    """Read once in each worker; also the file of an earlier version in the same folder."""
    older = not path.exists() and path.with_name(OLD_FILE).exists()
    metadata = "words" if older else "metadata"
    arrays = read_arrays(path.with_name(OLD_FILE) if older else path, ("X", "Y", "X_test", metadata), OPTIONAL)
    preparation, targets = json.loads(str(arrays[metadata]))
    parts: Any = (validated(Preparation, preparation), validated(Targets, targets))
    given: Any = {name: arrays[name] for name in OPTIONAL if name in arrays}
    return Dataset(arrays["X"], arrays["Y"], arrays["X_test"], *parts, **given)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Whole or not at all."""
    with atomically(path) as partial, partial.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # its stub takes the names for options


def read_arrays(path: Path, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in (*names, *(name for name in optional if name in file))}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"'{path}' cannot be read ({error}): run the audit again in another folder.") from None


@dataclass(frozen=True)
class TableInfo:
    """The table that was audited. ``inputs`` are the columns of numbers that were made of its features."""

    source: str
    targets: tuple[str, ...]
    task: Task
    classes: tuple[str, ...]
    rows: int
    features: int
    inputs: int
    test_rows: int
    scales: tuple[float, ...]  # standard deviations of the targets, in whose units errors are; none for classes


class TableOptions(TypedDict, total=False):
    """How a table is read, and what is asked of it; see ``kernelgap.audit``."""

    task: str | None
    leave_out: Sequence[str]
    keep: Sequence[str]
    rows: int | None
    delimiter: str | None
    header: bool | None
    group: str | None
    time: str | None


@dataclass(frozen=True)
class PreparedTable:
    """``Y_test`` is not used before everything is chosen."""

    table: TableInfo
    dataset: Dataset
    Y_test: Float[np.ndarray, "test k"]
    notices: tuple[Notice, ...]


def prepare_table(
    source: str | Path | pd.DataFrame, target: str | Sequence[str], *, seed: int, **options: Unpack[TableOptions]
) -> PreparedTable:
    """Read a table, pose the question, put the test rows aside, and prepare by the others alone."""
    reading: Any = {name: options.get(name) for name in ("rows", "delimiter", "header")}
    apart = [name for name in (options.get("group"), options.get("time")) if name is not None]
    table = read_table(source, seed=seed, texts=apart, **reading)
    left_out = list(dict.fromkeys([*options.get("leave_out", ()), *apart]))
    question = pose(table, target, task=options.get("task"), leave_out=left_out, keep=options.get("keep", ()))
    labels = question.values if question.task == "classification" else None
    split: Any = rows_apart(table, question, group=options.get("group"), time=options.get("time"))
    pool, test = put_aside(question.rows, labels, seed=seed, **split)
    preparation = Preparation.fit(question.features.iloc[pool])
    targets = Targets.fit(question, pool)
    inputs, Y = preparation.transform(question.features), targets.encode(question.values)
    info = TableInfo(
        source=table.source,
        targets=question.names,
        task=question.task,
        classes=question.classes,
        rows=question.rows,
        features=question.features.shape[1],
        inputs=inputs.shape[1],
        test_rows=len(test),
        scales=targets.scales,
    )
    given = {name: None if values is None else values[pool] for name, values in split.items()}
    test_groups = None if split["groups"] is None else np.unique(split["groups"][test], return_inverse=True)[1]
    dataset = Dataset(inputs[pool], Y[pool], inputs[test], preparation, targets, **given, test_groups=test_groups)
    return PreparedTable(info, dataset, Y[test], (*question.notices, *preparation.notices))
