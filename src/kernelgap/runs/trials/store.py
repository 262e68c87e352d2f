"""The trials of a run and what came of each, beside the run's chunks."""

import math
import sqlite3
from typing import TYPE_CHECKING, ClassVar

from pydantic import ConfigDict, TypeAdapter

from kernelgap.runs.store import DamagedRunError, KindStore, as_stored
from kernelgap.runs.trials.chunk import Chunk, ChunkResult
from kernelgap.runs.trials.table import RESULTS, check_rows, trials_table
from kernelgap.runs.trials.trial import AnyTrial, read_trial

if TYPE_CHECKING:
    import pandas as pd  # late, since workers do without it

TRIAL_COLUMNS = (
    "id",
    "chunk",
    "description",
    "status",
    "train_error",
    "validation_error",
    "test_error",
    "test_standard_error",
    "diverged_at",
    "curves",
    "measures",
)
_ERRORS = TypeAdapter(list[tuple[str, float | None]], config=ConfigDict(strict=True))
_FILES = TypeAdapter(list[tuple[bytes]], config=ConfigDict(strict=True))
NO_MEASURES = "'{}'"  # of trials that were stored before there were any


class TrialStore(KindStore):
    """The trials of a run, each with its errors and curves, and the weights of the best networks.

    Attributes
    ----------
    folder
        The folder of the run.
    """

    KIND: ClassVar = "figure"
    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS trials (id TEXT NOT NULL, chunk TEXT NOT NULL REFERENCES chunks (id), "
        "description TEXT NOT NULL, status TEXT NOT NULL, train_error REAL, validation_error REAL, test_error REAL, "
        "test_standard_error REAL, diverged_at INTEGER, curves TEXT NOT NULL, measures TEXT NOT NULL DEFAULT '{}')",
        "CREATE TABLE IF NOT EXISTS weights (trial TEXT NOT NULL, chunk TEXT NOT NULL REFERENCES chunks (id), "
        "file BLOB NOT NULL)",
    )
    COLUMNS: ClassVar = {"trials": TRIAL_COLUMNS[:-1]}

    @classmethod
    def _renew(cls, connection: sqlite3.Connection) -> None:
        if not _has_measures(connection):
            connection.execute(f"ALTER TABLE trials ADD COLUMN measures TEXT NOT NULL DEFAULT {NO_MEASURES}")

    def save(self, chunk: Chunk, result: ChunkResult) -> None:
        places = ", ".join("?" * len(TRIAL_COLUMNS))
        with self._saving(chunk, result.seconds) as connection:
            connection.executemany(f"INSERT INTO trials VALUES ({places})", result.rows)
            kept = [(trial, chunk.id, file) for trial, file in result.weights.items()]
            connection.executemany("INSERT INTO weights VALUES (?, ?, ?)", kept)

    def trials(self) -> dict[str, AnyTrial]:
        """The finished trials by their ids."""
        rows = self._rows("SELECT id, description FROM trials")
        with as_stored(self.folder, "a trial", mistakes=True):
            return {trial_id: read_trial(description) for trial_id, description in rows}

    def validation_errors(self) -> dict[str, float]:
        """The validation errors of the finished trials by their ids; infinite where they are not done."""
        with as_stored(self.folder, "a trial", mistakes=True):
            rows = _ERRORS.validate_python(self._rows("SELECT id, validation_error FROM trials"))
            return {trial: math.inf if error is None else error for trial, error in rows}

    def weights(self, trial: str) -> bytes | None:
        """The weights of a trial's network as a safetensors file, if they were kept."""
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'weights'"):
            return None  # written before weights were
        rows = self._rows("SELECT file FROM weights WHERE trial = ?", trial)
        with as_stored(self.folder, "the weights of a network"):
            return _FILES.validate_python(rows)[0][0] if rows else None

    def table(self) -> "pd.DataFrame":
        """One row a finished trial, in an order that does not depend on which chunk finished first."""
        measures = "measures" if _has_measures(self._connection) else NO_MEASURES
        columns = ("description", *RESULTS, "id", "curves", measures)
        rows = self._rows(f"SELECT {', '.join(columns)} FROM trials")
        with as_stored(self.folder, "a trial", mistakes=True):
            return trials_table(rows)

    def check(self) -> None:
        super().check()
        columns = ("description", *RESULTS, "id", "curves")
        rows = self._rows(f"SELECT {', '.join(columns)} FROM trials")
        with as_stored(self.folder, "a trial", mistakes=True):
            check_rows(rows)
        empty = self._rows("SELECT label FROM chunks WHERE id NOT IN (SELECT chunk FROM trials) LIMIT 1")
        if empty:
            raise DamagedRunError(self.folder / self.FILE, f"'{empty[0][0]}' is finished there without a trial")


def _has_measures(connection: sqlite3.Connection) -> bool:
    return any(row[1] == "measures" for row in connection.execute("PRAGMA table_info(trials)"))
