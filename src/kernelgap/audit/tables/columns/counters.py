"""Columns of whole numbers that number or name the rows: saved indices, row numbers, keys."""

import re

import numpy as np

DISTINCT = 0.95  # of the rows: a key may have some repeats
ROOM = 1.5  # times the rows: the range of numbers that are given out one by one, some of them lost
ROWS = 30  # fewer do not tell
SURE = 20.0  # minus the logarithm of the chance that draws from a range are all distinct
_KEY = {"id", "ids", "uid", "uuid", "guid", "pk", "key", "rowid", "rowname", "rownames", "rownum", "rownumber"}
_NAMELESS = re.compile(r"column_1|Unnamed: 0|__index_level_0__")


def counts_rows(name: str, values: np.ndarray, places: np.ndarray, rows: int) -> bool:
    """Whether whole numbers only say which row it is.

    ``places`` are the rows' places in a file of ``rows`` rows, of which some may have been drawn. Any of these will do:
    the number is a whole multiple of the place, from some start; the numbers fill their range, in whatever order, where
    draws from that range would repeat; the column is called a key, and nearly each row has a number of its own. Whole
    numbers that are measured repeat, or lie far apart. So do counts and years, unless there is one a row.
    """
    if len(values) < 3 or not np.isfinite(values).all() or (values != np.round(values)).any():
        return False
    if len(values) < ROWS and not _NAMELESS.fullmatch(name):
        return False
    if _steady(values, places):
        return True
    if len(values) < ROWS or len(np.unique(values)) < DISTINCT * len(values):
        return False
    span = float(np.ptp(values)) + 1
    drawn = len(values) < rows
    filled = span <= ROOM * rows and (not drawn or len(values) ** 2 / (2 * span) >= SURE)
    return filled or _is_key(name)


def _steady(values: np.ndarray, places: np.ndarray) -> bool:
    """Whether it is an arithmetic progression over the places."""
    step = (values[1] - values[0]) / (places[1] - places[0])
    return bool(step != 0 and (values - values[0] == step * (places - places[0])).all())


def _is_key(name: str) -> bool:
    """Whether one of its words, such as the last of customer_id, PassengerId or ``row names``, says so."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", name)
    lower = [word.lower() for word in words]
    return bool(lower) and (lower[0] in _KEY or lower[-1] in _KEY or "".join(lower) in _KEY)
