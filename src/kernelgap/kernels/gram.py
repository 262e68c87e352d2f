"""Gram matrices, computed in tiles on all cores, the lower half of a symmetric one mirrored."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float
from threadpoolctl import ThreadpoolController

from kernelgap.errors import InputError
from kernelgap.kernels.pairs import Rows
from kernelgap.machine import available_memory, require_memory, threads

TILE = 256  # rows and columns of a tile: its arrays stay in a core's cache
AT_HAND = 2**24  # bytes; once a block of this size was freed, glibc keeps what tiles free for the next tiles

Tile = Callable[[Rows, Rows, Float[np.ndarray, "n m"]], Float[np.ndarray, "n m"]]


def check_rows(X: object, name: str = "X") -> Rows:
    """Inputs as float64 rows; anything else, NaN and infinity included, is refused with its place."""
    try:
        rows = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a table of numbers.") from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(f"{name} must have two dimensions, samples x features, not the shape {rows.shape}.")
    check_finite(rows, name)
    return rows


def check_finite(values: np.ndarray, name: str) -> None:
    """Refuse NaN and infinity, naming the first place."""
    finite = np.isfinite(values)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        value = "NaN" if np.isnan(values[place]) else "infinity"
        where = f"row {place[0]}" + (f", column {place[1]}" if len(place) > 1 else "")
        raise InputError(f"{name} contains {value} in {where} (counted from 0): fill it in or leave that row out.")


def require_gram(n: int, m: int) -> None:
    """Refuse a Gram matrix that does not fit in memory."""
    largest = int((available_memory() / 8) ** 0.5)
    require_memory(
        8 * n * m,
        f"A Gram matrix of {n} x {m}",
        f"Take fewer samples (up to about {largest} x {largest} fit), predict in smaller blocks, or regress over "
        "explicit features (kernels.random_features, regression.feature_path).",
    )


def evaluate(
    tile: Tile, X: Rows, Z: Rows, diagonal: Callable[[Rows], Float[np.ndarray, " n"]]
) -> Float[np.ndarray, "n m"]:
    """Fill the Gram matrix tile by tile, each from the inner products of its rows."""
    require_gram(len(X), len(Z))
    symmetric = Z is X
    gram = np.empty((len(X), len(Z)))
    np.empty(AT_HAND, dtype=np.uint8)  # never touched, freed at once
    starts = [(i, j) for i in range(0, len(X), TILE) for j in range(0, len(Z), TILE) if not symmetric or j + TILE > i]

    def fill(start: tuple[int, int]) -> None:
        i, j = start
        block = (slice(i, i + TILE), slice(j, j + TILE))
        x, z = X[block[0]], Z[block[1]]
        gram[block] = tile(x, z, x @ z.T)
        if symmetric and j > i:
            gram[block[::-1]] = gram[block].T

    if len(starts) == 1 or threads() == 1:
        for start in starts:
            fill(start)
    else:
        with _blas().limit(limits=1), ThreadPoolExecutor(threads()) as pool:
            list(pool.map(fill, starts))
    if symmetric:
        gram[np.diag_indices(len(X))] = diagonal(X)
        for i in range(0, len(X), TILE):  # within a diagonal tile the two halves may differ in the last digit
            block = (slice(i, i + TILE), slice(i, i + TILE))
            upper = np.triu(gram[block])
            gram[block] = upper + np.triu(gram[block], 1).T
    return gram


@cache
def _blas() -> Any:
    """NumPy's matrix products: their own threads would wait, busily, for work on the cores that the tiles need."""
    return ThreadpoolController().select(user_api="blas")
