"""A fitted model with the preparation of its inputs and the meaning of its outputs; and its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, JsonValue

from kernelgap.audit.tables.columns import numbers_of
from kernelgap.audit.tables.preparing import Preparation
from kernelgap.audit.tables.table import distinct_names
from kernelgap.audit.tables.targets import Targets
from kernelgap.errors import InputError, validated
from kernelgap.models import Model
from kernelgap.models.file import TABLE, content, read_owned
from kernelgap.models.model import BLOCK
from kernelgap.tensor_file import Arrays, check, write_whole

FILE = "model.safetensors"  # in the folder of an audit
ROW = "row"


class TableMetadata(BaseModel):
    """What a file holds beside the model."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    preparation: dict[str, Any]
    targets: dict[str, Any]
    about: dict[str, JsonValue]


@dataclass(frozen=True, eq=False)
class TableModel:
    """A model of a table. ``about`` says where it comes from, in plain numbers and texts."""

    model: Model
    preparation: Preparation
    targets: Targets
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        made, taken = len(self.preparation.outputs), self.model.features
        if made != taken:
            raise InputError(f"The preparation makes {made} columns, and the model takes {taken}.")
        _check_targets(self.targets)
        if self.targets.outputs != self.model.targets:
            columns, given = self.targets.outputs, self.model.targets
            raise InputError(f"The targets are {columns} columns, and the model gives {given}.")

    @property
    def columns(self) -> list[str]:
        """The columns of predictions: a target each, and for classes the score of each, all by different names."""
        scores = [f"score {name}" for name in self.targets.classes]
        return distinct_names([*self.targets.names, *scores])[0]

    def predict(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Predictions for each row, under the frame's index: its place in the file.

        A score is the model's least-squares output for a class: about 1 where it is sure of the class and 0 where it is
        sure of another, but no probability, and it may lie outside. The class with the largest is predicted.
        """
        rows = self._rows(frame)
        step = max(1, BLOCK // self.model.features)
        outputs = np.empty((len(rows), self.model.targets))
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
            for i in range(0, len(rows), step):
                outputs[i : i + step] = self.model.predict(self.preparation.transform(rows.iloc[i : i + step]))
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
        predictions = pd.DataFrame(outputs, index=index, columns=columns[1:])
        predictions.insert(0, columns[0], values)
        return predictions

    def _rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns that are needed. Texts become numbers here, as only a whole column tells what a comma means."""
        self.preparation.transform(frame.iloc[:0])  # refuses a frame that lacks columns
        columns = {name: frame[name] for name in (*self.preparation.number_names, *self.preparation.label_names)}
        for name in self.preparation.number_names:
            if not pd.api.types.is_numeric_dtype(frame[name].dtype):
                columns[name] = pd.Series(numbers_of(frame[name])[0], index=frame.index)
        return pd.DataFrame(columns, index=frame.index)


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


def to_bytes(model: TableModel) -> bytes:
    """The content of a model's file; the same for the same model."""
    parts = {"preparation": model.preparation, "targets": model.targets}
    metadata = {name: part.model_dump(mode="json") for name, part in parts.items()}
    return content(model.model, TABLE, {**metadata, "about": dict(model.about)})


def save_model(model: TableModel, path: str | Path) -> Path:
    """Write a model to a .safetensors file, whole or not at all."""
    return write_whole(path, to_bytes(model))


def load_model(path: str | Path) -> TableModel:
    """Read the model that an audit chose. Nothing in its file is executed.

    Parameters
    ----------
    path
        A file that ``save_model`` or an audit wrote, or the folder of an audit.

    Returns
    -------
    The model: ``predict`` takes a data frame with the columns of the table.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged, changed, of a newer version or something else.
    """
    file = Path(path)
    if file.is_dir():
        file /= FILE
        if not file.exists():
            raise InputError(f"The folder '{path}' has no {FILE}: the audit in it is not finished, or it is none.")
    return read_owned(file, TABLE, _rebuild)


def _rebuild(model: Model, fields: dict[str, Any], arrays: Arrays) -> TableModel:
    metadata = validated(TableMetadata, fields)
    check(not arrays, "its arrays are not those of its kind of model")
    preparation, targets = validated(Preparation, metadata.preparation), validated(Targets, metadata.targets)
    return TableModel(model, preparation, targets, metadata.about)
