"""One SQLite file a run: what was planned, which chunks are finished, and which failed.

What came of a finished chunk is the business of the kinds of run: each has tables of its own beside these. Whatever is
read is checked, since a file may be damaged, or come from anyone; reading stops after ``READ_LIMIT`` seconds.
"""

import json
import sqlite3
import time
import tokenize
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from kernelgap.errors import InputError, check_printable, first_mistake, short, shown
from kernelgap.fingerprint import fingerprint
from kernelgap.lock import holding
from kernelgap.runs.work import Work

if TYPE_CHECKING:
    import pandas as pd  # late, since workers do without it

TABLES = (
    "CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS chunks (id TEXT PRIMARY KEY, label TEXT NOT NULL, seconds REAL NOT NULL, "
    "finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
    "CREATE TABLE IF NOT EXISTS failures (chunk TEXT PRIMARY KEY, label TEXT NOT NULL, attempts INTEGER NOT NULL, "
    "error TEXT NOT NULL, failed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
)
COLUMNS = {"run": ("key", "value"), "chunks": ("id", "label", "seconds")}
LONGEST = 500  # characters of an error that are kept
ADVICE_RETRY = "Finished work is kept. Correct the cause and give the same command again."
ADVICE_MOVE = "It was left as it is: move it away, or choose another folder."
READ_LIMIT = 20.0  # seconds that reading a file may take
SQLITE_STEPS = 100_000  # of SQLite's machine between two checks of the clock
LONGEST_VALUE = 2**29  # bytes of a value that is read
READ_ERRORS = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, EOFError, RecursionError),
    *(SyntaxError, tokenize.TokenError, zlib.error, zipfile.BadZipFile),  # what numpy's files are read with
)


@dataclass(frozen=True)
class Failure:
    """A chunk that could not be finished.

    Attributes
    ----------
    chunk, label
        Its id, and what people call it.
    attempts
        How often it was tried.
    error
        The error of the last time, cut if it is long.
    """

    chunk: str
    label: str
    attempts: int
    error: str


class DamagedRunError(InputError):
    """A run's file that cannot be read as it is."""

    def __init__(self, path: Path, reason: object) -> None:
        what = first_mistake(reason) if isinstance(reason, ValidationError) else str(reason)
        super().__init__(f"'{path}' is not a readable run: {' '.join(what.split()).rstrip('.')}. {ADVICE_MOVE}")


@contextmanager
def as_stored(folder: str | Path, what: str = "what it holds", *, mistakes: bool = False) -> Iterator[None]:
    """Turn errors from reading a run's stored content into one sentence about the file.

    An ``InputError`` passes unchanged; with ``mistakes`` it is reported as damage of the file.
    """
    path = Path(folder) / ResultStore.FILE
    try:
        yield
    except DamagedRunError:
        raise
    except InputError as error:
        if not mistakes:
            raise
        raise DamagedRunError(path, f"{what} is wrong: {error}") from error
    except ValidationError as error:
        raise DamagedRunError(path, f"{what} is wrong: {first_mistake(error)}") from error
    except READ_ERRORS as error:
        reason = f"{type(error).__name__}: {short(str(error))}"
        raise DamagedRunError(path, f"{what} cannot be used ({reason})") from error


class _Description(BaseModel):
    """What every kind of run says of itself; each says more."""

    model_config = ConfigDict(extra="allow", strict=True)

    kind: str | None = None
    experiment: Annotated[str, AfterValidator(check_printable)] | None = None
    scale: str | None = None
    seed: int | None = None
    chunks: list[str] = []


class _About(BaseModel):
    """What a start of a run notes; most of it for its report."""

    model_config = ConfigDict(extra="allow", strict=True)

    chunks: list[str] = []


class _Conclusion(BaseModel):
    """What was computed from the finished chunks, and a digest of which these were."""

    model_config = ConfigDict(strict=True)

    finished: str
    value: dict[str, Any]


class _Environment(BaseModel):
    """Texts by name."""

    model_config = ConfigDict(extra="allow", strict=True)

    __pydantic_extra__: dict[str, str]


