"""What compiled loops over rows of points share: arrays in panels, pointers to arrays, and rows on every core."""

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from jaxtyping import Float

from kernelgap.machine import threads

Doubles = Float[np.ndarray, "..."]
NUMBERS = ctypes.POINTER(ctypes.c_double)
SIZE = ctypes.c_int64


def in_panels(a: Float[np.ndarray, "points columns"], panel: int) -> Float[np.ndarray, "panels columns panel"]:
    """``panel`` points beside each other for each column, as the loops read them."""
    return np.ascontiguousarray(a.reshape(-1, panel, a.shape[1]).swapaxes(1, 2))


def pointer(a: Doubles | None) -> "ctypes._Pointer[ctypes.c_double]":
    """Where an array lies; ctypes keeps no array alive."""
    if a is None:
        return NUMBERS()
    assert a.flags.c_contiguous
    assert a.dtype == np.float64
    return a.ctypes.data_as(NUMBERS)


def on_every_core(rows: int, part: Callable[[slice], int]) -> None:
    """Call ``part`` for slices of the rows, one a core; it returns what the loops returned, 0 if all went well."""
    count = max(1, min(threads(), rows))
    edges = np.linspace(0, rows, count + 1).astype(int)
    with ThreadPoolExecutor(count) as pool:
        if any(pool.map(part, map(slice, edges[:-1], edges[1:]))):
            raise MemoryError("There is no memory for the activations of a few points.")
