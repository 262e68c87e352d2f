"""From columns of numbers and labels to the numbers that are learned from; fitted to training rows alone."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field

from kernelgap.audit.tables.cells import labels_of
from kernelgap.audit.tables.columns import numbers_of
from kernelgap.audit.tables.notices import Notice, counted, named
from kernelgap.audit.tables.prepared_columns import (
    LEVELS,
    Column,
    GapColumn,
    LabelColumn,
    fit_labels,
    fit_numbers,
    least_rows,
)
from kernelgap.errors import InputError
from kernelgap.machine import require_memory

GAPS = 0.05  # of the rows: with more missing values, an indicator column is added
SMALLEST = 1e-100  # squares of anything smaller leave the range of float64


class Preparation(BaseModel):
    """What was learned from the training rows: medians, means, scales, levels. Plain numbers and texts.

    >>> rows = pd.DataFrame({"size": [1.0, 2.0, 3.0, None], "colour": ["red", "blue", "red", "blue"]})
    >>> made = Preparation.fit(rows)
    >>> made.outputs
    ['size', 'colour=red', 'size is missing']
    >>> made.transform(rows)[:, 1].tolist()
    [1.0, 0.0, 1.0, 0.0]
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[Column, ...] = Field(min_length=1)
    notices: tuple[Notice, ...] = Field(default=(), exclude=True)

    @classmethod
    def fit(cls, features: pd.DataFrame) -> "Preparation":
        """Learn from the training rows of a question's features, and from nothing else."""
        useful = drop_useless_columns(features)
        labels = fit_labels(useful.labels)
        gaps = (GapColumn(name=name, of=kind) for name, kind in useful.gaps.items())
        columns: tuple[Column, ...] = (*fit_numbers(useful.numbers), *labels, *gaps)
        if not columns:
            raise InputError("No column is left to learn from: in the training rows all are constant or rare labels.")
        return cls(columns=columns, notices=(*useful.notices, *_rare_labels(useful.labels, labels)))

    @property
    def outputs(self) -> list[str]:
        """The names of the columns that come out."""
        return [name for column in self.columns for name in column.outputs]

    @property
    def number_names(self) -> tuple[str, ...]:
        """Columns that must hold numbers, for ``read_table``."""
        return self._names("number")

    @property
    def label_names(self) -> tuple[str, ...]:
        """Columns that must hold labels, for ``read_table``."""
        return self._names("label")

    def _names(self, kind: str) -> tuple[str, ...]:
        matching = (column.name for column in self.columns if kind in (column.kind, getattr(column, "of", None)))
        return tuple(dict.fromkeys(matching))

    def transform(self, rows: pd.DataFrame) -> Float[np.ndarray, "n d"]:
        """Numbers for any rows that have the columns; ``check`` says what they have that the training rows had not."""
        width = len(self.outputs)
        what = f"A table of {len(rows):,} rows and {width:,} columns"
        require_memory(16 * len(rows) * width, what, "Take fewer rows.")
        blocks = [column.transform(values) for column, values, _ in self._values(rows)]
        return np.concatenate(blocks, axis=1)

    def check(self, rows: pd.DataFrame) -> tuple[Notice, ...]:
        """What is missing, unseen or no number in new rows, and what becomes of it."""
        notices: list[Notice] = []
        for column, values, new in self._values(rows):
            notices += [notice for notice in new if notice.what in ("not numbers", "infinite")]
            if column.kind == "number":
                notices += _filled(column.name, pd.isna(values), "the median of the training rows")
            elif column.kind == "label":
                notices += _filled(column.name, pd.isna(values), f"'{column.frequent}'")
                if unseen := column.unseen(values):
                    taken = "rare labels" if column.rare else f"'{column.frequent}'"
                    text = f"has labels that no training row had, taken as {taken}: {named(unseen)}."
                    notices.append(Notice.of_column("unseen", column.name, text))
        return tuple(notices)

    def _values(self, rows: pd.DataFrame) -> Iterator[tuple[Column, np.ndarray, list[Notice]]]:
        names = {column.name for column in self.columns}
        if absent := sorted(names - set(rows.columns)):
            raise InputError(f"The table lacks columns that were there in training: {named(absent)}.")
        if repeated := sorted(names & set(rows.columns[rows.columns.duplicated()])):
            raise InputError(f"The table has several columns called {named(repeated)}: keep the one that is meant.")
        for column in self.columns:
            given = rows[column.name]
            if column.kind == "label":
                yield column, labels_of(given), []
            elif column.kind == "number":
                yield column, *numbers_of(given)
            else:
                values = numbers_of(given)[0] if column.of == "number" else labels_of(given)
                yield column, pd.isna(values), []


def _rare_labels(given: Mapping[str, np.ndarray], columns: list[LabelColumn]) -> list[Notice]:
    notices = []
    prepared = {column.name: column for column in columns}
    for name, labels in given.items():
        if name not in prepared:
            notices.append(Notice.of_column("rare", name, "has rare labels only; it is dropped."))
        elif prepared[name].rare:
            capped = len(prepared[name].levels) == LEVELS - 1
            few = f"labels in fewer than {least_rows(len(labels))} training rows"
            why = f"more than {LEVELS} labels" if capped else few
            notices.append(Notice.of_column("rare", name, f"has {why}, taken as one: {named(prepared[name].rare)}."))
    return notices


def _filled(name: str, gaps: np.ndarray, stand_in: str) -> list[Notice]:
    text = f"is missing in {counted(int(gaps.sum()), 'row')}; {stand_in} stands in."
    return [Notice.of_column("missing", name, text)] if gaps.any() else []


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
            useful.notices.append(
                Notice.of_column("constant", name, "is constant in the training rows; it is dropped.")
            )
            continue
        if not constant:
            key = _key(values + 0.0) if numeric else _key(pd.factorize(values)[0])
            if (first := first_with.setdefault(key, name)) != name:
                useful.notices.append(
                    Notice.of_column("duplicate", name, f"repeats the column '{first}'; it is dropped.")
                )
                continue
            (useful.numbers if numeric else useful.labels)[name] = values
        if gaps.any():
            useful.notices.append(Notice.of_column("missing", name, _gap_text(gaps, numeric, constant, many_gaps)))
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


def _gap_text(gaps: np.ndarray, numeric: bool, constant: bool, many_gaps: bool) -> str:
    where = f"is missing in {counted(int(gaps.sum()), 'training row')} of {len(gaps):,}"
    if constant:
        return f"{where} and constant in the others; only whether it is missing is kept."
    filled = f"{where}; {'the median' if numeric else 'the most frequent label'} stands in"
    return f"{filled}, and a column says where." if many_gaps else f"{filled}."
