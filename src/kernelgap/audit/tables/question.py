"""From a table and the names of its targets to a question: features, targets, task and notices."""

import difflib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from kernelgap.audit.tables.cells import labels_of
from kernelgap.audit.tables.columns import BECAUSE
from kernelgap.audit.tables.leaks import find_leaks
from kernelgap.audit.tables.notices import Notice, counted, named
from kernelgap.audit.tables.table import Table, Task
from kernelgap.errors import InputError, shown, unknown

ROWS = 30  # to learn from, to choose by and to test on
CLASSES = 1000
FEW_VALUES = 20  # the most distinct whole numbers that are taken as classes ...
ROWS_EACH = 5  # ... with at least this number of rows for each, on average
CLASS_ROWS = 3  # one to learn from, one to choose by, one to test on
ROW_NUMBER = "numbers or names the rows (whole numbers, nearly one a row)"
REPEATED = 0.01  # of the rows: from this share of repeated rows on there is a notice


@dataclass(frozen=True)
class Question:
    """Features and targets of the rows whose target is known.

    ``features`` has columns of numbers and of labels, with NaN where a value is missing; ``Preparation`` makes numbers
    of them. ``values`` are the targets called ``names``: numbers (n, targets) or labels (n,).
    """

    features: pd.DataFrame
    names: tuple[str, ...]
    task: Task
    values: np.ndarray
    classes: tuple[str, ...]
    notices: tuple[Notice, ...]

    @property
    def rows(self) -> int:
        return len(self.features)


