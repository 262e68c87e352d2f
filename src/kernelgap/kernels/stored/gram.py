"""Gram matrices on disk, computed block by block: one that was interrupted goes on with the block that it was at.

A folder holds ``gram.npy``, the matrix, and ``gram.blocks``: which matrix it is, and for each finished block the
SHA-256 of its bytes. A block is entered there after its numbers have reached the disk. Which blocks there are depends
on the kernel, the shapes and ``rows`` alone, so that however often a process is killed, the matrix is the same bit for
bit.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.as_text import text_of
from kernelgap.kernels.check import check_count
from kernelgap.kernels.combination import Combination
from kernelgap.kernels.formulas.convolutional import Convolutional
from kernelgap.kernels.kernel import Gram, Kernel, check_two
from kernelgap.kernels.pairs import Rows
from kernelgap.kernels.stored.file import Block, BlockLog, GramFile, digest
from kernelgap.lock import FILE as LOCK
from kernelgap.lock import holding

MOST_ROWS = 2048  # of a block: 32 MiB
SECONDS = 4.0  # that a block may take on one core, about
ONE_PAIR = 1e-7, 2e-10  # seconds on one core: of a formula, and for each column
ONE_POSITION = 4e-8  # of a convolutional kernel, for each layer


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
    wanted = _Wanted(kernel, first, second, side, _description(kernel, first, second, side))
    report = on_progress or (lambda share: None)
    if not _is_finished(place, log, wanted):
        _check_folder(place)
        GramFile.require_room(place, wanted.shape)
        with holding(place):
            _compute(place, wanted, report)
    report(1.0)
    return np.load(place / GramFile.NAME, mmap_mode="r")


class _Wanted(NamedTuple):
    """A kernel, its inputs, and the side of a block."""

    kernel: Kernel
    first: Rows
    second: Rows
    side: int
    description: dict[str, Any]

    @property
    def symmetric(self) -> bool:
        return self.second is self.first

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.first), len(self.second)

    def blocks(self) -> list[Block]:
        n, m = self.shape
        return [
            Block(i, j, min(i + self.side, n), min(j + self.side, m))
            for i in range(0, n, self.side)
            for j in range(i if self.symmetric else 0, m, self.side)
        ]

    def values(self, block: Block) -> Gram:
        rows = self.first[block.top : block.bottom]
        if self.symmetric and block.top == block.left:
            return self.kernel(rows)
        return self.kernel(rows, self.second[block.left : block.right])


def _description(kernel: Kernel, first: Rows, second: Rows, side: int) -> dict[str, Any]:
    """What the matrix is a function of, to the last bit."""
    of_first = digest(first)
    of_second = of_first if second is first else digest(second)
    return {"kernel": kernel.spec, "X": of_first, "Z": of_second, "symmetric": second is first, "rows": side}


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
        raise InputError(
            f"'{folder}' has a {GramFile.NAME} of which nothing is known: move it away, or choose another folder."
        )
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
        raise InputError(f"{kernel.spec} takes a number from the data: settle it with fit(X) on the training inputs.")
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
