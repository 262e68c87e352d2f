"""The trials of a run and what came of each, beside the run's chunks."""

import sqlite3
from typing import TYPE_CHECKING, ClassVar

from kernelgap.sweeps.chunk import Chunk, ChunkResult
from kernelgap.sweeps.run_file import RunFile
from kernelgap.sweeps.table import RESULTS, trials_table
from kernelgap.sweeps.trial import AnyTrial, read_trial

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
NO_MEASURES = "'{}'"  # of trials that were stored before there were any


class Store(RunFile):
    """A run of trials."""

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

    def times(self) -> "pd.DataFrame":
        """Each finished chunk: its seconds of work, when it was stored (UTC), and how many trials it holds."""
        import pandas as pd

        query = "SELECT chunks.id AS chunk, label, seconds, finished, COUNT(trials.id) AS trials FROM chunks \
                 LEFT JOIN trials ON trials.chunk = chunks.id GROUP BY chunks.id ORDER BY finished, chunks.id"
        return pd.read_sql_query(query, self._connection, parse_dates=["finished"])

    def trials(self) -> dict[str, AnyTrial]:
        """The finished trials by their ids."""
        rows = self._connection.execute("SELECT id, description FROM trials")
        return {trial_id: read_trial(description) for trial_id, description in rows}

    def weights(self, trial: str) -> bytes | None:
        """The weights of a trial's network as a safetensors file, if they were kept."""
        if not self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'weights'").fetchone():
            return None  # written before weights were
        row = self._connection.execute("SELECT file FROM weights WHERE trial = ?", (trial,)).fetchone()
        return None if row is None else bytes(row[0])

    def table(self) -> "pd.DataFrame":
        """One row a finished trial, in an order that does not depend on which chunk finished first."""
        measures = "measures" if _has_measures(self._connection) else NO_MEASURES
        columns = ("description", *RESULTS, "id", "curves", measures)
        return trials_table(self._connection.execute(f"SELECT {', '.join(columns)} FROM trials"))


def _has_measures(connection: sqlite3.Connection) -> bool:
    return any(row[1] == "measures" for row in connection.execute("PRAGMA table_info(trials)"))
