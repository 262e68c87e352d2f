"""Which columns are worth preparing: neither constant nor a copy of an earlier one."""

import hashlib
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from kernelgap.audit.tables.columns.cells import labels_of
from kernelgap.audit.tables.notices import Notice, counted

GAPS = 0.05  # of the rows: from so many missing values on, where they are missing is a feature of its own
SMALLEST = 1e-100  # squares of anything smaller leave the range of float64


@dataclass(frozen=True)
class UsefulColumns:
    """Values with NaN, texts with None, columns whose gaps are a feature, and a notice for each decision."""

    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    labels: dict[str, np.ndarray] = field(default_factory=dict)
    gaps: dict[str, Literal["number", "label"]] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


def drop_useless_columns(features: pd.DataFrame) -> UsefulColumns:
    """The columns of the training rows that are not constant and do not repeat an earlier one."""
    useful = UsefulColumns()
    first_with: dict[bytes, str] = {}
    for name in map(str, features):
        column = features[name]
        numeric = pd.api.types.is_numeric_dtype(column.dtype)
        values = column.to_numpy(dtype=float) if numeric else labels_of(column)
        gaps = pd.isna(values)
        constant = _is_constant(values[~gaps]) if numeric else len(set(values[~gaps])) < 2
        many_gaps = GAPS * len(gaps) < gaps.sum() < len(gaps)
        if constant and not many_gaps:
            sentence = f"Column '{name}' is constant in the training rows; it is dropped."
            useful.notices.append(Notice("constant", name, sentence))
            continue
        if not constant:
            key = _key(values + 0.0) if numeric else _key(pd.factorize(values)[0])
            if (first := first_with.setdefault(key, name)) != name:
                sentence = f"Column '{name}' repeats the column '{first}'; it is dropped."
                useful.notices.append(Notice("duplicate", name, sentence))
                continue
            (useful.numbers if numeric else useful.labels)[name] = values
        if gaps.any():
            sentence = _gap_sentence(name, gaps, numeric, constant, many_gaps)
            useful.notices.append(Notice("missing", name, sentence))
        if many_gaps and first_with.setdefault(_key(gaps), name) == name:
            useful.gaps[name] = "number" if numeric else "label"
    return useful


def _is_constant(values: np.ndarray) -> bool:
    """Up to rounding."""
    if not len(values):
        return True
    largest = float(np.abs(values).max())
    return bool(np.ptp(values) <= max(10 * np.finfo(float).eps * largest, SMALLEST))


def _key(values: np.ndarray) -> bytes:
    """The same for equal columns of one type only."""
    content = np.ascontiguousarray(np.where(np.isnan(values), np.nan, values) if values.dtype == float else values)
    return values.dtype.str.encode() + hashlib.blake2b(content.tobytes()).digest()


def _gap_sentence(name: str, gaps: np.ndarray, numeric: bool, constant: bool, many_gaps: bool) -> str:
    where = f"Column '{name}' is missing in {counted(int(gaps.sum()), 'training row')} of {len(gaps):,}"
    if constant:
        return f"{where} and constant in the others; only whether it is missing is kept."
    filled = f"{where}; {'the median' if numeric else 'the most frequent label'} stands in"
    return f"{filled}, and a column says where." if many_gaps else f"{filled}."
