"""What a column holds: numbers, labels, row numbers, or something that is left out (dates, free text, the rest)."""

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

import numpy as np
import pandas as pd

from kernelgap.audit.tables.columns.cells import is_absent
from kernelgap.audit.tables.columns.numerals import is_nothing

Kind = Literal["number", "label", "date", "text", "empty", "counter", "other"]

USED: tuple[Kind, ...] = ("number", "label", "counter")  # of which counters are left out unless they are kept
BECAUSE: dict[Kind, str] = {
    "date": "holds dates or times",
    "text": "is free text or names its rows (nearly every row has a value of its own)",
    "empty": "is empty",
    "other": "holds neither numbers nor labels",
}

FEW = 20  # distinct texts that are labels even in a short table
TEXT_SHARE = 0.5  # of the rows: more distinct texts than that are free text
WORDS = 6  # on average from here on, texts are sentences
DATE_SHARE = 0.95
_DATE = re.compile(
    r"([0-9]{4}[-/.][0-9]{1,2}([-/.][0-9]{1,2})?|[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2}))([T ,].*)?"
    r"|[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?[ap]m)?"
    r"|[0-9]{1,2}[- ][a-z]{3,9}[- ][0-9]{2,4}|[a-z]{3,9} [0-9]{1,2},? [0-9]{4}",
    re.IGNORECASE,
)
_NUMBERS = (int, float, Decimal, np.integer, np.floating, np.bool_)
_BOOLEANS = ({"true", "false"}, {"t", "f"})

KEY_DISTINCT = 0.95  # of the rows: a key may have some repeats
KEY_RANGE = 1.5  # times the rows: the range of numbers that are given out one by one, some of them lost
KEY_ROWS = 30  # fewer do not tell
KEY_SURE = 20.0  # minus the logarithm of the chance that draws from a range are all distinct
_KEY_NAMES = {"id", "ids", "uid", "uuid", "guid", "pk", "key", "rowid", "rowname", "rownames", "rownum", "rownumber"}
_NAMELESS = re.compile(r"column_1|Unnamed: 0|__index_level_0__")


def kind_of_texts(texts: Sequence[str], counts: np.ndarray) -> Kind:
    """The kind of a column of texts that are no numbers, from its distinct texts and how often each occurs."""
    rows = int(counts.sum())
    if not rows:
        return "empty"
    dated = np.array([bool(_DATE.fullmatch(text)) for text in texts], dtype=bool)
    if counts[dated].sum() >= DATE_SHARE * rows:
        return "date"
    words = float(np.average([len(text.split()) for text in texts], weights=counts))
    distinct = len(texts)
    own = distinct == rows and rows > 2
    if own or (distinct > FEW and (distinct > TEXT_SHARE * rows or words >= WORDS)):
        return "text"
    return "label"


def booleans(texts: Sequence[str]) -> np.ndarray | None:
    """1 and 0 for true and false, where the texts are nothing else; NaN for none."""
    lower = [text.lower() for text in texts]
    present = {text for text in lower if not is_nothing(text)}
    if present and any(present <= pair for pair in _BOOLEANS):
        return np.array([np.nan if is_nothing(text) else text.startswith("t") for text in lower], dtype=float)
    return None


def are_codes(texts: Sequence[str]) -> bool:
    """Whether digits name things: all of one length, some with a leading zero, as postal codes are."""
    return (
        len({len(text) for text in texts}) == 1
        and all(text.isascii() and text.isdigit() for text in texts)
        and len(texts[0]) > 1
        and any(text.startswith("0") for text in texts)
    )


def kind_of_typed(column: pd.Series) -> Kind | None:
    """The kind of a column that came with a type; None where only its values tell."""
    types = pd.api.types
    if isinstance(column.dtype, pd.CategoricalDtype | pd.StringDtype):
        return None
    if types.is_complex_dtype(column.dtype):
        return "other"
    if types.is_bool_dtype(column.dtype) or types.is_numeric_dtype(column.dtype):
        return "number"
    if types.is_datetime64_any_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype):
        return "date"
    if isinstance(column.dtype, pd.PeriodDtype):
        return "date"
    return _kind_of_objects([value for value in column if not is_absent(value)])


def _kind_of_objects(values: Sequence[object]) -> Kind | None:
    if not values:
        return "empty"
    if all(isinstance(value, datetime.date | datetime.time | datetime.timedelta) for value in values):
        return "date"
    if all(isinstance(value, _NUMBERS) for value in values):
        return "number"
    return None if all(isinstance(value, (str, *_NUMBERS)) for value in values) else "other"


def counts_rows(name: str, values: np.ndarray, places: np.ndarray, rows: int) -> bool:
    """Whether whole numbers only say which row it is.

    ``places`` are the rows' places in a file of ``rows`` rows, of which some may have been drawn. Any of these will do:
    the number is a whole multiple of the place, from some start; the numbers fill their range, in whatever order, where
    draws from that range would repeat; the column is called a key, and nearly each row has a number of its own. Whole
    numbers that are measured repeat, or lie far apart. So do counts and years, unless there is one a row.
    """
    if len(values) < 3 or not np.isfinite(values).all() or (values != np.round(values)).any():
        return False
    if len(values) < KEY_ROWS and not _NAMELESS.fullmatch(name):
        return False
    if _steady(values, places):
        return True
    if len(values) < KEY_ROWS or len(np.unique(values)) < KEY_DISTINCT * len(values):
        return False
    span = float(np.ptp(values)) + 1
    drawn = len(values) < rows
    filled = span <= KEY_RANGE * rows and (not drawn or len(values) ** 2 / (2 * span) >= KEY_SURE)
    return filled or _is_key(name)


def _steady(values: np.ndarray, places: np.ndarray) -> bool:
    """Whether it is an arithmetic progression over the places."""
    step = (values[1] - values[0]) / (places[1] - places[0])
    return bool(step != 0 and (values - values[0] == step * (places - places[0])).all())


def _is_key(name: str) -> bool:
    """Whether one of its words, such as the last of customer_id, PassengerId or ``row names``, says so."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", name)]
    return bool(words) and not _KEY_NAMES.isdisjoint((words[0], words[-1], "".join(words)))
