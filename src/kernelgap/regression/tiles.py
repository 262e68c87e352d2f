"""A Gram matrix as upper tiles, for products K V alone: computed, taken from a matrix, or held in memory.

K is symmetric, so each tile above the diagonal serves twice, and half of the matrix is all that there is: 7.2 GB in
float32 with 60,000 samples. A tile's product is in the tile's own precision, and products are added in float64.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.machine import one_blas_thread, threads
from kernelgap.progress import Progress, silent
from kernelgap.regression.spectrum import Targets
from kernelgap.rows import check_finite, check_rows

SIDE = 512  # of a tile in memory: 1 MiB in float32, which a core's cache holds between its two uses
COMPUTED = 2048  # of a tile that is computed or read at a time

Tile = Float[np.ndarray, "a b"]
ShareDone = Callable[[float], None]
Place = tuple[slice, slice]


def no_progress(share: float) -> None:
    """Ignore the share that is done."""


def places(samples: int, side: int) -> Iterator[Place]:
    """The rows and columns of each upper tile."""
    cuts = [slice(i, min(i + side, samples)) for i in range(0, samples, side)]
    return ((rows, columns) for i, rows in enumerate(cuts) for columns in cuts[i:])


class Tiles(ABC):
    """A symmetric matrix that is multiplied tile by tile."""

    samples: int
    dtype: np.dtype[Any] = np.dtype(float)

    @abstractmethod
    def tiles(self) -> Iterator[tuple[Place, Tile]]:
        """Each upper tile with its place. Several threads may take from one such iterator in turn."""

    @property
    def helpers(self) -> int:
        """The threads that share the tiles; 1 where a tile is made by all of them."""
        return threads()

    def product(self, V: Targets, on_progress: ShareDone = no_progress) -> Targets:
        """K V in float64. ``on_progress`` is called with the share of the tiles that were begun."""
        columns = np.ascontiguousarray(V, dtype=self.dtype)
        left = _Shared(self.tiles(), self.samples, on_progress)

        def work() -> Targets:
            total = np.zeros(V.shape)
            for (i, j), tile in left:
                total[i] += tile @ columns[j]
                if i.start != j.start:
                    total[j] += tile.T @ columns[i]
            return total

        if self.helpers == 1:
            return work()
        with one_blas_thread(), ThreadPoolExecutor(self.helpers) as pool:
            first, *others = (future.result() for future in [pool.submit(work) for _ in range(self.helpers)])
        for other in others:
            first += other
        return first


class _Shared:
    """One iterator over tiles for several threads, which reports how far it is."""

    def __init__(self, items: Iterator[tuple[Place, Tile]], samples: int, on_progress: ShareDone) -> None:
        self._items, self._lock, self._report = items, threading.Lock(), on_progress
        self._begun, self._all = 0, samples * samples

    def __iter__(self) -> "_Shared":
        return self

    def __next__(self) -> tuple[Place, Tile]:
        with self._lock:
            (rows, columns), tile = next(self._items)
            self._begun += tile.size if rows == columns else 2 * tile.size
            self._report(self._begun / self._all)
            return (rows, columns), tile


class HeldTiles(Tiles):
    """Tiles in memory, in float32 or float64."""

    def __init__(self, source: "Gram", dtype: type[np.floating[Any]], on_progress: Progress = silent) -> None:
        self.samples, self.dtype = source.samples, np.dtype(dtype)
        self._tiles: list[tuple[Place, Tile]] = []
        total = held_bytes(self.samples, self.dtype.itemsize)
        done = 0
        for (rows, columns), computed in source.tiles():
            for i, j in _within(rows, columns):
                top, left = i.start - rows.start, j.start - columns.start
                tile = computed[top : top + i.stop - i.start, left : left + j.stop - j.start]
                with np.errstate(over="ignore"):
                    held = np.array(tile, dtype=self.dtype, order="C")
                if not np.isfinite(held).all():
                    raise InputError("The Gram matrix has entries beyond float32: rescale the kernel.")
                self._tiles.append(((i, j), held))
                done += held.nbytes
            on_progress(min(1.0, done / total), "computing the Gram matrix")

    def tiles(self) -> Iterator[tuple[Place, Tile]]:
        return iter(self._tiles)


def _within(rows: slice, columns: slice) -> Iterator[Place]:
    """The places of small tiles within a large one; of one on the diagonal, the upper ones."""
    for i in range(rows.start, rows.stop, SIDE):
        for j in range(max(i, columns.start), columns.stop, SIDE):
            yield slice(i, min(i + SIDE, rows.stop)), slice(j, min(j + SIDE, columns.stop))


def held_bytes(samples: int, itemsize: int) -> int:
    """The memory of all upper tiles, at most."""
    return itemsize * samples * (samples + SIDE) // 2


class Gram(Tiles):
    """A Gram matrix in float64, of which columns can be had, too."""

    in_memory: bool

    @abstractmethod
    def columns(self, chosen: Int[np.ndarray, " p"], on_progress: ShareDone = no_progress) -> Float[np.ndarray, "n p"]:
        """Some of its columns."""

    @abstractmethod
    def diagonal(self) -> Float[np.ndarray, " n"]:
        """K(x,x) for each sample."""

    @abstractmethod
    def block(self, chosen: Int[np.ndarray, " p"]) -> Float[np.ndarray, "p p"]:
        """Its entries in some rows and the same columns."""


class KernelGram(Gram):
    """The Gram matrix of a kernel on rows, each tile computed when it is needed.

    Parameters
    ----------
    kernel
        A kernel of inputs; its bandwidth is taken from X if it is not a number.
    X
        The rows.
    """

    in_memory = False
    helpers = 1  # a kernel has threads of its own

    def __init__(self, kernel: Kernel, X: object) -> None:
        self._X = check_rows(X)
        if not kernel.combines:
            raise InputError("Tiles need a kernel of inputs: of a Gram matrix that is there, take MatrixGram.")
        self._kernel, self.samples = kernel.fit(self._X), len(self._X)

    def tiles(self) -> Iterator[tuple[Place, Tile]]:
        for i, j in places(self.samples, COMPUTED):
            yield (i, j), self._kernel(self._X[i]) if i == j else self._kernel(self._X[i], self._X[j])

    def columns(self, chosen: Int[np.ndarray, " p"], on_progress: ShareDone = no_progress) -> Float[np.ndarray, "n p"]:
        columns, those = np.empty((self.samples, len(chosen))), self._X[chosen]
        for i in range(0, self.samples, COMPUTED):
            columns[i : i + COMPUTED] = self._kernel(self._X[i : i + COMPUTED], those)
            on_progress(min(1.0, (i + COMPUTED) / self.samples))
        return columns

    def diagonal(self) -> Float[np.ndarray, " n"]:
        return self._kernel.diagonal(self._X)

    def block(self, chosen: Int[np.ndarray, " p"]) -> Float[np.ndarray, "p p"]:
        return self._kernel(self._X[chosen])


class MatrixGram(Gram):
    """A Gram matrix that is there already, in memory or mapped from a file: finite and symmetric.

    Parameters
    ----------
    matrix
        A square array of float64. It is not copied.
    """

    def __init__(self, matrix: np.ndarray) -> None:
        n = len(matrix) if matrix.ndim else 0
        if matrix.shape != (n, n) or n == 0 or matrix.dtype != np.float64:
            raise InputError(f"A Gram matrix is square and of float64, not {matrix.shape} of {matrix.dtype}.")
        self._matrix, self.samples = matrix, n
        self.in_memory = not isinstance(matrix, np.memmap)
        largest = float(max(np.max(np.abs(matrix.diagonal())), np.finfo(float).tiny))
        for i, j in places(n, COMPUTED):
            check_finite(matrix[i, j], "The Gram matrix")
            if np.max(np.abs(matrix[i, j] - matrix[j, i].T)) > 1e-8 * max(largest, np.max(np.abs(matrix[i, j]))):
                raise InputError("A Gram matrix is symmetric, but this one is not.")

    def tiles(self) -> Iterator[tuple[Place, Tile]]:
        side = SIDE if self.in_memory else COMPUTED
        return (((i, j), self._matrix[i, j]) for i, j in places(self.samples, side))

    def columns(self, chosen: Int[np.ndarray, " p"], on_progress: ShareDone = no_progress) -> Float[np.ndarray, "n p"]:
        return np.array(self._matrix[:, chosen])

    def diagonal(self) -> Float[np.ndarray, " n"]:
        return np.array(self._matrix.diagonal())

    def block(self, chosen: Int[np.ndarray, " p"]) -> Float[np.ndarray, "p p"]:
        return np.array(self._matrix[np.ix_(chosen, chosen)])
