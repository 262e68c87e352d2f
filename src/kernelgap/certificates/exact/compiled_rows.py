"""Squared errors of a network over rows of points of a cube, by compiled loops in float64 (``every_point.cpp``)."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
from jaxtyping import Float

from kernelgap import native
from kernelgap.certificates.exact.panels import NUMBERS, SIZE, Doubles, in_panels, on_every_core, pointer
from kernelgap.networks import Network, Params
from kernelgap.training.native import NETWORKS


class _Weights(ctypes.Structure):
    arrays: object  # what the pointers point into: ctypes itself keeps no array alive
    _fields_ = [
        ("kind", ctypes.c_int32),
        *[(name, SIZE) for name in ("outputs", "width")],
        *[(name, NUMBERS) for name in ("inner", "b2", "A")],
        ("scale", ctypes.c_double),
        ("offset", NUMBERS),
    ]


class _Target(ctypes.Structure):
    _fields_ = [
        ("first", ctypes.POINTER(SIZE)),
        ("sets", ctypes.POINTER(ctypes.c_int32)),
        ("coefficients", NUMBERS),
        ("count", SIZE),
        ("parities", NUMBERS),
        ("flips", NUMBERS),
    ]


def compiled_rows(
    network: Network,
    params: Params,
    scale: float,
    offset: Float[np.ndarray, " k"],
    x: Float[np.ndarray, "points lower"],
    parities: Float[np.ndarray, "points sets"],
    coefficients: Float[np.ndarray, "sets k"],
) -> Callable[[Float[np.ndarray, "rows upper"], Float[np.ndarray, "rows sets"]], Float[np.ndarray, " rows"]] | None:
    """The sums over rows of points, as a function of what is particular to a row.

    Parameters
    ----------
    network, params, scale, offset
        The predictor, scale out(x) + offset.
    x, parities
        Lower coordinates of a row's points, and of each point the parities of these.
    coefficients
        Of the target, for each parity and output.

    Returns
    -------
    function or None
        Of the rows' upper coordinates, and of the signs by which these change the parities. None if the compiled loops
        do not know the network, or this machine cannot compile them.
    """
    library = native.load(Path(__file__).with_name("every_point.cpp")) if network in NETWORKS else None
    if library is None:
        return None
    library.kernelgap_panel.restype = SIZE
    panel = library.kernelgap_panel()
    if len(x) % panel:
        return None
    library.kernelgap_row_sums.argtypes = [
        *(ctypes.POINTER(_Weights), ctypes.POINTER(_Target), NUMBERS, NUMBERS, SIZE, SIZE, NUMBERS)
    ]
    kind, (_, b1, inner, b2, _) = NETWORKS[network]
    lower = x.shape[1]
    W = params["W"]
    bias = params[b1] if b1 else 0.0
    after = [np.ascontiguousarray(params[name]) if name else None for name in (inner, b2, "A")]
    offset = np.ascontiguousarray(offset)
    weights = _Weights(kind, *params["A"].shape, *map(pointer, after), scale, pointer(offset))
    weights.arrays = after, offset
    table = in_panels(x @ W[:, :lower].T, panel)
    signs = in_panels(parities, panel)
    outputs, sets = np.nonzero(coefficients.T)
    first = np.searchsorted(outputs, np.arange(coefficients.shape[1] + 1)).astype(np.int64)
    sets, values = sets.astype(np.int32), np.ascontiguousarray(coefficients.T[outputs, sets])

    def sums(upper: Float[np.ndarray, "rows upper"], flips: Float[np.ndarray, "rows sets"]) -> Doubles:
        added = upper @ W[:, lower : lower + upper.shape[1]].T + bias
        found = np.empty(len(upper))

        def part(rows: slice) -> int:
            add, flip, out = added[rows], np.ascontiguousarray(flips[rows]), found[rows]
            target = _Target(
                first.ctypes.data_as(ctypes.POINTER(SIZE)),
                sets.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)),
                *(pointer(values), len(coefficients), pointer(signs), pointer(flip)),
            )
            size = len(x), len(add)
            arguments = ctypes.byref(weights), ctypes.byref(target), pointer(table), pointer(add)
            return int(library.kernelgap_row_sums(*arguments, *size, pointer(out)))

        on_every_core(len(upper), part)
        return found

    return sums
