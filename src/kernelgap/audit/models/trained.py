"""A fitted model with what turns a table into its inputs, and its outputs into what was asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from kernelgap.audit.models.model import BLOCK, Model
from kernelgap.audit.tables.columns.interpreting import numbers_of
from kernelgap.audit.tables.preparing.prepare import Preparation
from kernelgap.audit.tables.table import distinct_names
from kernelgap.audit.tables.targets import Targets
from kernelgap.errors import InputError

ROW = "row"


@dataclass(frozen=True, eq=False)
class Trained:
    """``about`` says where it comes from, in plain numbers and texts."""

    model: Model
    preparation: Preparation
    targets: Targets
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        made, taken = len(self.preparation.outputs), self.model.features
        if made != taken:
            raise InputError(f"The preparation makes {made} columns, and the model takes {taken}.")
        _check_targets(self.targets)
        asked, given = self.targets.outputs, self.model.targets
        if asked != given:
            raise InputError(f"The targets are {asked} columns, and the model gives {given}.")

    @property
    def columns(self) -> list[str]:
        """The columns of predictions: a target each, and for classes the score of each, all by different names."""
        scores = [f"score {name}" for name in self.targets.classes]
        return distinct_names([*self.targets.names, *scores])[0]

    def predict(self, frame: pd.DataFrame) -> pd.DataFrame:
        """What the model predicts for each row, under the frame's index: its place in the file.

        A score is the model's least-squares output for a class: about 1 where it is sure of the class and 0 where it is
        sure of another, but no probability, and it may lie outside. The class with the largest is predicted.
        """
        rows = self._rows(frame)
        step = max(1, BLOCK // self.model.features)
        outputs = np.empty((len(rows), self.model.targets))
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
            for i in range(0, len(rows), step):
                outputs[i : i + step] = self.model.outputs(self.preparation.transform(rows.iloc[i : i + step]))
            values = self.targets.decode(outputs)
        numbers = self.targets.task == "regression"
        wild = np.asarray(~np.isfinite(values if numbers else outputs).all(axis=1))
        if wild.any():
            place = frame.index[wild][0]
            raise InputError(f"The model overflows in row {place}: its values are far from those in training.")
        columns = self.columns
        index = frame.index.rename(distinct_names([*columns, ROW])[0][-1])
        if numbers:
            return pd.DataFrame(values, index=index, columns=columns)
        found = pd.DataFrame(outputs, index=index, columns=columns[1:])
        found.insert(0, columns[0], values)
        return found

    def _rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns that are needed. Texts become numbers here, as what a comma means is seen in a whole column."""
        self.preparation.transform(frame.iloc[:0])  # columns that are not there
        numbers = set(self.preparation.number_names)
        taken = dict.fromkeys((*self.preparation.number_names, *self.preparation.label_names))
        plain = pd.api.types.is_numeric_dtype
        return pd.DataFrame(
            {
                name: numbers_of(frame[name])[0] if name in numbers and not plain(frame[name].dtype) else frame[name]
                for name in taken
            },
            index=frame.index,
        )


def _check_targets(targets: Targets) -> None:
    """Refuse targets whose parts do not belong together."""
    names = len(targets.names)
    if len(set(targets.names)) < names or not names:
        raise InputError("A model needs targets, each with a name of its own.")
    if targets.task == "classification":
        if names != 1 or len(set(targets.classes)) != len(targets.classes) or len(targets.classes) < 2:
            raise InputError("Classification has one target and at least two classes, each once.")
    elif targets.classes or not len(targets.means) == len(targets.scales) == names:
        raise InputError("Regression has a mean and a scale for each target, and no classes.")
    elif min(targets.scales) <= 0:
        raise InputError("The scale of a target must be positive.")
