"""The raw content of a file, and a uniform sample of its rows where they are too many."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.table import Task
from kernelgap.errors import InputError
from kernelgap.machine import available_memory
from kernelgap.seeds import stream

SHARE = 8  # of the free memory, one part for the sample: while it is drawn, up to four times as much is held


@dataclass(frozen=True)
class Raw:
    """Rows under numbered columns, as texts or in whatever types the file has, and what the file says about them."""

    rows: pd.DataFrame
    names: list[str]
    notices: list[Notice] = field(default_factory=list)
    targets: tuple[str, ...] = ()
    task: Task | None = None
    comma_first: bool = False  # whether 1,234 is rather 1.234 than 1234


class Reservoir:
    """Of all rows that are added, those with the smallest random keys: a uniform sample without replacement.

    The keys come from the seed in the order of the rows, so the sample is the same however the rows are cut into
    pieces. The free memory limits how many rows are kept, rounded down to a power of two so that it seldom
    changes between two runs on one machine; ``rows`` limits them further.
    """

    def __init__(self, *, seed: int, rows: int | None = None) -> None:
        if rows is not None and rows < 1:
            raise InputError(f"rows must be at least 1, it is {rows}.")
        if seed < 0:
            raise InputError(f"seed must not be negative, it is {seed}.")
        self.seen = 0
        self.capacity: int | None = rows
        self._planned = False
        self._rng = stream(seed, "rows")
        self._bound = np.inf  # keys from here on are not among the smallest
        self._pieces: list[pd.DataFrame] = []
        self._keys: list[np.ndarray] = []

    def add(self, rows: pd.DataFrame) -> None:
        """Some more rows, in the order of the file; their index becomes their place in it."""
        if not len(rows):
            return
        capacity = self._plan(rows)
        keys = self._rng.random(len(rows))
        rows = rows.set_axis(pd.RangeIndex(self.seen, self.seen + len(rows)), axis=0)
        self.seen += len(rows)
        chosen = keys < self._bound
        if chosen.any():
            self._pieces.append(rows if chosen.all() else rows[chosen])
            self._keys.append(keys[chosen])
        if sum(map(len, self._keys)) >= 2 * capacity:
            self._compact(capacity)

    def sample(self) -> pd.DataFrame:
        """The rows that were kept, in the order of the file."""
        if not self._pieces:
            return pd.DataFrame()
        self._compact(self.capacity or self.seen)
        return self._pieces[0]

    @property
    def sampled(self) -> bool:
        """Whether rows were left out."""
        return self.capacity is not None and self.seen > self.capacity

    def _plan(self, rows: pd.DataFrame) -> int:
        if not self._planned:
            self._planned = True
            fits = rows_that_fit(int(rows.memory_usage(index=False, deep=True).sum()) / len(rows))
            self.capacity = fits if self.capacity is None else min(fits, self.capacity)
        assert self.capacity is not None
        return self.capacity

    def _compact(self, capacity: int) -> None:
        rows, keys = pd.concat(self._pieces), np.concatenate(self._keys)
        if len(keys) > capacity:
            self._bound = float(np.partition(keys, capacity)[capacity])
            rows, keys = rows[keys < self._bound], keys[keys < self._bound]
        self._pieces, self._keys = [rows], [keys]


def rows_that_fit(bytes_each: float) -> int:
    """The number of rows of this size that have room: a power of two, at least one."""
    fitting = available_memory() / SHARE / max(bytes_each, 1.0)
    return int(2 ** np.floor(np.log2(max(fitting, 1.0))))