def pose(
    table: Table,
    target: str | Sequence[str] = (),
    *,
    task: str | None = None,
    leave_out: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> Question:
    """The question that a table asks; an InputError says why it asks none.

    Labels and booleans are classes. So are numbers with two distinct values, and whole numbers with at most 20 distinct
    values and at least 5 rows for each of them on average; ``task`` overrules it. Several targets are numbers.

    Row numbers, and columns that are the target in disguise, are left out, unless nothing else is there or they are to
    be ``keep``-ed.
    """
    if task not in (None, "regression", "classification"):
        raise unknown("task", task, ("regression", "classification"))
    names = _target_names(table, (target,) if isinstance(target, str) else tuple(target))
    _check_options(table, names, leave_out, keep)
    given: Task | None = "regression" if task == "regression" else "classification" if task else table.task
    known = table.frame[list(names)].notna().all(axis=1)
    frame = table.frame[known]
    decided, task_notices = _task(frame, table, names, given)
    if decided == "classification":
        values, classes = _classes(frame[names[0]])
    else:
        values, classes = frame[list(names)].to_numpy(dtype=float), ()
    features = frame.drop(columns=[*names, *(name for name in leave_out if name in frame)])
    _check_features(table, features, names)
    counters = {name: ROW_NUMBER for name in map(str, features) if table.kinds[name] == "counter"}
    features, counter_notices = _drop(features, counters, keep, "row number")
    leaks = find_leaks(features, names, values, classes=decided == "classification")
    features, copy_notices = _drop(features, {leak.column: leak.text for leak in leaks}, keep, "copy")
    notices = [*table.notices, *(notice for notice in table.left_out() if notice.where not in leave_out)]
    if missing := int((~known).sum()):
        sentence = f"The target {named(names)} is missing in {counted(missing, 'row')} of {len(known):,}: left out."
        notices.append(Notice("missing target", names[0], sentence))
    notices += [*task_notices, *counter_notices, *copy_notices]
    for leak in leaks:
        if leak.column in keep:
            text = f"{leak.text} ('{leak.target}'): keep it only if it is known before the target is."
            notices.append(Notice.of_column("leak", leak.column, text))
    if (repeats := int(frame.duplicated().sum())) >= REPEATED * len(frame):
        share = f"{counted(repeats, 'row')} of {len(frame):,} repeat another"
        notices.append(Notice("repeated rows", "rows", f"{share}: training and test data will share some."))
    return Question(features, names, decided, values, classes, tuple(notices))


def _check_options(table: Table, names: tuple[str, ...], leave_out: Sequence[str], keep: Sequence[str]) -> None:
    for name in leave_out:
        _check_column(table, name, "to leave out")
        if name in names:
            raise InputError(f"'{name}' is the target, it cannot be left out.")
    for name in keep:
        _check_column(table, name, "to keep")
        if name in names:
            raise InputError(f"'{name}' is the target, it cannot be kept as a feature.")
        if name in leave_out:
            raise InputError(f"'{name}' is both to be kept and to be left out: give one of the two.")
        if (kind := table.kinds[name]) in BECAUSE:
            raise InputError(f"The column '{name}' {BECAUSE[kind]}: there is nothing in it to keep.")


def _drop(
    features: pd.DataFrame, doubtful: Mapping[str, str], keep: Sequence[str], what: Literal["row number", "copy"]
) -> tuple[pd.DataFrame, list[Notice]]:
    """The features but for these, each with what is wrong with it, and notices; all of them if no other is left."""
    dropped = {name: text for name, text in doubtful.items() if name not in keep}
    if len(dropped) == features.shape[1]:
        only = "but nothing else is left to learn from, so it is kept"
        return features, [Notice.of_column(what, name, f"{text}, {only}.") for name, text in dropped.items()]
    return features.drop(columns=list(dropped)), [
        Notice.of_column(what, name, f"{text}; it is left out (--keep {shlex.quote(name)} keeps it).")
        for name, text in dropped.items()
    ]


def _target_names(table: Table, given: tuple[str, ...]) -> tuple[str, ...]:
    names = given or table.targets
    if not names:
        raise InputError(f"Name the target, one of the columns {named(list(table.kinds))}.")
    for name in names:
        _check_column(table, name, "for the target")
        if name in table.repeated:
            raise InputError(f"{table.source} has several columns called '{name}': rename all but the target.")
        if (kind := table.kinds[name]) in BECAUSE:
            raise InputError(f"The target '{name}' {BECAUSE[kind]}: give a column of numbers or of classes.")
    if len(set(names)) < len(names):
        raise InputError(f"A target is named twice: {named(names)}.")
    if len(names) > 1 and (labels := [name for name in names if table.kinds[name] == "label"]):
        raise InputError(f"Several targets must be numbers, and {named(labels)} holds labels: ask for one at a time.")
    return names


def _check_column(table: Table, name: str, purpose: str) -> None:
    if name in table.kinds:
        return
    lower = {column.lower(): column for column in table.kinds}
    near = difflib.get_close_matches(name.lower(), list(lower), n=1, cutoff=0.5)
    hint = f"Did you mean '{lower[near[0]]}'?" if near else f"Its columns: {named(list(table.kinds))}."
    raise InputError(f"{table.source} has no column '{name}' {purpose}. {hint}")


def _task(frame: pd.DataFrame, table: Table, names: tuple[str, ...], task: Task | None) -> tuple[Task, list[Notice]]:
    """The task, if the targets allow it, and a notice where it was not given and may surprise."""
    if len(frame) < ROWS:
        where = f"with a known target {named(names)}" if len(frame) < len(table.frame) else "in all"
        raise InputError(f"{table.source} has {counted(len(frame), 'row')} {where}: an audit needs at least {ROWS}.")
    labelled = table.kinds[names[0]] == "label"
    if labelled and task == "regression":
        raise InputError(f"The target '{names[0]}' holds labels, and regression needs numbers: ask for classification.")
    if len(names) > 1 and task == "classification":
        raise InputError(f"Classification takes one target, not {len(names)}: name one of {named(names)}.")
    for name in names:
        if frame[name].nunique() == 1:
            what = "a single class" if labelled or task == "classification" else "constant"
            value = frame[name].iloc[0]
            always = shown(value) if isinstance(value, str) else value
            raise InputError(f"The target '{name}' is {what}, always {always}: there is nothing to learn.")
    if labelled:
        return "classification", []
    values = frame[names[0]].to_numpy(dtype=float)
    if task or len(names) > 1 or task_of_numbers(values) == "regression":
        return task or "regression", []
    count = len(np.unique(values))
    sentence = f"The target '{names[0]}' has {count} distinct values: classes, unless regression is asked."
    return "classification", [Notice("task", names[0], sentence)]


def task_of_numbers(values: np.ndarray) -> Task:
    """Two values, or few whole numbers with many rows each, are classes; anything else is a quantity."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) == 2:
        return "classification"
    integers = bool((distinct == np.round(distinct)).all())
    few = len(distinct) <= FEW_VALUES and len(values) >= ROWS_EACH * len(distinct) and counts.min() >= CLASS_ROWS
    return "classification" if integers and few else "regression"


def _classes(target: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """The labels of the rows, and the classes in their natural order."""
    labels = labels_of(target)
    counts = pd.Series(labels).value_counts()
    if len(counts) > min(CLASSES, len(labels) / 2):
        raise InputError(
            f"The target '{target.name}' has {len(counts)} classes in {len(labels)} rows, too many to learn: group "
            "them, or ask for regression if they are numbers."
        )
    if small := [str(name) for name, count in counts.items() if count < CLASS_ROWS]:
        what = "a single row" if (counts == 1).any() else f"fewer than {CLASS_ROWS}"
        raise InputError(
            f"Target '{target.name}': a class needs {CLASS_ROWS} rows, to learn, to choose and to test, and {what} is "
            f"all that there is of {named(small)}: leave those rows out, or group classes."
        )
    return labels, tuple(sorted(map(str, counts.index), key=_natural))


def _natural(name: str) -> tuple[float, str]:
    """Numbers by size, then names by letters."""
    try:
        size = float(name)
    except ValueError:
        return np.inf, name
    return (size if np.isfinite(size) else np.inf), name


def _check_features(table: Table, features: pd.DataFrame, names: tuple[str, ...]) -> None:
    if features.shape[1] == 0:
        others = [name for name in table.kinds if name not in names]
        why = f"{named(others)} cannot be used" if others else "there is none beside the target"
        raise InputError(f"{table.source} has no column to learn from: {why}.")
    if all(features[name].nunique(dropna=False) == 1 for name in features):
        raise InputError(f"{table.source} has no column to learn from: all are constant ({named(list(features))}).")
