"""The risk of a fixed-point network over every point of a cube, as a fraction: no rounding, no sampling.

Points are visited in rows that share their upper coordinates, as in ``every_point``. Every row gives three whole
numbers: the sums over its points and over outputs of r^2, of r times the base signal, and of r times the composite one.
"""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from kernelgap.atomic_file import atomically
from kernelgap.certificates.exact.fixed_point.compiled import compiled_sums
from kernelgap.certificates.exact.fixed_point.network import FixedPointNetwork
from kernelgap.certificates.exact.fixed_point.target import ParityTarget
from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.progress import Progress, silent

LOWER = 11  # coordinates within a row of points
LEAST_LOWER = 6  # in very wide networks
AT_ONCE = 2**21  # points between two looks at the clock
MOST_AT_ONCE = 2**24  # first layers of points, or of rows, that are held at a time, in numbers
MOST_DIMENSIONS = 30

Sums = Int[np.ndarray, "rows 3"]  # of r^2, r base and r composite, over the points of each row
RowSums = Callable[[Float[np.ndarray, "rows upper"]], Sums]


def fixed_point_risk(
    target: ParityTarget,
    network: FixedPointNetwork,
    *,
    compiled: bool = True,
    resume: str | Path | None = None,
    on_progress: Progress = silent,
) -> Fraction:
    """E |H - f|^2 over all points, with the network's outputs rounded and clipped to the range of the target.

    Parameters
    ----------
    target, network
        H and f.
    compiled
        Take compiled loops where there are any; the answer is the same without them.
    resume
        A file that keeps what is done, so that an interrupted evaluation goes on.
    on_progress
        Takes the share done and what is being done.

    Raises
    ------
    InputError
        If the network does not fit the target, or float64 might not evaluate it exactly.
    """
    d, width, k = network.shape
    if (d, k) != (target.d, target.outputs):
        raise InputError(f"The network has {d} inputs and {k} outputs, its target {target.d} and {target.outputs}.")
    if d > MOST_DIMENSIONS:
        raise InputError(f"2^{d} points are too many to visit: at most 2^{MOST_DIMENSIONS}.")
    if not network.exact:
        raise InputError("The network's fixed-point numbers are too large for float64 to add them exactly.")
    lower = min(LOWER, d)
    while lower > LEAST_LOWER and width << lower > MOST_AT_ONCE:
        lower -= 1
    of_rows = (compiled_sums(target, network, lower) if compiled else None) or row_sums(target, network, lower)
    stretch = max(1, min(AT_ONCE >> lower, MOST_AT_ONCE // width))
    starts = range(0, 2 ** (d - lower), stretch)
    digest = _digest(target, network)
    done = _read(resume, digest, len(starts))
    for i, first in enumerate(starts):
        if done[i] is None:
            rows = np.arange(first, min(2 ** (d - lower), first + stretch))
            negative = (rows[:, None] >> np.arange(d - lower)) & 1
            sums = of_rows(1.0 - 2.0 * negative)
            done[i] = [sum(map(int, column)) for column in sums.T]
            _write(resume, digest, done)
        share = (i + 1) / len(starts)
        on_progress(share, f"{5 * int(20 * share)}% of {2**d:,} points")
    totals = [sum(part[i] for part in done if part is not None) for i in range(3)]
    return target.risk(*totals)


def row_sums(target: ParityTarget, network: FixedPointNetwork, lower: int) -> RowSums:
    """The sums of rows by NumPy."""
    signs = _signs(lower)
    W, b1, b2, offset = (network.get(name) for name in ("W", "b1", "b2", "offset"))
    assert W is not None
    table = signs @ W[:, :lower].T
    limits = np.array(target.limits, dtype=np.float64)
    signals = [
        [None if s is None else (s.sign * _product(signs, s.set, 0), s.set) for s in of_kind]
        for of_kind in (target.base, target.composite)
    ]

    def sums(upper: Float[np.ndarray, "rows upper"]) -> Sums:
        found = np.empty((len(upper), 3), dtype=np.int64)
        for i, row in enumerate(upper):
            added = W[:, lower:] @ row + (0.0 if b1 is None else b1)
            r = np.clip(network.rest(table + added, b2, offset), -limits, limits).astype(np.int64)
            found[i, 0] = (r * r).sum()
            for place, of_kind in enumerate(signals, 1):
                products = np.stack([_of_row(pair, row, lower, len(r)) for pair in of_kind], axis=1)
                found[i, place] = (r * products).sum()
        return found

    return sums


def _of_row(
    pair: tuple[Float[np.ndarray, " n"], tuple[int, ...]] | None,
    row: Float[np.ndarray, " upper"],
    lower: int,
    points: int,
) -> Int[np.ndarray, " n"]:
    """A signal at the points of a row; 0 where there is none."""
    if pair is None:
        return np.zeros(points, dtype=np.int64)
    values, members = pair
    return (values * _product(row[None], members, lower)).astype(np.int64)


def _product(signs: Float[np.ndarray, "n some"], members: tuple[int, ...], first: int) -> Float[np.ndarray, " n"]:
    """The product of those coordinates of a set that these columns are, counted from ``first``."""
    columns = [i - first for i in members if first <= i < first + signs.shape[1]]
    return np.asarray(signs[:, columns].prod(axis=1))


def _signs(count: int) -> Float[np.ndarray, "points count"]:
    """All points; the bits of a number, lowest first, say which coordinates are negative."""
    return 1.0 - 2.0 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)


def _digest(target: ParityTarget, network: FixedPointNetwork) -> str:
    arrays = [part for name in sorted(network.arrays) for part in (name, network.arrays[name])]
    return fingerprint(repr(target), repr(network.grid), *arrays)


def _read(resume: str | Path | None, digest: str, count: int) -> list[list[int] | None]:
    if resume is None or not Path(resume).exists():
        return [None] * count
    advice = "move it away, or choose another file."
    try:
        record = json.loads(Path(resume).read_text())
        if record["of"] == digest and len(record["sums"]) == count:
            return [None if part is None else [int(part[0]), int(part[1]), int(part[2])] for part in record["sums"]]
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise InputError(f"'{resume}' is not a record of an evaluation: {advice}") from None
    raise InputError(f"'{resume}' belongs to another evaluation: {advice}")


def _write(resume: str | Path | None, digest: str, done: list[list[int] | None]) -> None:
    if resume is not None:
        with atomically(resume) as partial_file:
            partial_file.write_text(json.dumps({"of": digest, "sums": done}))
