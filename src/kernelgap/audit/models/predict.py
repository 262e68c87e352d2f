"""Predictions for a table, and their quality where the targets are known."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from kernelgap.audit.models.table_model import TableModel
from kernelgap.audit.tables.cells import labels_of
from kernelgap.audit.tables.columns import BECAUSE, numbers_of
from kernelgap.audit.tables.notices import Notice, counted
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.errors import InputError


@dataclass(frozen=True)
class Quality:
    """One target over the rows where it is known. R^2 is against the mean of these rows, where they differ at all."""

    target: str
    rows: int
    rmse: float | None = None
    r2: float | None = None
    accuracy: float | None = None
    strange: int = 0  # rows of a class that the model does not know

    @property
    def sentence(self) -> str:
        where = f"In the {counted(self.rows, 'row')} whose '{self.target}' is known"
        if self.accuracy is not None:
            strange = f"; {counted(self.strange, 'row')} of a class that the model does not know"
            return f"{where}, {self.accuracy:.1%} are predicted right{strange if self.strange else ''}."
        share = "" if self.r2 is None else f" (R^2 {self.r2:.4g})"
        return f"{where}, the root mean squared error is {self.rmse:.4g}{share}."


@dataclass(frozen=True)
class Prediction:
    """``table`` has a row for each of the file, counted from 0; ``quality`` where the file has the targets too."""

    table: pd.DataFrame
    notices: tuple[Notice, ...]
    quality: tuple[Quality, ...]


def predict_table(model: TableModel, source: str | Path | pd.DataFrame) -> Prediction:
    """Read a file, a bundled set or a data frame, check it and predict.

    Columns may stand in any order, and columns that the model does not need are ignored.
    """
    preparation, targets = model.preparation, model.targets
    numbers, labels = set(preparation.number_names), set(preparation.label_names)
    needed = numbers | labels
    (numbers if targets.task == "regression" else labels).update(targets.names)
    table = read_table(source, seed=0, labels=labels, numbers=numbers, to_learn=False)
    if len(table.frame) < table.file_rows:  # the memory holds a sample only
        raise InputError(
            f"{table.source} has {table.file_rows:,} rows, and the free memory is enough for {len(table.frame):,}: "
            "cut it into files of at most that many."
        )
    for name in sorted(needed - set(table.frame)):
        if (kind := table.kinds.get(name)) in BECAUSE:
            raise InputError(f"Column '{name}' of {table.source} {BECAUSE[kind]}, where labels were in training.")
    relevant = [notice for notice in table.notices if notice.where in needed or notice.where == table.source]
    notices = (*relevant, *preparation.check(table.frame))
    predictions = model.predict(table.frame)
    return Prediction(predictions, notices, _quality(model, predictions, table.frame))


def _quality(model: TableModel, predictions: pd.DataFrame, frame: pd.DataFrame) -> tuple[Quality, ...]:
    """The quality for each target that the frame has, in some row at least."""
    pairs = zip(model.targets.names, predictions.columns, strict=False)  # scores come behind the targets
    present = [(target, predictions[column].to_numpy()) for target, column in pairs if target in frame]
    judge = _of_classes if model.targets.task == "classification" else _of_numbers
    qualities = (judge(model, target, predicted, frame[target]) for target, predicted in present)
    return tuple(quality for quality in qualities if quality is not None)


def _of_numbers(model: TableModel, target: str, predicted: np.ndarray, column: pd.Series) -> Quality | None:
    truth = numbers_of(column)[0]
    known = ~np.isnan(truth)
    if not known.any():
        return None
    error = float(np.mean((truth[known] - predicted[known]) ** 2))
    spread = float(np.var(truth[known]))
    return Quality(target, int(known.sum()), rmse=error**0.5, r2=1 - error / spread if spread > 0 else None)


def _of_classes(model: TableModel, target: str, predicted: np.ndarray, column: pd.Series) -> Quality | None:
    truth = _labels(column, model.targets.classes)
    known = np.array([label is not None for label in truth], dtype=bool)
    if not known.any():
        return None
    strange = sum(label not in model.targets.classes for label in truth[known])
    right = float(np.mean(truth[known] == predicted[known]))
    return Quality(target, int(known.sum()), accuracy=right, strange=strange)


def _labels(column: pd.Series, classes: tuple[str, ...]) -> np.ndarray:
    """The labels as the classes are written: a table of another size may have 1.0 or true where they say 1."""
    given = labels_of(column)
    if set(given) - {None} <= set(classes):
        return given
    numbers = labels_of(pd.Series(numbers_of(column)[0], name=column.name))
    return numbers if sum(np.isin(numbers, classes)) > sum(np.isin(given, classes)) else given
