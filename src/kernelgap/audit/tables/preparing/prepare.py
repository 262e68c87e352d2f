"""From columns of numbers and labels to the numbers that are learned from; fitted to training rows alone."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field

from kernelgap.audit.tables.columns.cells import labels_of
from kernelgap.audit.tables.columns.interpreting import numbers_of
from kernelgap.audit.tables.notices import Notice, counted, named
from kernelgap.audit.tables.preparing.columns import (
    LEVELS,
    Column,
    GapColumn,
    LabelColumn,
    fit_labels,
    fit_numbers,
    least_rows,
)
from kernelgap.audit.tables.preparing.useful import drop_useless_columns
from kernelgap.errors import InputError, validated
from kernelgap.machine import require_memory


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

    @classmethod
    def rebuild(cls, description: Mapping[str, Any]) -> "Preparation":
        """From what ``describe`` gave, or from the same read from a JSON file."""
        return validated(cls, description)

    def describe(self) -> dict[str, Any]:
        """All that ``transform`` needs, for a JSON file."""
        return self.model_dump(mode="json")

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
                    sentence = f"Column '{column.name}' has labels that no training row had, taken as {taken}: "
                    notices.append(Notice("unseen", column.name, f"{sentence}{named(unseen)}."))
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
            notices.append(Notice("rare", name, f"Column '{name}' has rare labels only; it is dropped."))
        elif prepared[name].rare:
            capped = len(prepared[name].levels) == LEVELS - 1
            few = f"labels in fewer than {least_rows(len(labels))} training rows"
            why = f"more than {LEVELS} labels" if capped else few
            sentence = f"Column '{name}' has {why}, taken as one: {named(prepared[name].rare)}."
            notices.append(Notice("rare", name, sentence))
    return notices


def _filled(name: str, gaps: np.ndarray, stand_in: str) -> list[Notice]:
    count = int(gaps.sum())
    if not count:
        return []
    return [Notice("missing", name, f"Column '{name}' is missing in {counted(count, 'row')}; {stand_in} stands in.")]
