"""A table as it is asked about: columns of numbers (float64) and of labels (text), with NaN where missing."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from kernelgap.audit.tables.columns import BECAUSE, USED, Kind
from kernelgap.audit.tables.notices import Notice
from kernelgap.errors import InputError

MOST_COLUMNS = 100_000

Task = Literal["regression", "classification"]


@dataclass(frozen=True)
class Table:
    """The content of a file. ``kinds`` names every column, ``frame`` holds those that can be used.

    The index of the frame is each row's place in the file, counted from 0. ``targets`` and ``task`` come from sources
    that name them (NPZ, bundled sets). ``repeated`` are names that several columns had, ``file_rows`` counts the rows
    before sampling.
    """

    source: str
    frame: pd.DataFrame
    kinds: Mapping[str, Kind]
    notices: tuple[Notice, ...] = ()
    targets: tuple[str, ...] = ()
    task: Task | None = None
    repeated: frozenset[str] = frozenset()
    file_rows: int = 0

    def left_out(self) -> tuple[Notice, ...]:
        """A notice for each column that cannot be used."""
        return tuple(
            Notice.of_column("left out", name, f"{BECAUSE[kind]}; it is left out.")
            for name, kind in self.kinds.items()
            if kind not in USED
        )


def distinct_names(names: Iterable[object]) -> tuple[list[str], frozenset[str]]:
    """Column names as text, each once: a nameless column is ``column_3``, the second ``x`` is ``x.2``."""
    given = [str(name).strip() or f"column_{i}" for i, name in enumerate(names, 1)]
    repeated = frozenset(name for name, count in Counter(given).items() if count > 1)
    taken, result = set(given), []
    used: set[str] = set()
    for name in given:
        fresh, number = name, 1
        while fresh in used or (number > 1 and fresh in taken):
            number += 1
            fresh = f"{name}.{number}"
        used.add(fresh)
        result.append(fresh)
    return result, repeated


def check_width(source: str, columns: int) -> None:
    """Refuse too many columns before they are read."""
    if columns > MOST_COLUMNS:
        raise InputError(f"{source} has {columns:,} columns, at most {MOST_COLUMNS:,} can be used: choose some.")
