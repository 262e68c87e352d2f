"""Two files of predictions and one of true values, as ``compare`` takes them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelgap.audit.comparing import ModelComparison, compare
from kernelgap.audit.statistics.metrics import get_metric
from kernelgap.audit.tables.cells import labels_of
from kernelgap.audit.tables.columns import numbers_of
from kernelgap.audit.tables.notices import named
from kernelgap.audit.tables.question import task_of_numbers
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.audit.tables.table import Table, Task
from kernelgap.errors import InputError, unknown


def compare_files(
    first: str | Path,
    second: str | Path,
    truth: str | Path,
    target: str | None = None,
    *,
    metric: str | None = None,
    group: str | None = None,
    task: str | None = None,
    seed: int = 0,
) -> ModelComparison:
    """Compare files of predictions, whose rows are in the order of the file of the truth.

    A file has one column, or one that is called as the target; scores of classes are columns called as the classes, or
    as 'score CLASS', as ``kernelgap predict`` writes them.
    """
    if task not in (None, "regression", "classification"):
        raise unknown("task", task, ("regression", "classification"))
    true = _read(truth, target, group)
    name = _column(true, target, group)
    decided = _task(true, name) if task is None else task
    asked: Task = "classification" if decided == "classification" else "regression"
    y, known = _values(true, name, asked)
    if not known.all():
        raise InputError(
            f"{truth}: the target '{name}' is missing in {int((~known).sum())} rows: leave them out of all."
        )
    classes = sorted(set(y)) if asked == "classification" else []
    scores = get_metric(metric, asked).needs == "scores"
    asking: Any = (name, asked, [str(one) for one in classes], len(y))
    ours, theirs = (_predictions(one, *asking, scores=scores) for one in (first, second))
    names = Path(first).stem, Path(second).stem
    groups = None if group is None else labels_of(true.frame[group])
    return compare(ours, theirs, y=y, metric=metric, groups=groups, seed=seed, task=asked, names=names)


def _read(path: str | Path, target: str | None, group: str | None = None) -> Table:
    """The file with all of its rows."""
    table = read_table(path, seed=0, labels=() if group is None else (group,), to_learn=False)
    if len(table.frame) < table.file_rows:
        raise InputError(f"{path} has more rows than the memory holds: cut it into parts.")
    for name in (target, group):
        if name is not None and name not in table.frame:
            raise InputError(f"{path} has no usable column '{name}': its columns are {named(list(table.kinds))}.")
    return table


def _column(table: Table, target: str | None, group: str | None = None) -> str:
    """The target, or the only column that is no row number."""
    if target is not None:
        return target
    usable = [name for name in map(str, table.frame) if name != group]
    own = [name for name in usable if table.kinds[name] != "counter"] or usable
    if len(own) != 1:
        raise InputError(f"{table.source} has the columns {named(own)}: name one with --target.")
    return own[0]


def _task(table: Table, name: str) -> Task:
    if table.kinds[name] == "label":
        return "classification"
    values = table.frame[name].to_numpy(dtype=float)
    return task_of_numbers(values[np.isfinite(values)])


def _values(table: Table, name: str, task: Task) -> tuple[np.ndarray, np.ndarray]:
    """The values of a column, and where they are known."""
    if task == "classification":
        labels = labels_of(table.frame[name])
        return labels, ~pd.isna(labels)
    numbers = numbers_of(table.frame[name])[0]
    return numbers, np.isfinite(numbers)


def _predictions(path: str | Path, target: str, task: Task, classes: list[str], rows: int, *, scores: bool) -> Any:
    table = _read(path, None)
    if len(table.frame) != rows:
        raise InputError(f"{path} has {len(table.frame):,} rows and the truth {rows:,}: they must be the same rows.")
    columns = [next((n for n in (f"score {c}", c) if n in table.frame), None) for c in classes] if scores else []
    if scores and all(column is not None for column in columns):
        values: np.ndarray = table.frame[columns].to_numpy(dtype=float)
        return values
    if scores:
        raise InputError(
            f"{path} has no column for each of the classes {named(classes)}, or 'score' before their names."
        )
    name = target if target in table.frame else _column(table, None)
    values, known = _values(table, name, task)
    if not known.all():
        raise InputError(f"{path}: {int((~known).sum())} predictions are missing: give one for each row.")
    return values
