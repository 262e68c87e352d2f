"""Gram matrices on disk, computed block by block: one that was interrupted goes on with the block that it was at.

A folder holds ``gram.npy``, the matrix, and ``gram.blocks``: which matrix it is, and for each finished block the
SHA-256 of its bytes. A block is entered there after its numbers have reached the disk. Which blocks there are depends
on the kernel, the shapes and ``rows`` alone, so that however often a process is killed, the matrix is the same bit for
bit.
"""

import io
import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.kernels.check import check_count
from kernelgap.kernels.combination import Combination
from kernelgap.kernels.formulas.convolutional import Convolutional
from kernelgap.kernels.kernel import Gram, Kernel, check_two
from kernelgap.kernels.pairs import Others, Rows
from kernelgap.kernels.registry import text_of
from kernelgap.lock import FILE as LOCK
from kernelgap.lock import holding

MOST_ROWS = 2048  # of a block: 32 MiB
SECONDS = 4.0  # that a block may take on one core, about
ONE_PAIR = 1e-7, 2e-10  # seconds on one core: of a formula, and for each column
ONE_POSITION = 4e-8  # of a convolutional kernel, for each layer
LEFT_FREE = 0.1, 10**9  # a share of the disk, and bytes: both stay free for everything else that runs
RESUMABLE = "Finished blocks are kept. Correct the cause and ask for the same again."
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
        return fingerprint(values)

    def sum(self, block: Block) -> str | None:
        """The SHA-256 of a block as the intact file has it; None where its mirrored half differs."""
        values = np.array(self._mapped[block.top : block.bottom, block.left : block.right])
        mirrored = self._mapped[block.left : block.right, block.top : block.bottom]
        if self._mirrored(block) and mirrored.T.tobytes() != values.tobytes():
            return None
        return fingerprint(values)

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


def stored_gram(
    kernel: Kernel,
    X: object,
    Z: object = None,
    *,
    folder: str | Path,
    on_progress: Callable[[float], None] | None = None,
    rows: int | None = None,
) -> Gram:
    """The Gram matrix of the rows of X with those of Z, stored in a folder block by block.

    What the folder has of it is checked; the rest is computed and stored. Memory is taken for a block at a time. A
    finished matrix is only read, by any number of processes; one process at a time computes. Blocks that are not what
    was written are computed again, with a warning.

    Parameters
    ----------
    kernel
        A kernel whose parameters are all numbers: fitted, where it takes one from the data.
    X, Z
        Inputs, a row each. Without Z the matrix is that of X with itself: its upper half is computed and mirrored.
    folder
        Where it is stored. It holds this matrix and nothing else.
    on_progress
        Is called with the share done, between 0 and 1.
    rows
        The rows and columns of a block. By default those that the folder was begun with, or such that a block takes
        seconds.

    Returns
    -------
    numpy.memmap
        The matrix, read-only from ``gram.npy``.

    Raises
    ------
    InputError
        If the folder holds another matrix or other files, if another process computes in it, or if less than a tenth
        of the disk or less than 1 GB would stay free.
    """
    first, second = check_two(X, Z)
    if not len(first) or not len(second):
        raise InputError("A Gram matrix without rows or columns cannot be stored: give some inputs.")
    kernel, place = _check_kernel(kernel), Path(folder)
    if rows is not None:
        check_count(rows, "rows")
    log = BlockLog(place)
    side = int(rows or 0) or log.rows or _side(kernel, first.shape[1])
    wanted = _Wanted(kernel, first, second, side)
    report = on_progress or (lambda share: None)
    if not _is_finished(place, log, wanted):
        _check_folder(place)
        GramFile.require_room(place, wanted.shape)
        with holding(place):
            _compute(place, wanted, report)
    report(1.0)
    return np.load(place / GramFile.NAME, mmap_mode="r")


