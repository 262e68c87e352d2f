"""The two files of a stored Gram matrix: its numbers, and the ledger of what is finished."""

import hashlib
import io
import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.kernel import Gram

TABLES = (
    "CREATE TABLE IF NOT EXISTS gram (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    'CREATE TABLE IF NOT EXISTS blocks (top INTEGER, "left" INTEGER, bottom INTEGER, "right" INTEGER, '
    'sha256 TEXT NOT NULL, PRIMARY KEY (top, "left"))',
)
LEFT_FREE = 0.1, 10**9  # a share of the disk, and bytes: both stay free for everything else that runs
KEPT = "The blocks that were finished are kept: mend that and ask for the same again."
WORDS = {"kernel": "the kernel", "X": "the rows of X", "Z": "the rows of Z", "rows": "the size of blocks"}


class Block(NamedTuple):
    """Rows top to bottom and columns left to right, without the last ones."""

    top: int
    left: int
    bottom: int
    right: int


def digest(values: np.ndarray) -> str:
    """The SHA-256 of the shape and of all the numbers."""
    found = hashlib.sha256(f"{values.dtype.str} {values.shape}\n".encode())
    found.update(np.ascontiguousarray(values).data)
    return found.hexdigest()


class Ledger:
    """Whose matrix it is, and the finished blocks. Each entry is one transaction."""

    NAME = "gram.sqlite"
    JOURNAL = "gram.sqlite-journal"

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder = folder
        self._connection = connection

    @classmethod
    @contextmanager
    def writing(cls, folder: Path) -> Iterator["Ledger"]:
        """The ledger, made if it is not there."""
        with _sentences(folder), closing(sqlite3.connect(folder / cls.NAME)) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables <= {"gram", "blocks"}:
                raise sqlite3.DatabaseError(f"it has tables of something else, {', '.join(sorted(tables))}")
            connection.executescript(";\n".join(("BEGIN", *TABLES, "COMMIT;")))
            yield cls(folder, connection)

    @classmethod
    @contextmanager
    def reading(cls, folder: Path) -> Iterator["Ledger"]:
        """The ledger as it is, also in a folder that cannot be written; what a kill cut short there is taken back."""
        mode = "rw" if (folder / cls.JOURNAL).exists() else "ro"
        address = f"{(folder / cls.NAME).absolute().as_uri()}?mode={mode}"
        with _sentences(folder), closing(sqlite3.connect(address, uri=True)) as connection:
            yield cls(folder, connection)

    @classmethod
    def side(cls, folder: Path) -> int | None:
        """The side of the blocks that a folder was begun with."""
        if not (folder / cls.NAME).exists():
            return None
        with cls.reading(folder) as ledger:
            rows = ledger._held().get("rows")
        return rows if isinstance(rows, int) else None

    @property
    def described(self) -> bool:
        return bool(self._held())

    def describe(self, description: dict[str, object]) -> None:
        with self._connection:
            self._connection.execute("INSERT INTO gram VALUES ('description', ?)", (json.dumps(description),))

    def check(self, description: dict[str, object]) -> None:
        """Refuse a folder that holds another matrix, and say what differs."""
        held = self._held()
        differing = [key for key in {**description, **held} if held.get(key) != description.get(key)]
        if not differing:
            return
        told = [f"{WORDS[key]} {_apart(held.get(key), description[key])}".strip() for key in WORDS if key in differing]
        what = ", ".join(told) or "whether Z is X"
        raise InputError(
            f"'{self._folder}' holds the Gram matrix of something else; it differs in {what}: choose another folder, "
            "or move it away."
        )

    def sums(self) -> dict[Block, str]:
        """The SHA-256 of each finished block."""
        rows = self._connection.execute('SELECT top, "left", bottom, "right", sha256 FROM blocks')
        return {Block(*row[:4]): row[4] for row in rows}

    def finish(self, block: Block, sha256: str) -> None:
        with self._connection:
            self._connection.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)", (*block, sha256))

    def forget(self, blocks: Iterable[Block]) -> None:
        with self._connection:
            keys = [(block.top, block.left) for block in blocks]
            self._connection.executemany('DELETE FROM blocks WHERE top = ? AND "left" = ?', keys)

    def _held(self) -> dict[str, object]:
        try:
            row = self._connection.execute("SELECT value FROM gram WHERE key = 'description'").fetchone()
        except sqlite3.OperationalError:
            if self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise  # tables of something else
            return {}  # killed before its first words
        held = {} if row is None else json.loads(row[0])
        return held if isinstance(held, dict) else {}


