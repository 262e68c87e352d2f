"""The prepared table as contenders get it: the pool's inputs and targets, and of the test rows the inputs alone."""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Float

from kernelgap.atomic_file import atomically
from kernelgap.audit.contenders.view import View
from kernelgap.audit.search_budget import SearchBudget
from kernelgap.audit.split import sample_rows
from kernelgap.audit.tables.preparing.prepare import Preparation
from kernelgap.audit.tables.targets import Targets
from kernelgap.errors import InputError

FILE = "material.npz"
LABELS = "test_targets.npz"


@dataclass(frozen=True)
class Dataset:
    """``preparation`` made the inputs of the table's columns, ``targets`` turns outputs into what was asked for."""

    X: Float[np.ndarray, "pool d"]
    Y: Float[np.ndarray, "pool k"]
    X_test: Float[np.ndarray, "test d"]
    preparation: Preparation
    targets: Targets

    @property
    def classes(self) -> bool:
        """Whether the targets are one-hot columns."""
        return self.targets.task == "classification"

    @property
    def divisor(self) -> int:
        """What the squared error of a row, summed over outputs, is divided by: the mean over targets for numbers."""
        return 1 if self.classes else self.Y.shape[1]

    @cached_property
    def digest(self) -> str:
        digest = hashlib.sha256(self._words.encode())
        for array in (self.X, self.Y, self.X_test):
            digest.update(f"{array.dtype.str} {array.shape}\n".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @cached_property
    def _words(self) -> str:
        return json.dumps([self.preparation.describe(), self.targets.describe()])

    def rows(self, samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """(training, validation) of a sample."""
        labels = self.Y.argmax(axis=1) if self.classes else None
        return sample_rows(len(self.X), labels, samples=samples, seed=seed)

    def view(self, samples: int, seed: int, search_budget: SearchBudget) -> View:
        """What a contender gets to see."""
        train, val = self.rows(samples, seed)
        return View(
            self.X[train], self.Y[train], self.X[val], self.Y[val], seed, search_budget, self.divisor, self.classes
        )

    def constant(self, samples: int, seed: int) -> Float[np.ndarray, " k"]:
        """The best constant that a sample tells: its mean."""
        return self.Y[np.concatenate(self.rows(samples, seed))].mean(axis=0)

    def save(self, folder: Path) -> Path:
        """Into the folder, for workers; one that is there already is left alone if it is this one."""
        path = folder / FILE
        if not path.exists() or load_dataset(path).digest != self.digest:
            load_dataset.cache_clear()
            write_arrays(path, {"X": self.X, "Y": self.Y, "X_test": self.X_test, "words": np.array(self._words)})
        return path


@lru_cache(maxsize=1)
def load_dataset(path: Path) -> Dataset:
    """Read once in each worker."""
    found = read_arrays(path, ("X", "Y", "X_test", "words"))
    preparation, targets = json.loads(str(found["words"]))
    made = Preparation.rebuild(preparation), Targets.rebuild(targets)
    return Dataset(found["X"], found["Y"], found["X_test"], *made)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Whole or not at all."""
    with atomically(path) as partial, partial.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # its stub takes the names for options


def read_arrays(path: Path, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in names}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"'{path}' cannot be read ({error}): run the audit again in another folder.") from None
