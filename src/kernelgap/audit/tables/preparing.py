"""From columns of numbers and labels to the numbers that are learned from; fitted to training rows alone.

A fitted scikit-learn encoder can only be saved as a pickle, so its public attributes are stored and applied here.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field, model_validator
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelgap.audit.tables.cells import labels_of
from kernelgap.audit.tables.columns import numbers_of
from kernelgap.audit.tables.notices import Notice, counted, named
from kernelgap.errors import InputError
from kernelgap.machine import require_memory

LEVELS = 30  # columns that one column of labels may become
RARE = 10  # rows; in a short table a fiftieth of them, and at least 2
GAPS = 0.05  # of the rows: with more missing values, an indicator column is added
SMALLEST = 1e-100  # squares of anything smaller leave the range of float64

Block = Float[np.ndarray, "n k"]


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str


class NumberColumn(_Described):
    """(x - mean) / scale, with the median where x is missing."""

    kind: Literal["number"] = "number"
    median: float
    mean: float
    scale: Annotated[float, Field(gt=0)]

    @property
    def outputs(self) -> list[str]:
        return [self.name]

    def transform(self, values: np.ndarray) -> Block:
        """From numbers with NaN."""
        return ((np.where(np.isnan(values), self.median, values) - self.mean) / self.scale)[:, None]


class LabelColumn(_Described):
    """One column of 0 and 1 for each label. With two labels one column is left out, since the other says the same.

    Rare labels share a last column. Labels that are new go there too, and where there is none they count as missing;
    the most frequent label stands for what is missing.
    """

    kind: Literal["label"] = "label"
    levels: Annotated[tuple[str, ...], Field(min_length=1, max_length=LEVELS)]
    rare: tuple[str, ...] = ()
    frequent: str

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.frequent not in (*self.levels, *self.rare):
            raise ValueError(f"the most frequent label of {self.name} is none of its labels")
        return self

    @property
    def outputs(self) -> list[str]:
        names = [f"{self.name}={level}" for level in self.levels] + [f"{self.name} is rare"] * bool(self.rare)
        return names[1:] if len(names) == 2 else names

    def transform(self, labels: np.ndarray) -> Block:
        """From texts with None."""
        place = {level: i for i, level in enumerate(self.levels)}
        usual = place.get(self.frequent, len(self.levels))
        other = len(self.levels) if self.rare else usual
        codes = [usual if label is None else place.get(label, other) for label in labels]
        hot = np.eye(len(self.levels) + bool(self.rare))[np.array(codes, dtype=int)]
        return hot[:, 1:] if hot.shape[1] == 2 else hot

    def unseen(self, labels: np.ndarray) -> list[str]:
        """Labels that no training row had."""
        return sorted({label for label in labels if label is not None} - set(self.levels) - set(self.rare))


class GapColumn(_Described):
    """1 where a value is missing."""

    kind: Literal["gap"] = "gap"
    of: Literal["number", "label"]

    @property
    def outputs(self) -> list[str]:
        return [f"{self.name} is missing"]

    def transform(self, gaps: np.ndarray) -> Block:
        """From True where a value is missing."""
        return gaps.astype(float)[:, None]


Column = Annotated[NumberColumn | LabelColumn | GapColumn, Field(discriminator="kind")]


def fit_numbers(numbers: Mapping[str, np.ndarray]) -> list[NumberColumn]:
    """Medians, means and scales."""
    if not numbers:
        return []
    rows = pd.DataFrame(numbers)
    imputer = SimpleImputer(strategy="median").fit(rows)
    scaler = StandardScaler().fit(imputer.transform(rows))
    return [
        NumberColumn(name=name, median=float(median), mean=float(mean), scale=float(scale))
        for name, median, mean, scale in zip(numbers, imputer.statistics_, scaler.mean_, scaler.scale_, strict=True)
    ]


def fit_labels(labels: Mapping[str, np.ndarray]) -> list[LabelColumn]:
    """The most frequent label, and the levels that are not rare; a column that has none is left out."""
    if not labels:
        return []
    rows = pd.DataFrame(labels, dtype=object)
    imputer = SimpleImputer(strategy="most_frequent", missing_values=None).fit(rows)
    encoder = OneHotEncoder(
        min_frequency=least_rows(len(rows)), max_categories=LEVELS, handle_unknown="infrequent_if_exist"
    ).fit(imputer.transform(rows))
    columns = []
    for name, frequent, levels, infrequent in zip(
        labels, imputer.statistics_, encoder.categories_, encoder.infrequent_categories_, strict=True
    ):
        rare = () if infrequent is None else tuple(map(str, infrequent))
        frequent_levels = tuple(str(level) for level in levels if level not in set(rare))
        if frequent_levels:
            columns.append(LabelColumn(name=name, levels=frequent_levels, rare=rare, frequent=str(frequent)))
    return columns


def least_rows(rows: int) -> int:
    """A level with fewer rows is rare."""
    return min(RARE, max(2, -(-rows // 50)))


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
    """The columns that are kept: values with NaN, texts with None, gaps that are a feature; notices."""

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
