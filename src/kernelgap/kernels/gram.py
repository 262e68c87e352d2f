"""Gram matrices, computed in tiles on all cores, the lower half of a symmetric one mirrored."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels.pairs import NumpyPairs, Pairs, Rows, SamePairs, UpperPairs, Value
from kernelgap.machine import available_memory, one_blas_thread, require_memory, threads
from kernelgap.rows import check_rows as check_rows

TILE = 256  # rows and columns of a tile: its arrays stay in a core's cache
AT_HAND = 2**24  # bytes; once a block of this size was freed, glibc keeps what tiles free for the next tiles


def check_overflow(values: np.ndarray, spec: str) -> None:
    """Refuse infinity and NaN, which finite inputs give where a kernel overflows."""
    if not np.isfinite(values.sum()) and not np.isfinite(values).all():
        raise InputError(f"The kernel {spec} overflows on these inputs: rescale them.")


def require_gram(n: int, m: int) -> None:
    """Refuse a Gram matrix that does not fit in memory."""
    largest = int((available_memory() / 8) ** 0.5)
    require_memory(
        8 * n * m,
        f"A Gram matrix of {n} x {m}",
        f"Take fewer samples (up to about {largest} x {largest} fit), predict in smaller blocks, or regress over "
        "explicit features (kernels.random_features, regression.feature_path).",
    )


def evaluate(formula: Callable[[Pairs], Value], X: Rows, Z: Rows) -> Float[np.ndarray, "n m"]:
    """Fill the Gram matrix tile by tile with the formula's values."""
    from scipy.spatial.distance import squareform  # late: it takes a third of a second, and networks do without it

    require_gram(len(X), len(Z))
    symmetric = Z is X
    for rows in (X,) if symmetric else (X, Z):
        if not np.isfinite(np.einsum("nd,nd->n", rows, rows)).all():  # angles would be wrong, and finite
            raise InputError("The squared lengths of these inputs overflow: rescale them.")
    gram = np.empty((len(X), len(Z)))
    np.empty(AT_HAND, dtype=np.uint8)  # never touched, freed at once
    tiles = [(i, j) for i in range(0, len(X), TILE) for j in range(i if symmetric else 0, len(Z), TILE)]
    left = iter(tiles)  # shared by the threads

    def fill(i: int, j: int) -> None:
        rows, columns = slice(i, i + TILE), slice(j, j + TILE)
        if symmetric and i == j:
            gram[rows, rows] = squareform(formula(UpperPairs(X[rows])), checks=False)
            gram.flat[i * (len(X) + 1) : (i + TILE) * len(X) : len(X) + 1] = formula(SamePairs(X[rows]))
            return
        gram[rows, columns] = formula(NumpyPairs(X[rows], Z[columns]))
        if symmetric:
            gram[columns, rows] = gram[rows, columns].T

    @np.errstate(all="ignore")  # each thread has its own; what overflows is refused at the end
    def work() -> None:
        for i, j in left:
            fill(i, j)

    helpers = min(threads(), len(tiles)) - 1
    if helpers < 1:
        work()
    else:
        with one_blas_thread(), ThreadPoolExecutor(helpers) as pool:
            helping = [pool.submit(work) for _ in range(helpers)]
            work()
            for helper in helping:
                helper.result()
    return gram