@dataclass(frozen=True, eq=False)
class _Wanted:
    """A kernel, its inputs, and the side of a block."""

    kernel: Kernel
    first: Rows
    second: Others
    side: int

    @property
    def symmetric(self) -> bool:
        return self.second is self.first

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.first), len(self.second)

    @cached_property
    def description(self) -> dict[str, Any]:
        """What the matrix is a function of, to the last bit."""
        X = fingerprint(self.first)
        Z = X if self.symmetric else fingerprint(self.second)
        return {"kernel": self.kernel.spec, "X": X, "Z": Z, "symmetric": self.symmetric, "rows": self.side}

    def blocks(self) -> list[Block]:
        (n, m), side = self.shape, self.side
        corners = [(i, j) for i in range(0, n, side) for j in range(i if self.symmetric else 0, m, side)]
        return [Block(i, j, min(i + side, n), min(j + side, m)) for i, j in corners]

    def values(self, block: Block) -> Gram:
        rows = self.first[block.top : block.bottom]
        if self.symmetric and block.top == block.left:
            return self.kernel(rows)
        return self.kernel(rows, self.second[block.left : block.right])


def _is_finished(folder: Path, log: BlockLog, wanted: _Wanted) -> bool:
    """Whether the folder has the whole matrix as it was written; nothing is changed, and no lock asked for."""
    if not log.description or not (folder / GramFile.NAME).exists():
        return False
    log.check(wanted.description)
    blocks = wanted.blocks()
    if not all(map(log.sum, blocks)):
        return False
    with GramFile.open(folder, wanted.shape, wanted.symmetric) as file:
        return file.intact and all(file.sum(block) == log.sum(block) for block in blocks)


def _compute(folder: Path, wanted: _Wanted, report: Callable[[float], None]) -> None:
    """Store every block that is not there as it was written."""
    log = BlockLog(folder)  # again: another process may have written until now
    if log.description:
        log.check(wanted.description)
    elif (folder / GramFile.NAME).exists():
        what = f"'{folder}' has a {GramFile.NAME} of which nothing is known"
        raise InputError(f"{what}: move it away, or choose another folder.")
    else:
        log.describe(wanted.description)
    blocks = wanted.blocks()
    with GramFile.open(folder, wanted.shape, wanted.symmetric, write=True) as file:
        finished = [block for block in blocks if log.sum(block)]
        intact = {block for block in finished if file.sum(block) == log.sum(block)}
        if len(intact) < len(finished):
            warnings.warn(
                f"{len(finished) - len(intact)} of {len(finished)} blocks in '{folder}' are not what was written, and "
                "are computed again: is the disk in order?",
                stacklevel=3,
            )
        done, total = sum(block.size for block in intact), sum(block.size for block in blocks)
        for block in blocks:
            if block not in intact:
                report(done / total)
                log.finish(block, file.store(block, wanted.values(block)))
                done += block.size


def _check_kernel(kernel: object) -> Kernel:
    """A kernel whose text is all of it, so that a folder can say whose matrix it holds."""
    if not isinstance(kernel, Kernel):
        raise InputError(f"stored_gram takes a kernel, such as kernels.get('ntk2'), not {kernel!r}.")
    if not kernel.combines:
        raise InputError(f"'{kernel.spec}' stands for a Gram matrix that is there already: save that matrix itself.")
    if not kernel.is_fitted:
        raise InputError(f"{kernel.spec} takes a number from the data: take it with fit(X) from the training inputs.")
    text_of(kernel)
    return kernel


def _check_folder(folder: Path) -> None:
    """Refuse a folder that something else lives in."""
    if (folder / "gram.sqlite").exists():
        raise InputError(f"'{folder}' was written by an older kernelgap: move it away, or choose another folder.")
    known = (GramFile.NAME, BlockLog.NAME, LOCK)
    others = sorted(path.name for path in folder.iterdir() if path.name not in known) if folder.is_dir() else []
    if others:
        raise InputError(f"'{folder}' holds other things too, such as '{others[0]}': choose a folder of its own.")


def _side(kernel: Kernel, columns: int) -> int:
    """The side of a block, a power of 2: from the kernel alone, whatever the speed of this machine."""
    most = int(max(1.0, SECONDS / _pair_seconds(kernel, columns)) ** 0.5)
    return min(MOST_ROWS, 2 ** (most.bit_length() - 1))


def _pair_seconds(kernel: object, columns: int) -> float:
    """How long one entry takes on one core, roughly."""
    if isinstance(kernel, Combination):
        return sum(_pair_seconds(part, columns) for part in kernel.parts)
    if isinstance(kernel, Convolutional):
        height, width, _ = kernel.image
        return ONE_POSITION * kernel.depth * float((height * width) ** (2 if kernel.pooling else 1))
    return ONE_PAIR[0] + ONE_PAIR[1] * columns
