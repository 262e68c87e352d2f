"""Which columns are worth preparing: neither constant nor a copy of an earlier one."""

import hashlib
from typing import Literal

import numpy as np
import pandas as pd

from kernelgap.audit.tables.columns.cells import labels_of
from kernelgap.audit.tables.notices import Notice, What, counted

GAPS = 0.05  # of the rows: from so many missing values on, where they are missing is a feature of its own
SMALLEST = 1e-100  # squares of anything smaller leave the range of float64


class Screened:
    """The columns to prepare, with what was decided about the others.

    ``numbers`` and ``labels`` hold values with NaN, or texts with None; ``gaps`` names columns whose gaps may tell.
    """

    def __init__(self, features: pd.DataFrame) -> None:
        self.numbers: dict[str, np.ndarray] = {}
        self.labels: dict[str, np.ndarray] = {}
        self.gaps: dict[str, Literal["number", "label"]] = {}
        self.notices: list[Notice] = []
        self._known: dict[bytes, str] = {}
        for name in features:
            self._screen(str(name), features[name])

    def _screen(self, name: str, column: pd.Series) -> None:
        numeric = pd.api.types.is_numeric_dtype(column.dtype)
        values = column.to_numpy(dtype=float) if numeric else labels_of(column)
        gaps = pd.isna(values)
        constant = _constant(values[~gaps]) if numeric else len(set(values[~gaps])) < 2
        telling = GAPS * len(gaps) < gaps.sum() < len(gaps)
        if constant and not telling:
            self._say("constant", name, f"Column '{name}' is constant in the training rows; it is dropped.")
            return
        if not constant:
            key = _key(values + 0.0) if numeric else _key(pd.factorize(values)[0])
            if (first := self._known.setdefault(key, name)) != name:
                self._say("duplicate", name, f"Column '{name}' repeats the column '{first}'; it is dropped.")
                return
            (self.numbers if numeric else self.labels)[name] = values
        if gaps.any():
            self._say("missing", name, _gap_sentence(name, int(gaps.sum()), len(gaps), numeric, constant, telling))
        if telling and self._known.setdefault(_key(gaps), name) == name:
            self.gaps[name] = "number" if numeric else "label"

    def _say(self, what: What, name: str, sentence: str) -> None:
        self.notices.append(Notice(what, name, sentence))


def _constant(values: np.ndarray) -> bool:
    """Up to rounding."""
    if not len(values):
        return True
    largest = float(np.abs(values).max())
    return bool(np.ptp(values) <= max(10 * np.finfo(float).eps * largest, SMALLEST))


def _key(values: np.ndarray) -> bytes:
    """The same for equal columns of one type only."""
    content = np.ascontiguousarray(np.where(np.isnan(values), np.nan, values) if values.dtype == float else values)
    return values.dtype.str.encode() + hashlib.blake2b(content.tobytes()).digest()


def _gap_sentence(name: str, count: int, rows: int, numeric: bool, constant: bool, telling: bool) -> str:
    where = f"Column '{name}' is missing in {counted(count, 'training row')} of {rows:,}"
    if constant:
        return f"{where} and constant in the others; only whether it is missing is kept."
    filled = f"{where}; {'the median' if numeric else 'the most frequent label'} stands in"
    return f"{filled}, and a column says where." if telling else f"{filled}."
