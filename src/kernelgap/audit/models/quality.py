"""How good predictions are where the truth is known."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from kernelgap.audit.models.table_model import TableModel
from kernelgap.audit.tables.columns.cells import labels_of
from kernelgap.audit.tables.columns.interpreting import numbers_of
from kernelgap.audit.tables.notices import counted


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
            unknown = (
                f"; {counted(self.strange, 'row')} of a class that the model does not know" if self.strange else ""
            )
            return f"{where}, {self.accuracy:.1%} are predicted right{unknown}."
        share = "" if self.r2 is None else f" (R^2 {self.r2:.4g})"
        return f"{where}, the root mean squared error is {self.rmse:.4g}{share}."

    def as_record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def quality(model: TableModel, predictions: pd.DataFrame, frame: pd.DataFrame) -> tuple[Quality, ...]:
    """For each target that the frame has, in some row at least."""
    pairs = zip(model.targets.names, predictions.columns, strict=False)  # scores come behind the targets
    present = [(target, predictions[column]) for target, column in pairs if target in frame]
    judge = _of_classes if model.targets.task == "classification" else _of_numbers
    found = (judge(model, target, predicted.to_numpy(), frame[target]) for target, predicted in present)
    return tuple(each for each in found if each is not None)


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
    """As the classes are written: a table of another size may have 1.0 or true where they say 1."""
    given = labels_of(column)
    if set(given) - {None} <= set(classes):
        return given
    numbers = labels_of(pd.Series(numbers_of(column)[0], name=column.name))
    return numbers if sum(np.isin(numbers, classes)) > sum(np.isin(given, classes)) else given
