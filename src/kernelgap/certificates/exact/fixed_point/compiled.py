"""The sums of rows of points by compiled loops (``every_point.cpp``)."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from kernelgap import native
from kernelgap.certificates.exact.fixed_point.network import FixedPointNetwork
from kernelgap.certificates.exact.fixed_point.target import OUT_BITS, ParityTarget
from kernelgap.certificates.exact.panels import NUMBERS, SIZE, in_panels, on_every_core, pointer

INTEGERS = ctypes.POINTER(SIZE)


class _Network(ctypes.Structure):
    _fields_ = [
        *[(name, SIZE) for name in ("outputs", "width")],
        *[(name, NUMBERS) for name in ("A", "V", "b2", "C", "D", "offset")],
        *[(name, ctypes.c_double) for name in ("first_unit", "half", "unit")],
        ("limits", NUMBERS),
    ]


class _Signals(ctypes.Structure):
    _fields_ = [
        *[(name, NUMBERS) for name in ("base", "composite")],  # in panels: points / PANEL, outputs, PANEL
        *[(name, NUMBERS) for name in ("base_flips", "composite_flips")],  # rows x outputs
    ]


def compiled_sums(
    target: ParityTarget, network: FixedPointNetwork, lower: int
) -> Callable[[Float[np.ndarray, "rows upper"]], Int[np.ndarray, "rows 3"]] | None:
    """The sums of rows as a function of their upper coordinates; None where nothing is compiled, or points are few."""
    library = native.load(Path(__file__).parents[1] / "every_point.cpp")
    if library is None:
        return None
    library.kernelgap_panel.restype = SIZE
    panel = library.kernelgap_panel()
    if 2**lower % panel:
        return None
    library.kernelgap_row_integers.argtypes = [
        *(ctypes.POINTER(_Network), ctypes.POINTER(_Signals), NUMBERS, NUMBERS, SIZE, SIZE, INTEGERS)
    ]
    _, width, outputs = network.shape
    W, b1 = network.get("W"), network.get("b1")
    assert W is not None
    parts = {name: network.get(name) for name in ("A", "V", "b2", "C", "D", "offset")}
    if parts["A"] is not None and parts["C"] is not None and np.array_equal(parts["A"], parts["C"]):
        parts["C"] = parts["A"]  # the same array: A h is not computed twice
    shift = network.bits - OUT_BITS
    limits = np.array(target.limits, dtype=np.float64)
    weights = _Network(
        *(outputs, width, *map(pointer, parts.values())),
        *(2.0**network.first_shift, 2.0 ** (shift - 1) if shift else 0.0, 2.0**-shift, pointer(limits)),
    )
    signs = 1.0 - 2.0 * ((np.arange(2**lower)[:, None] >> np.arange(lower)) & 1)
    table = in_panels(signs @ W[:, :lower].T, panel)
    members = [np.zeros((outputs, target.d), dtype=np.int64) for _ in range(2)]
    factors = np.zeros((2, outputs))
    for kind, signals in enumerate((target.base, target.composite)):
        for j, signal in enumerate(signals):
            if signal is not None:
                members[kind][j, list(signal.set)] = 1
                factors[kind, j] = signal.sign
    below = [
        in_panels(factor * _parities(signs, of_kind[:, :lower]), panel)
        for factor, of_kind in zip(factors, members, strict=True)
    ]

    def sums(upper: Float[np.ndarray, "rows upper"]) -> Int[np.ndarray, "rows 3"]:
        added = upper @ W[:, lower:].T + (0.0 if b1 is None else b1)
        flips = [_parities(upper, of_kind[:, lower:]) for of_kind in members]
        found = np.empty((len(upper), 3), dtype=np.int64)

        def part(rows: slice) -> int:
            add, out = np.ascontiguousarray(added[rows]), found[rows]
            flip = [np.ascontiguousarray(each[rows]) for each in flips]
            signals = _Signals(*map(pointer, below), *map(pointer, flip))
            size = 2**lower, len(add)
            arguments = ctypes.byref(weights), ctypes.byref(signals), pointer(table), pointer(add)
            return int(library.kernelgap_row_integers(*arguments, *size, out.ctypes.data_as(INTEGERS)))

        on_every_core(len(upper), part)
        assert parts is not None and limits is not None  # what the pointers in ``weights`` point into  # noqa: PT018
        return found

    return sums


def _parities(signs: Float[np.ndarray, "n some"], members: Int[np.ndarray, "k some"]) -> Float[np.ndarray, "n k"]:
    return np.where((signs < 0) @ members.T % 2, -1.0, 1.0)
