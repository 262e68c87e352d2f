"""What is to be predicted: one or several numbers, or one of several classes."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict

from kernelgap.audit.tables.question import Question
from kernelgap.audit.tables.table import Task
from kernelgap.errors import InputError


class Targets(BaseModel):
    """How targets become columns of numbers, and predictions targets again.

    Regression: the values less their mean over the training rows, divided by their standard deviation.
    Classification: 1 in the column of the class and 0 in the others; the largest column of a prediction is its class.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    names: tuple[str, ...]
    task: Task
    classes: tuple[str, ...] = ()
    means: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()

    @classmethod
    def fit(cls, question: Question, rows: Sequence[int] | np.ndarray) -> "Targets":
        """Learn means and scales from the training rows alone; all classes that are asked for are kept."""
        if question.task == "classification":
            return cls(names=question.names, task="classification", classes=question.classes)
        values = question.values[rows]
        scales = values.std(axis=0)
        means, scales = values.mean(axis=0).tolist(), np.where(scales > 0, scales, 1.0).tolist()
        return cls(names=question.names, task="regression", means=tuple(means), scales=tuple(scales))

    @property
    def outputs(self) -> int:
        """Columns of numbers."""
        return len(self.classes) or len(self.names)

    def encode(self, values: np.ndarray) -> Float[np.ndarray, "n outputs"]:
        """Values (n, targets), or labels (n,), as the columns that are learned."""
        if self.task == "regression":
            return (np.asarray(values, dtype=float) - self.means) / self.scales
        place = {name: i for i, name in enumerate(self.classes)}
        if unknown := sorted({str(value) for value in values} - set(place)):
            raise InputError(f"'{unknown[0]}' is none of the classes {', '.join(self.classes)}.")
        return np.eye(len(self.classes))[[place[str(value)] for value in values]]

    def decode(self, columns: Float[np.ndarray, "n outputs"]) -> np.ndarray:
        """Predicted columns as values (n, targets), or as labels (n,)."""
        if self.task == "regression":
            return columns * np.array(self.scales) + np.array(self.means)
        return np.array(self.classes, dtype=object)[np.argmax(columns, axis=1)]
