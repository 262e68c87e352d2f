"""Predictions for a table: a file, a bundled set or a data frame."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from kernelgap.audit.models.quality import Quality, quality
from kernelgap.audit.models.table_model import TableModel
from kernelgap.audit.tables.columns.kinds import BECAUSE
from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.audit.tables.table import Table
from kernelgap.errors import InputError


@dataclass(frozen=True)
class Prediction:
    """``table`` has a row for each of the file, counted from 0; ``quality`` where the file has the targets too."""

    table: pd.DataFrame
    notices: tuple[Notice, ...]
    quality: tuple[Quality, ...]


def predict_table(model: TableModel, source: str | Path | pd.DataFrame) -> Prediction:
    """Read, check and predict. Columns may stand in any order, and others beside them are not looked at."""
    preparation, targets = model.preparation, model.targets
    truths = {"numbers" if targets.task == "regression" else "labels": targets.names}
    table = read_table(
        source,
        seed=0,
        labels={*preparation.label_names, *truths.get("labels", ())},
        numbers={*preparation.number_names, *truths.get("numbers", ())},
        to_learn=False,
    )
    _check_whole(table)
    needed = {*preparation.number_names, *preparation.label_names}
    _check_readable(table, needed)
    relevant = [notice for notice in table.notices if notice.where in needed or notice.where == table.source]
    notices = (*relevant, *preparation.check(table.frame))
    predictions = model.predict(table.frame)
    return Prediction(predictions, notices, quality(model, predictions, table.frame))


def _check_whole(table: Table) -> None:
    """A sample was drawn where the memory does not hold all: it will not do here."""
    if len(table.frame) < table.file_rows:
        raise InputError(
            f"{table.source} has {table.file_rows:,} rows, and the free memory is enough for {len(table.frame):,}: "
            "cut it into files of at most that many."
        )


def _check_readable(table: Table, needed: set[str]) -> None:
    for name in sorted(needed - set(table.frame)):
        if (kind := table.kinds.get(name)) in BECAUSE:
            raise InputError(f"Column '{name}' of {table.source} {BECAUSE[kind]}, where labels were in training.")