_FAILURES = TypeAdapter(list[tuple[str, str, int, str]])
_IDS = TypeAdapter(list[tuple[str]])
_TIMES = TypeAdapter(list[tuple[str, str, Annotated[float, Field(ge=0, allow_inf_nan=False)], str]])


class ResultStore:
    """A run's folder. Written by one process alone, each chunk in one transaction: a chunk is there whole or not.

    A kind of run names itself (``KIND``), its own ``TABLES`` (statements that make them) and the ``COLUMNS`` that they
    must have.
    """

    TABLES: ClassVar[tuple[str, ...]] = ()
    COLUMNS: ClassVar[dict[str, tuple[str, ...]]] = {}
    KIND: ClassVar[str] = ""
    FILE = "run.sqlite"

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection

    @classmethod
    def check_exists(cls, folder: str | Path) -> None:
        """Refuse a folder in which nothing was run."""
        if not (Path(folder) / cls.FILE).exists() and not _has_unsaved_log(Path(folder) / cls.FILE):
            raise InputError(f"There is no run in '{folder}': give the folder that 'kernelgap run' wrote to.")

    @classmethod
    @contextmanager
    def open(cls, folder: str | Path) -> Iterator[Self]:
        """Open the run in a folder, making both if they are not there; refuse what another process holds."""
        folder = Path(folder)
        with holding(folder, f"wait for it ('kernelgap status {folder}' shows how far it is)"):
            path = folder / cls.FILE
            try:
                _check(path, {**COLUMNS, **cls.COLUMNS})
            except DamagedRunError:
                cls._refuse_other_kind(folder)
                raise
            try:
                connection = sqlite3.connect(path)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(";\n".join(("BEGIN", *TABLES, *cls.TABLES, "COMMIT;")))
                cls._renew(connection)
            except sqlite3.Error as error:
                raise InputError(f"'{path}' cannot be written: {error}. {ADVICE_RETRY}") from None
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            with closing(connection):
                yield cls(folder, connection)

    @classmethod
    @contextmanager
    def reading(cls, folder: str | Path) -> Iterator[Self]:
        """The run in a folder, to read only, also while another process runs it: no lock is asked for."""
        cls.check_exists(folder)
        path = Path(folder) / cls.FILE
        _check(path, {**COLUMNS, **cls.COLUMNS}, quick=True)
        try:
            opened = _read_only(path)
        except (sqlite3.Error, OSError) as error:
            raise DamagedRunError(path, error) from None
        with closing(opened) as connection:
            yield cls(Path(folder), connection)

    @classmethod
    def _refuse_other_kind(cls, folder: Path) -> None:
        """A run of another kind is whole, but has no tables of this one."""
        with suppress(DamagedRunError), ResultStore.reading(folder) as held:
            if held.description() and held.kind() != cls.KIND:
                raise InputError(
                    f"'{folder}' holds a run of another kind ({held.kind()}): choose another folder with --out."
                )

    @classmethod
    def _renew(cls, connection: sqlite3.Connection) -> None:
        """Bring a file that an earlier version wrote up to date."""

    def describe(self, description: dict[str, object]) -> None:
        """Say what this run is. A folder that holds a different run is refused, never mixed."""
        text = json.dumps(description, sort_keys=True)
        held = self._rows("SELECT value FROM run WHERE key = 'description'")
        if not held:
            if self.finished():
                raise DamagedRunError(self.folder / self.FILE, "it holds results and does not say of which run")
            with self._writing("The run's description"):
                self._connection.execute("INSERT INTO run VALUES ('description', ?)", (text,))
        elif held[0][0] != text:
            old = self.description()
            changed = sorted(k for k in {*old, *description} if old.get(k) != description.get(k))
            advice = "choose another with --out, or move it away."
            if {"code", "kernelgap version"} >= set(changed) - {"kind"}:
                made = old.get("kernelgap version", "an earlier version")
                raise InputError(
                    f"'{self.folder}' was run with other code (kernelgap {made}): its numbers and new ones are not to "
                    f"be mixed. 'kernelgap report {self.folder}' shows it as it is; to run it anew, {advice}"
                )
            if changed in (["chunks"], ["plan"]):
                raise InputError(f"'{self.folder}' holds a run of this experiment with another grid: {advice}")
            raise InputError(f"'{self.folder}' holds another run (it differs in {', '.join(changed)}): {advice}")
        else:
            self.check()

    def check(self) -> None:
        """Refuse results that cannot be read, before more are computed that would stand beside them."""
        self.about()
        self.finished()
        self.failures()

    def description(self) -> dict[str, Any]:
        """What ``describe`` was told; empty if nothing yet."""
        return self._read_json("description", _Description)

    def _read_json(self, key: str, model: type[BaseModel]) -> dict[str, Any]:
        held = self._rows("SELECT value FROM run WHERE key = ?", key)
        with as_stored(self.folder, f"its {key}", mistakes=True):
            if not held:
                return {}
            if len(held) > 1:
                raise InputError("it is there twice")
            value = json.loads(held[0][0])
            if not isinstance(value, dict):
                raise InputError(f"{shown(value)} is no object with names")
            model.model_validate(value)
            return value

    def kind(self) -> str:
        """Which kind of run it is; of one that an earlier version wrote, by its name."""
        description = self.description()
        name = str(description.get("experiment"))
        return str(description.get("kind") or (name if name in ("claims", "images", "audit") else "figure"))

    def note(self, about: dict[str, object]) -> None:
        """Keep what a report says of the run; a later start may say it otherwise."""
        self._write_json("about", about)

    def about(self) -> dict[str, Any]:
        """What was last noted; empty if nothing was."""
        return self._read_json("about", _About)

    def keep_environment(self, environment: dict[str, str]) -> None:
        """Keep versions and machine, where they stay true when the report is written again elsewhere."""
        self._write_json("environment", environment)

    def conclude(self, value: dict[str, Any]) -> None:
        """Keep what was computed from all that is finished now."""
        self._write_json("conclusion", {"finished": self._finished_digest(), "value": value})

    def conclusion(self) -> dict[str, Any] | None:
        """What was concluded from just what is finished; None if nothing was, or more has come since."""
        stored = self._read_json("conclusion", _Conclusion)
        return stored["value"] if stored and stored["finished"] == self._finished_digest() else None

    def _finished_digest(self) -> str:
        return fingerprint("\n".join(sorted(self.finished())))

    def _write_json(self, key: str, value: object) -> None:
        with self._writing(f"The run's {key}"):
            text = json.dumps(value, allow_nan=False)
            self._connection.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (key, text))

    def common(self) -> dict[str, Any]:
        """What every ``Run`` has, but its table."""
        description = self.description()
        planned = description.get("chunks") or self.about().get("chunks", ())
        with as_stored(self.folder, "its description"):
            return {
                "folder": self.folder,
                "name": description.get("experiment") or self.folder.name,
                "scale": description.get("scale") or "",
                "seed": description.get("seed") or 0,
                "failures": tuple(self.failures()),
                "planned": len(planned) or len(self.finished()),
                "times": self.times(),
                "version": description.get("kernelgap version"),
                "code": description.get("code"),
                "environment": self._read_json("environment", _Environment) or None,
            }

    def times(self) -> "pd.DataFrame":
        """Each finished chunk: its seconds of work, and when it was stored (UTC)."""
        import pandas as pd

        rows = self._rows("SELECT id, label, seconds, finished FROM chunks ORDER BY finished, id")
        with as_stored(self.folder, "the list of its chunks"):
            times = pd.DataFrame(_TIMES.validate_python(rows), columns=["chunk", "label", "seconds", "finished"])
            return times.assign(finished=pd.to_datetime(times.finished, format="%Y-%m-%d %H:%M:%S"))

    def finished(self) -> set[str]:
        """The ids of the chunks that are stored."""
        with as_stored(self.folder, "the list of its chunks"):
            return {row[0] for row in _IDS.validate_python(self._rows("SELECT id FROM chunks"))}

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query, within ``READ_LIMIT`` seconds."""
        try:
            with _time_limit(self._connection):
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise DamagedRunError(self.folder / self.FILE, _reason(error)) from None

    def fail(self, chunk: Work, attempts: int, error: str) -> None:
        """Note that a chunk could not be finished, and why."""
        reason = " ".join(error.split())
        reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]} ..."
        with self._writing(f"That '{chunk.label}' failed ({reason})"):
            self._connection.execute(
                "INSERT OR REPLACE INTO failures (chunk, label, attempts, error) VALUES (?, ?, ?, ?)",
                (chunk.id, chunk.label, attempts, reason),
            )

    def failures(self) -> list[Failure]:
        """The chunks that failed since the last start, by their labels."""
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'failures'"):
            return []  # written before failures were
        rows = self._rows("SELECT chunk, label, attempts, error FROM failures ORDER BY label, chunk")
        with as_stored(self.folder, "the list of its failures"):
            return [Failure(*row) for row in _FAILURES.validate_python(rows, strict=True)]

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
            raise InputError(f"{what} could not be stored in '{self.folder}': {error}. {ADVICE_RETRY}") from None


class KindStore(ResultStore, ABC):
    """The folder of a run of one kind, with tables for what comes of its chunks."""

    @abstractmethod
    def save(self, chunk: Any, result: Any) -> None:
        """Store what came of a chunk."""

    @contextmanager
    def _saving(self, chunk: Work, seconds: float) -> Iterator[sqlite3.Connection]:
        """One transaction: the chunk as finished, and what the block writes of its results."""
        with self._writing(f"'{chunk.label}'"):
            row = (chunk.id, chunk.label, seconds)
            self._connection.execute("INSERT INTO chunks (id, label, seconds) VALUES (?, ?, ?)", row)
            yield self._connection


@contextmanager
def _time_limit(connection: sqlite3.Connection) -> Iterator[None]:
    """Interrupt statements in the block after ``READ_LIMIT`` seconds."""
    end = time.monotonic() + READ_LIMIT
    connection.set_progress_handler(lambda: time.monotonic() > end, SQLITE_STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def _reason(error: sqlite3.Error) -> str:
    text = str(error)
    if text == "interrupted":
        return f"to read it takes longer than {READ_LIMIT:.0f} s"
    return f"{text} (another program is writing it: try again)" if "locked" in text else text


def _read_only(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. In a folder that cannot be written, the file itself has to be enough."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        if _has_unsaved_log(path):
            raise
        connection = sqlite3.connect(f"{uri}&immutable=1", uri=True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _has_unsaved_log(path: Path) -> bool:
    """Whether something is in SQLite's log that may not be in the file yet."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _check(path: Path, columns: dict[str, tuple[str, ...]], quick: bool = False) -> None:
    """Refuse a file that is damaged or something else, before anything is written to it."""
    there = path.exists()
    if there and not path.is_file():
        raise DamagedRunError(path, "it is no file")
    if not (there and path.stat().st_size):
        if _has_unsaved_log(path):  # SQLite would throw the log away
            raise DamagedRunError(path, f"it is {'empty' if there else 'gone'}, and its log '{path.name}-wal' is not")
        if not (there and quick):
            return
    try:
        with closing(_read_only(path)) as connection, _time_limit(connection):
            _check_tables(connection, columns, quick)
            checked = [("ok",)] if quick else connection.execute("PRAGMA quick_check(1)").fetchall()
            if checked != [("ok",)]:
                raise sqlite3.DatabaseError(" ".join(str(checked[0][0]).split()))
    except sqlite3.Error as error:
        raise DamagedRunError(path, _reason(error)) from None
    except OSError as error:
        raise DamagedRunError(path, error) from None


def _check_tables(connection: sqlite3.Connection, columns: dict[str, tuple[str, ...]], quick: bool) -> None:
    """Tables with these columns, and nothing that computes: a view or a trigger may have no end."""
    tables = set()
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        computes = kind in ("view", "trigger") or "virtual" in str(sql)[:30].lower()
        if computes or not isinstance(name, str):
            raise sqlite3.DatabaseError(f"it has {shown(name)}, a {kind} that computes, and no run of kernelgap does")
        tables |= {name} if kind == "table" else set()
    if tables or quick:  # none: killed before it wrote anything
        for table, names in columns.items():
            if connection.execute("SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden", (table,)).fetchone():
                raise sqlite3.DatabaseError(f"its table {table} has columns that compute")
            connection.execute(f"SELECT {', '.join(names)} FROM {table} LIMIT 1").fetchone()
