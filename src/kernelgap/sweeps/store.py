"""One SQLite file a run: what was planned, and what came of each finished chunk."""

import fcntl
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pandas as pd

from kernelgap import problems
from kernelgap.errors import InputError
from kernelgap.sweeps.chunk import Chunk, ChunkResult
from kernelgap.sweeps.trial import AnyTrial, read_trial

SCHEMA = """
CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS chunks (
    id TEXT PRIMARY KEY, label TEXT NOT NULL, seconds REAL NOT NULL, finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE IF NOT EXISTS trials (
    id TEXT PRIMARY KEY, chunk TEXT NOT NULL REFERENCES chunks (id), description TEXT NOT NULL, status TEXT NOT NULL,
    train_error REAL, validation_error REAL, test_error REAL, test_standard_error REAL, diverged_at INTEGER,
    curves TEXT NOT NULL, measures TEXT NOT NULL DEFAULT '{}');
"""

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


class Store:
    """A run's folder. Written by one process alone, each chunk in one transaction: a chunk is there whole or not."""

    FILE = "run.sqlite"

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection

    @classmethod
    def check_exists(cls, folder: str | Path) -> None:
        """Refuse a folder in which nothing was run."""
        if not (Path(folder) / cls.FILE).exists():
            raise InputError(f"There is no run in '{folder}': give the folder that 'kernelgap run' wrote to.")

    @classmethod
    @contextmanager
    def open(cls, folder: str | Path) -> Iterator["Store"]:
        """Open the run in a folder, making both if they are not there; refuse what another process holds."""
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = open(folder / "run.lock", "a")  # noqa: SIM115 (held until the store closes)
        except OSError as error:
            raise InputError(
                f"The output folder '{folder}' cannot be written: {error.strerror}. Choose another."
            ) from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"Another process is running in '{folder}': wait for it, or choose another folder."
                ) from None
            path = folder / cls.FILE
            try:
                connection = sqlite3.connect(path)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
                connection.execute(f"SELECT {', '.join(TRIAL_COLUMNS)} FROM trials LIMIT 1")
                connection.execute("SELECT id, label, seconds FROM chunks LIMIT 1")
                connection.execute("SELECT key, value FROM run LIMIT 1")
            except sqlite3.Error as error:
                advice = "It was left as it is: move it away, or choose another folder."
                raise InputError(f"'{path}' is not a readable run: {error}. {advice}") from None
            try:
                yield cls(folder, connection)
            finally:
                connection.close()

    def describe(self, description: dict[str, object]) -> None:
        """Say what this run is. A folder that holds a different run is refused, never mixed."""
        text = json.dumps(description, sort_keys=True)
        held = self._connection.execute("SELECT value FROM run WHERE key = 'description'").fetchone()
        if held is None:
            with self._connection:
                self._connection.execute("INSERT INTO run VALUES ('description', ?)", (text,))
        elif held[0] != text:
            old = json.loads(held[0])
            changed = sorted(k for k in {*old, *description} if old.get(k) != description.get(k))
            advice = "choose another with --out, or move it away."
            if changed == ["chunks"]:
                raise InputError(f"'{self.folder}' holds a run of this experiment with another grid: {advice}")
            raise InputError(f"'{self.folder}' holds another run (it differs in {', '.join(changed)}): {advice}")

    def trials(self) -> dict[str, AnyTrial]:
        """The finished trials by their ids."""
        rows = self._connection.execute("SELECT id, description FROM trials")
        return {trial_id: read_trial(description) for trial_id, description in rows}

    def finished(self) -> set[str]:
        """The ids of the chunks that are stored."""
        return {row[0] for row in self._connection.execute("SELECT id FROM chunks")}

    def save(self, chunk: Chunk, result: ChunkResult) -> None:
        by_id = {trial.id: trial for trial in chunk.trials}
        rows = [
            (
                r.trial_id,
                chunk.id,
                json.dumps(by_id[r.trial_id].model_dump(mode="json"), sort_keys=True),
                r.status,
                r.train_error,
                r.validation_error,
                r.test_error,
                r.test_standard_error,
                r.diverged_at,
                json.dumps(r.curves),
                json.dumps(r.measures),
            )
            for r in result.results
        ]
        try:
            with self._connection:
                self._connection.execute(
                    "INSERT INTO chunks (id, label, seconds) VALUES (?, ?, ?)", (chunk.id, chunk.label, result.seconds)
                )
                self._connection.executemany(f"INSERT INTO trials VALUES ({', '.join('?' * len(TRIAL_COLUMNS))})", rows)
        except sqlite3.OperationalError as error:
            advice = "What was stored before is kept: mend that and give the same command again."
            raise InputError(f"'{chunk.label}' could not be stored in '{self.folder}': {error}. {advice}") from None

    def table(self) -> pd.DataFrame:
        """One row a finished trial, in an order that does not depend on which chunk finished first."""
        rows = []
        query = "SELECT id, description, status, train_error, validation_error, test_error, test_standard_error, \
                 diverged_at, curves, measures FROM trials"
        problem = cache(problems.get)
        for (
            trial_id,
            description,
            status,
            train,
            validation,
            test,
            error,
            diverged_at,
            curves,
            measures,
        ) in self._connection.execute(query):
            trial = read_trial(description)
            rows.append(
                {
                    "method": trial.method,
                    "kind": trial.kind,
                    **{name: getattr(trial, name, None) for name in ("network", "mode", "kernel", "width")},
                    "problem": trial.problem,
                    "beta": problem(trial.problem).beta,
                    "samples": trial.samples,
                    "seed": trial.seed,
                    **{name: getattr(trial, name, None) for name in ("rate", "decay", "ridge")},
                    "status": status,
                    "train_error": train,
                    "validation_error": validation,
                    "test_error": test,
                    "test_standard_error": error,
                    "diverged_at": diverged_at,
                    **json.loads(measures),
                    "trial": trial_id,
                    "curves": json.loads(curves),
                }
            )
        order = ["method", "problem", "width", "kernel", "seed", "rate", "decay", "ridge", "trial"]
        if not rows:
            return pd.DataFrame(columns=order)
        types = {"width": "Int64", "diverged_at": "Int64", "rate": float, "decay": float, "ridge": float}
        table = pd.DataFrame(rows).astype(types)
        text = table.assign(kernel=table.kernel.fillna(""))
        return table.loc[text.sort_values(order).index].reset_index(drop=True)
