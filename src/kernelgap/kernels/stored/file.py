"""The two files of a stored Gram matrix: its numbers, and the log of what is finished."""

import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.kernel import Gram

LEFT_FREE = 0.1, 10**9  # a share of the disk, and bytes: both stay free for everything else that runs
RESUMABLE = "The blocks that were finished are kept: mend that and ask for the same again."
DESCRIBED = {"kernel": "the kernel", "X": "the rows of X", "Z": "the rows of Z", "rows": "the size of blocks"}


class Block(NamedTuple):
    """Rows top to bottom and columns left to right, without the last ones."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def size(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)


def digest(values: np.ndarray) -> str:
    """The SHA-256 of the shape and of all the numbers."""
    sha256 = hashlib.sha256(f"{values.dtype.str} {values.shape}\n".encode())
    sha256.update(np.ascontiguousarray(values).data)
    return sha256.hexdigest()


class BlockLog:
    """Which matrix a folder holds, a line of JSON, and then a line for each finished block: top, left, SHA-256.

    A line counts once its end is there. What a kill left of one is cut off when the next is written. The last line of
    a block holds.
    """

    NAME = "gram.blocks"
    LINE = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) ([0-9a-f]{64})")

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / self.NAME
        self.description: dict[str, Any] = {}
        self._sums: dict[tuple[int, int], str] = {}
        try:
            content = self._path.read_bytes() if self._path.exists() else b""
            self._length = content.rfind(b"\n") + 1
            first, *lines = content[: self._length].decode().splitlines() or ["{}"]
            self.description = dict(json.loads(first))
            for number, line in enumerate(lines, start=2):
                if not (match := self.LINE.fullmatch(line)):
                    raise ValueError(f"line {number} is damaged")
                self._sums[int(match[1]), int(match[2])] = match[3]
        except OSError as error:
            raise InputError(f"'{self._path}' cannot be read: {error.strerror}.") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(
                f"'{self._path}' does not say what the folder holds: {error}. It was left as it is: move the folder "
                "away, or choose another."
            ) from None

    @property
    def rows(self) -> int | None:
        """The side of the blocks that the folder was begun with."""
        rows = self.description.get("rows")
        return rows if isinstance(rows, int) and rows > 0 else None

    def describe(self, description: dict[str, Any]) -> None:
        self._append(json.dumps(description))
        self.description = description

    def check(self, description: dict[str, Any]) -> None:
        """Refuse a folder that holds another matrix, and say what differs."""
        held = self.description
        differing = [key for key in {**description, **held} if held.get(key) != description.get(key)]
        if not differing:
            return
        names = [f"{DESCRIBED[key]}{_both(held.get(key), description[key])}" for key in DESCRIBED if key in differing]
        raise InputError(
            f"'{self._folder}' holds the Gram matrix of something else; it differs in "
            f"{', '.join(names) or 'whether Z is X'}: choose another folder, or move it away."
        )

    def sum(self, block: Block) -> str | None:
        """The SHA-256 of a finished block."""
        return self._sums.get((block.top, block.left))

    def finish(self, block: Block, sha256: str) -> None:
        self._append(f"{block.top} {block.left} {sha256}")
        self._sums[block.top, block.left] = sha256

    def _append(self, line: str) -> None:
        try:
            with self._path.open("ab") as file:
                file.truncate(self._length)
                file.write(f"{line}\n".encode())
                file.flush()
                os.fsync(file.fileno())
                self._length = file.tell()
        except OSError as error:
            raise InputError(f"'{self._path}' could not be written: {error.strerror}. {RESUMABLE}") from None


class GramFile:
    """The matrix as an NPY file of float64, row by row; of a symmetric one, both halves are written and checked."""

    NAME = "gram.npy"

    def __init__(self, folder: Path, file: int, shape: tuple[int, int], symmetric: bool) -> None:
        self._path, self._file, self._shape, self._symmetric = folder / self.NAME, file, shape, symmetric
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
        self._head = head.getvalue()
        self._size = len(self._head) + 8 * shape[0] * shape[1]

    @classmethod
    @contextmanager
    def open(
        cls, folder: Path, shape: tuple[int, int], symmetric: bool, *, write: bool = False
    ) -> Iterator["GramFile"]:
        """The file; to ``write``, at its full size, made so if it is not."""
        try:
            file = os.open(folder / cls.NAME, os.O_RDWR | os.O_CREAT if write else os.O_RDONLY, 0o666)
        except OSError as error:
            raise InputError(f"'{folder / cls.NAME}' cannot be opened: {error.strerror}.") from None
        try:
            opened = cls(folder, file, shape, symmetric)
            if write and not opened.intact:
                opened._make()
            yield opened
        finally:
            os.close(file)

    @property
    def intact(self) -> bool:
        """Whether it has its heading and its size."""
        return os.fstat(self._file).st_size == self._size and os.pread(self._file, len(self._head), 0) == self._head

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
        """The SHA-256 of a block as the intact file has it; None where its mirrored half differs."""
        values = np.array(self._mapped[block.top : block.bottom, block.left : block.right])
        mirrored = self._mapped[block.left : block.right, block.top : block.bottom]
        if self._mirrored(block) and mirrored.T.tobytes() != values.tobytes():
            return None
        return digest(values)

    @cached_property
    def _mapped(self) -> np.ndarray:
        return np.memmap(self._path, "<f8", "r", len(self._head), self._shape)

    def _mirrored(self, block: Block) -> bool:
        return self._symmetric and block.left != block.top

    @classmethod
    def require_room(cls, folder: Path, shape: tuple[int, int]) -> None:
        """Refuse a matrix that would fill the disk; what the folder has of its file takes no more room."""
        file, needed = folder / cls.NAME, 8 * shape[0] * shape[1]
        if file.exists():
            needed -= 512 * file.stat().st_blocks
        existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        total, _, free = shutil.disk_usage(existing)
        reserve = max(LEFT_FREE[0] * total, LEFT_FREE[1])
        if needed > 0 and free - needed < reserve:
            raise InputError(
                f"A Gram matrix of {shape[0]} x {shape[1]} needs {needed / 1e9:.3g} GB more in '{folder}', of whose "
                f"disk {free / 1e9:.3g} GB are free, and {reserve / 1e9:.3g} GB are to stay so (a tenth of the disk, "
                "and 1 GB at least): take fewer rows, or a folder on a larger disk."
            )

    def _make(self) -> None:
        try:
            os.ftruncate(self._file, self._size)
            if hasattr(os, "posix_fallocate"):  # a disk that is too small says so now
                os.posix_fallocate(self._file, 0, self._size)
            self._pwrite(self._head, 0)
            os.fsync(self._file)
        except OSError as error:
            raise self._refusal(error, f" of {self._size / 2**30:.3g} GiB") from None

    def _write(self, top: int, left: int, values: np.ndarray) -> None:
        for row, numbers in enumerate(np.ascontiguousarray(values, dtype="<f8"), start=top):
            self._pwrite(numbers.tobytes(), len(self._head) + 8 * (row * self._shape[1] + left))

    def _pwrite(self, content: bytes, offset: int) -> None:
        """Through the file: a write to mapped memory that fails would end the process."""
        while content:
            written = os.pwrite(self._file, content, offset)
            content, offset = content[written:], offset + written

    def _refusal(self, error: OSError, size: str = "") -> InputError:
        return InputError(f"'{self._path}'{size} could not be written: {error.strerror}. {RESUMABLE}")


def _both(held: object, wanted: object) -> str:
    """Both values, where they are no digests."""
    return "" if isinstance(wanted, str) and len(wanted) == 64 else f" ({held}, and not {wanted})"
