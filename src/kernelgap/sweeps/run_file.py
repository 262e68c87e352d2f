"""One SQLite file a run: what was planned, which chunks are finished, and which failed.

What came of a finished chunk is the business of the kinds of run: each has tables of its own beside these.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from kernelgap.errors import InputError
from kernelgap.lock import holding
from kernelgap.sweeps.work import Work

TABLES = (
    "CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS chunks (id TEXT PRIMARY KEY, label TEXT NOT NULL, seconds REAL NOT NULL, "
    "finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
    "CREATE TABLE IF NOT EXISTS failures (chunk TEXT PRIMARY KEY, label TEXT NOT NULL, attempts INTEGER NOT NULL, "
    "error TEXT NOT NULL, failed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
)
COLUMNS = {"run": ("key", "value"), "chunks": ("id", "label", "seconds")}
LONGEST = 500  # characters of an error that are kept
KEPT = "What was stored before is kept: mend that and give the same command again."


@dataclass(frozen=True)
class Failure:
    """A chunk that could not be finished: how often it was tried, and the error of the last time."""

    chunk: str
    label: str
    attempts: int
    error: str


class RunFile:
    """A run's folder. Written by one process alone, each chunk in one transaction: a chunk is there whole or not.

    A kind of run names its own ``TABLES`` (statements that make them) and the ``COLUMNS`` that they must have.
    """

    TABLES: ClassVar[tuple[str, ...]] = ()
    COLUMNS: ClassVar[dict[str, tuple[str, ...]]] = {}
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
    def open(cls, folder: str | Path) -> Iterator[Self]:
        """Open the run in a folder, making both if they are not there; refuse what another process holds."""
        folder = Path(folder)
        with holding(folder, f"wait for it ('kernelgap status {folder}' shows how far it is)"):
            path = folder / cls.FILE
            _check(path, {**COLUMNS, **cls.COLUMNS})
            try:
                connection = sqlite3.connect(path)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(";\n".join(("BEGIN", *TABLES, *cls.TABLES, "COMMIT;")))
                cls._renew(connection)
            except sqlite3.Error as error:
                raise InputError(f"'{path}' cannot be written: {error}. {KEPT}") from None
            with closing(connection):
                yield cls(folder, connection)

    @classmethod
    @contextmanager
    def reading(cls, folder: str | Path) -> Iterator[Self]:
        """The run in a folder, to read only, also while another process runs it: no lock is asked for."""
        cls.check_exists(folder)
        path = Path(folder) / cls.FILE
        _check(path, {**COLUMNS, **cls.COLUMNS}, quick=True)
        with closing(_read_only(path)) as connection:
            yield cls(Path(folder), connection)

    @classmethod
    def _renew(cls, connection: sqlite3.Connection) -> None:
        """Bring a file that an earlier version wrote up to date."""

    def describe(self, description: dict[str, object]) -> None:
        """Say what this run is. A folder that holds a different run is refused, never mixed."""
        text = json.dumps(description, sort_keys=True)
        held = self._connection.execute("SELECT value FROM run WHERE key = 'description'").fetchone()
        if held is None:
            with self._writing("The run's description"):
                self._connection.execute("INSERT INTO run VALUES ('description', ?)", (text,))
        elif held[0] != text:
            old = json.loads(held[0])
            changed = sorted(k for k in {*old, *description} if old.get(k) != description.get(k))
            advice = "choose another with --out, or move it away."
            if changed == ["chunks"]:
                raise InputError(f"'{self.folder}' holds a run of this experiment with another grid: {advice}")
            raise InputError(f"'{self.folder}' holds another run (it differs in {', '.join(changed)}): {advice}")

    def description(self) -> dict[str, Any]:
        """What ``describe`` was told; empty if nothing yet."""
        held = self._connection.execute("SELECT value FROM run WHERE key = 'description'").fetchone()
        return {} if held is None else json.loads(held[0])

    def note(self, about: dict[str, object]) -> None:
        """Keep what a report says of the run; a later start may say it otherwise."""
        with self._writing("What the run is about"):
            self._connection.execute("INSERT OR REPLACE INTO run VALUES ('about', ?)", (json.dumps(about),))

    def about(self) -> dict[str, Any]:
        """What was last noted; empty if nothing was."""
        held = self._connection.execute("SELECT value FROM run WHERE key = 'about'").fetchone()
        return {} if held is None else json.loads(held[0])

    def finished(self) -> set[str]:
        """The ids of the chunks that are stored."""
        return {row[0] for row in self._connection.execute("SELECT id FROM chunks")}

    @contextmanager
    def _saving(self, chunk: Work, seconds: float) -> Iterator[sqlite3.Connection]:
        """One transaction: the chunk as finished, and what the block writes of its results."""
        with self._writing(f"'{chunk.label}'"):
            row = (chunk.id, chunk.label, seconds)
            self._connection.execute("INSERT INTO chunks (id, label, seconds) VALUES (?, ?, ?)", row)
            yield self._connection

    def fail(self, chunk: Work, attempts: int, error: str) -> None:
        """Note that a chunk could not be finished, and why."""
        words = " ".join(error.split())
        words = words if len(words) <= LONGEST else f"{words[:LONGEST]} ..."
        with self._writing(f"That '{chunk.label}' failed ({words})"):
            self._connection.execute(
                "INSERT OR REPLACE INTO failures (chunk, label, attempts, error) VALUES (?, ?, ?, ?)",
                (chunk.id, chunk.label, attempts, words),
            )

    def failures(self) -> list[Failure]:
        """The chunks that failed since the last start, by their labels."""
        if not self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'failures'").fetchone():
            return []  # written before failures were
        rows = self._connection.execute("SELECT chunk, label, attempts, error FROM failures ORDER BY label, chunk")
        return [Failure(*row) for row in rows]

    def forget_failures(self) -> None:
        """A new start tries them again."""
        if self.failures():
            with self._writing("A new start"):
                self._connection.execute("DELETE FROM failures")

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        """One transaction; a disk that is full or broken becomes a sentence."""
        try:
            with self._connection:
                yield
        except sqlite3.IntegrityError:
            raise  # the same thing twice: a mistake of ours
        except sqlite3.DatabaseError as error:
            raise InputError(f"{what} could not be stored in '{self.folder}': {error}. {KEPT}") from None


def _read_only(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. In a folder that cannot be written, the file itself has to be enough."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        connection = sqlite3.connect(f"{uri}&immutable=1", uri=True)
    return connection


def _check(path: Path, columns: dict[str, tuple[str, ...]], quick: bool = False) -> None:
    """Refuse a file that is damaged or something else, before anything is written to it."""
    if not path.exists() or (not path.stat().st_size and not quick):
        return
    try:
        with closing(_read_only(path)) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables or quick:  # none: killed before its first words
                for table, names in columns.items():
                    connection.execute(f"SELECT {', '.join(names)} FROM {table} LIMIT 1")
            found = [("ok",)] if quick else connection.execute("PRAGMA quick_check(1)").fetchall()
            if found != [("ok",)]:
                raise sqlite3.DatabaseError(" ".join(str(found[0][0]).split()))
    except (sqlite3.Error, OSError) as error:
        advice = "It was left as it is: move it away, or choose another folder."
        raise InputError(f"'{path}' is not a readable run: {error}. {advice}") from None
