"""Columns that say which rows belong together, or when a row was: they split the rows and are not learned from."""

import numpy as np
import pandas as pd

from kernelgap.audit.tables.cells import read_numerals
from kernelgap.audit.tables.notices import counted
from kernelgap.audit.tables.question import Question
from kernelgap.audit.tables.table import Table
from kernelgap.errors import InputError


def rows_apart(
    table: Table, question: Question, *, group: str | None, time: str | None
) -> dict[str, np.ndarray | None]:
    """The numbers of the rows' groups, and their times; None for what is not asked. A table is split by one of them."""
    if group is not None and time is not None:
        raise InputError("Rows are put aside by --group or by --time: give one of the two.")
    if group in question.names or time in question.names:
        raise InputError(f"'{group or time}' is the target: rows cannot be put aside by it.")
    return {
        "groups": None if group is None else _groups(table.frame.loc[question.features.index, group]),
        "times": None if time is None else _times(table.frame.loc[question.features.index, time]),
    }


def _groups(labels: pd.Series) -> np.ndarray:
    """A number for each label; a row without one is a group by itself."""
    codes, distinct = pd.factorize(labels.to_numpy())
    alone = codes < 0
    codes[alone] = len(distinct) + np.arange(alone.sum())
    return codes.astype(np.int64)


def _times(texts: pd.Series) -> np.ndarray:
    """Numbers in the order of time, from numbers or from dates."""
    codes, distinct = pd.factorize(texts.to_numpy())
    if (codes < 0).any():
        raise InputError(
            f"The time '{texts.name}' is missing in {counted(int((codes < 0).sum()), 'row')}: leave them out."
        )
    given = [str(text) for text in distinct]
    numerals = read_numerals(given, comma_first=False)
    if not np.isnan(numerals.values).any():
        return np.asarray(numerals.values[codes])
    dates = pd.to_datetime(pd.Series(given), errors="coerce", format="mixed", utc=True)
    if dates.isna().any():
        raise InputError(
            f"The time '{texts.name}' holds {given[int(dates.isna().argmax())]!r}, which is no date: use ISO dates."
        )
    seconds: np.ndarray = dates.astype("int64").to_numpy().astype(float)
    return seconds[codes]
