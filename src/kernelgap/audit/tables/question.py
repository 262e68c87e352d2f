"""From a table and the names of its targets to what is asked: features, targets, and what had to be decided."""

import difflib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from kernelgap.audit.tables.cells import labels_of
from kernelgap.audit.tables.columns import BECAUSE
from kernelgap.audit.tables.leaks import find_leaks
from kernelgap.audit.tables.notices import Notice, counted, named
from kernelgap.audit.tables.table import Table, Task
from kernelgap.audit.tables.targets import CLASS_ROWS, Asked, task_of_numbers
from kernelgap.errors import InputError, shown, unknown

ROWS = 30  # to learn from, to choose by and to test on
CLASSES = 1000
DOUBTFUL = {
    "row number": "numbers or names the rows (whole numbers, nearly one a row)",
    "copy": "is a copy of the target, up to scale or naming",
}
REPEATED = 0.01  # of the rows: so many that occur twice are worth a word


@dataclass(frozen=True)
class Question:
    """Features and targets of the rows whose target is known.

    ``features`` has columns of numbers and of labels, with NaN where a value is missing; ``Preparation`` makes numbers
    of them. ``asked.values`` holds numbers (n, targets) or labels (n,).
    """

    features: pd.DataFrame
    asked: Asked
    notices: tuple[Notice, ...]

    @property
    def task(self) -> Task:
        return self.asked.task

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

    Row numbers and copies of the target are left out, unless nothing else is there or they are to be ``keep``-ed.
    """
    if task not in (None, "regression", "classification"):
        raise unknown("task", task, ("regression", "classification"))
    names = _target_names(table, (target,) if isinstance(target, str) else tuple(target))
    for name in leave_out:
        _check_column(table, name, "to leave out")
        if name in names:
            raise InputError(f"'{name}' is the target, it cannot be left out.")
    _check_kept(table, keep, names, leave_out)
    chosen: Task | None = "regression" if task == "regression" else "classification" if task else table.task
    known = table.frame[list(names)].notna().all(axis=1)
    frame = table.frame[known]
    asked, task_notices = _asked(frame, table, names, chosen)
    features = frame.drop(columns=[*names, *(name for name in leave_out if name in frame)])
    _check_features(table, features, names)
    counters = [name for name in map(str, features) if table.kinds[name] == "counter"]
    features, counter_notices = _drop(features, counters, keep, "row number")
    leaks = find_leaks(features, names, asked.values, classes=asked.task == "classification")
    copies = list(dict.fromkeys(leak.column for leak in leaks if leak.copy))
    features, copy_notices = _drop(features, copies, keep, "copy")
    notices = [
        *table.notices,
        *(notice for notice in table.left_out() if notice.where not in leave_out),
        *_unknown_targets(known, names),
        *task_notices,
        *counter_notices,
        *copy_notices,
        *(  # only the user knows whether a column that tells the target may stay
            Notice.of_column(
                "leak",
                leak.column,
                f"{'is a copy of' if leak.copy else 'alone tells'} the target '{leak.target}': leave it out unless it "
                "is known before the target is.",
            )
            for leak in leaks
            if leak.column in features
        ),
        *_repeated_rows(frame),
    ]
    return Question(features, asked, tuple(notices))


def _check_kept(table: Table, keep: Sequence[str], names: tuple[str, ...], leave_out: Sequence[str]) -> None:
    for name in keep:
        _check_column(table, name, "to keep")
        if name in names:
            raise InputError(f"'{name}' is the target, it cannot be kept as a feature.")
        if name in leave_out:
            raise InputError(f"'{name}' is both to be kept and to be left out: give one of the two.")
        if (kind := table.kinds[name]) in BECAUSE:
            raise InputError(f"The column '{name}' {BECAUSE[kind]}: there is nothing in it to keep.")


def _drop(
    features: pd.DataFrame, doubtful: list[str], keep: Sequence[str], what: Literal["row number", "copy"]
) -> tuple[pd.DataFrame, list[Notice]]:
    """The features but for these, and a notice for each; all of them if nothing else would be left."""
    dropped = [name for name in doubtful if name not in keep]
    if len(dropped) == features.shape[1]:
        only = "but nothing else is left to learn from, so it is kept"
        return features, [Notice.of_column(what, name, f"{DOUBTFUL[what]}, {only}.") for name in dropped]
    return features.drop(columns=dropped), [
        Notice.of_column(what, name, f"{DOUBTFUL[what]}; it is left out (--keep {shlex.quote(name)} keeps it).")
        for name in dropped
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


def _asked(frame: pd.DataFrame, table: Table, names: tuple[str, ...], task: Task | None) -> tuple[Asked, list[Notice]]:
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
        return _classes(frame, names), []
    values = frame[list(names)].to_numpy(dtype=float)
    decided = task or (task_of_numbers(values) if len(names) == 1 else "regression")
    if decided == "regression":
        return Asked(names, "regression", values), []
    asked = _classes(frame, names)
    sentence = f"The target '{names[0]}' has {len(asked.classes)} distinct values: classes, unless regression is asked."
    return asked, [] if task else [Notice("task", names[0], sentence)]


def _classes(frame: pd.DataFrame, names: tuple[str, ...]) -> Asked:
    labels = labels_of(frame[names[0]])
    counts = pd.Series(labels).value_counts()
    if len(counts) > min(CLASSES, len(labels) / 2):
        raise InputError(
            f"The target '{names[0]}' has {len(counts)} classes in {len(labels)} rows, too many to learn: group them, "
            "or ask for regression if they are numbers."
        )
    if small := [str(name) for name, count in counts.items() if count < CLASS_ROWS]:
        what = "a single row" if (counts == 1).any() else f"fewer than {CLASS_ROWS}"
        raise InputError(
            f"Target '{names[0]}': a class needs {CLASS_ROWS} rows, to learn, to choose and to test, and {what} is all "
            f"that there is of {named(small)}: leave those rows out, or group classes."
        )
    return Asked(names, "classification", labels, tuple(sorted(map(str, counts.index), key=_natural)))


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


def _unknown_targets(known: pd.Series, names: tuple[str, ...]) -> list[Notice]:
    count = int((~known).sum())
    if not count:
        return []
    sentence = f"The target {named(names)} is missing in {counted(count, 'row')} of {len(known):,}: left out."
    return [Notice("missing target", names[0], sentence)]


def _repeated_rows(frame: pd.DataFrame) -> list[Notice]:
    count = int(frame.duplicated().sum())
    if count < REPEATED * len(frame):
        return []
    sentence = f"{counted(count, 'row')} of {len(frame):,} repeat another: training and test data will share some."
    return [Notice("repeated rows", "rows", sentence)]