@contextmanager
def _sentences(folder: Path) -> Iterator[None]:
    """A ledger that is damaged, or that cannot be written, becomes a sentence."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(f"'{folder / Ledger.NAME}' cannot be used: {error}. {KEPT}") from None
    except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
        advice = "It was left as it is: move the folder away, or choose another."
        raise InputError(f"'{folder / Ledger.NAME}' does not say what the folder holds: {error}. {advice}") from None


class GramFile:
    """The matrix as an NPY file of float64, row by row; of a symmetric one, both halves are written and checked."""

    NAME = "gram.npy"

    def __init__(self, folder: Path, file: int, shape: tuple[int, int], symmetric: bool) -> None:
        self._folder, self._file, self._shape, self._symmetric = folder, file, shape, symmetric
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
        self._head = head.getvalue()

    @classmethod
    @contextmanager
    def reading(cls, folder: Path, shape: tuple[int, int], symmetric: bool) -> Iterator["GramFile"]:
        with cls._opened(folder, os.O_RDONLY) as file:
            yield cls(folder, file, shape, symmetric)

    @classmethod
    @contextmanager
    def writing(cls, folder: Path, shape: tuple[int, int], symmetric: bool) -> Iterator["GramFile"]:
        """The file at its full size, made so if it is not."""
        with cls._opened(folder, os.O_RDWR | os.O_CREAT) as file:
            found = cls(folder, file, shape, symmetric)
            if not found.intact:
                found._make()
            yield found

    @classmethod
    @contextmanager
    def _opened(cls, folder: Path, flags: int) -> Iterator[int]:
        try:
            file = os.open(folder / cls.NAME, flags, 0o666)
        except OSError as error:
            raise InputError(f"'{folder / cls.NAME}' cannot be opened: {error.strerror}.") from None
        try:
            yield file
        finally:
            os.close(file)

    @property
    def intact(self) -> bool:
        """Whether it has its heading and its size."""
        size = len(self._head) + 8 * self._shape[0] * self._shape[1]
        return os.fstat(self._file).st_size == size and os.pread(self._file, len(self._head), 0) == self._head

    def store(self, block: Block, values: Gram) -> str:
        """Write a block, wait until it has reached the disk, and give its SHA-256."""
        try:
            self._write(block.top, block.left, values)
            if self._mirrored(block):
                self._write(block.left, block.top, values.T)
            os.fsync(self._file)
        except OSError as error:
            raise self._refusal(error) from None
        return digest(values)

    def sum(self, block: Block) -> str | None:
        """The SHA-256 of a block as the file has it; None where it is cut off, or where its mirrored half differs."""
        values = self._read(block)
        if values is None:
            return None
        if self._mirrored(block):
            other = self._read(Block(block.left, block.top, block.right, block.bottom))
            if other is None or other.T.tobytes() != values.tobytes():
                return None
        return digest(values)

    def _mirrored(self, block: Block) -> bool:
        return self._symmetric and block.left != block.top

    @classmethod
    def require_room(cls, folder: Path, shape: tuple[int, int]) -> None:
        """Refuse a matrix that would fill the disk; what the folder has of its file takes no more room."""
        file, needed = folder / cls.NAME, 8 * shape[0] * shape[1]
        if file.exists():
            needed -= 512 * file.stat().st_blocks
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        total, _, free = shutil.disk_usage(there)
        kept = max(LEFT_FREE[0] * total, LEFT_FREE[1])
        if needed > 0 and free - needed < kept:
            raise InputError(
                f"A Gram matrix of {shape[0]} x {shape[1]} needs {needed / 1e9:.3g} GB more in '{folder}', of whose "
                f"disk {free / 1e9:.3g} GB are free, and {kept / 1e9:.3g} GB are to stay so (a tenth of the disk, and "
                "1 GB at least): take fewer rows, or a folder on a larger disk."
            )

    def _make(self) -> None:
        size = len(self._head) + 8 * self._shape[0] * self._shape[1]
        try:
            os.ftruncate(self._file, size)
            if hasattr(os, "posix_fallocate"):  # a disk that is too small says so now
                os.posix_fallocate(self._file, 0, size)
            self._pwrite(self._head, 0)
            os.fsync(self._file)
        except OSError as error:
            raise self._refusal(error, f" of {size / 2**30:.3g} GiB") from None

    def _write(self, top: int, left: int, values: np.ndarray) -> None:
        for row, numbers in enumerate(np.ascontiguousarray(values, dtype="<f8"), start=top):
            self._pwrite(numbers.tobytes(), self._offset(row, left))

    def _pwrite(self, content: bytes, offset: int) -> None:
        while content:
            written = os.pwrite(self._file, content, offset)
            content, offset = content[written:], offset + written

    def _read(self, block: Block) -> np.ndarray | None:
        size = 8 * (block.right - block.left)
        rows = [os.pread(self._file, size, self._offset(row, block.left)) for row in range(block.top, block.bottom)]
        if any(len(row) < size for row in rows):
            return None
        return np.frombuffer(b"".join(rows), dtype="<f8").reshape(block.bottom - block.top, -1)

    def _offset(self, row: int, column: int) -> int:
        return len(self._head) + 8 * (row * self._shape[1] + column)

    def _refusal(self, error: OSError, size: str = "") -> InputError:
        return InputError(f"'{self._folder / self.NAME}'{size} could not be written: {error.strerror}. {KEPT}")


def _apart(held: object, wanted: object) -> str:
    """Both, where they say something to a person."""
    return "" if _is_digest(held) or _is_digest(wanted) else f"({held}, and not {wanted})"


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")
