"""What a column holds: numbers, labels, row numbers, or something that is left out (dates, free text, the rest)."""

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

import numpy as np
import pandas as pd

from kernelgap.audit.tables.columns.cells import absent
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
_TRUTHS = ({"true", "false"}, {"t", "f"})


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


def truths(texts: Sequence[str]) -> np.ndarray | None:
    """1 and 0 for true and false, where the texts are nothing else; NaN for none."""
    lower = [text.lower() for text in texts]
    said = {text for text in lower if not is_nothing(text)}
    if said and any(said <= pair for pair in _TRUTHS):
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
    if types.is_bool_dtype(column.dtype) and not isinstance(column.dtype, pd.CategoricalDtype):
        return "number"
    if types.is_complex_dtype(column.dtype):
        return "other"
    if types.is_numeric_dtype(column.dtype):
        return "number"
    if types.is_datetime64_any_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype):
        return "date"
    if isinstance(column.dtype, pd.PeriodDtype):
        return "date"
    if isinstance(column.dtype, pd.CategoricalDtype | pd.StringDtype):
        return None
    return _kind_of_objects([value for value in column if not absent(value)])


def _kind_of_objects(values: Sequence[object]) -> Kind | None:
    if not values:
        return "empty"
    if all(isinstance(value, datetime.date | datetime.time | datetime.timedelta) for value in values):
        return "date"
    if all(isinstance(value, _NUMBERS) for value in values):
        return "number"
    return None if all(isinstance(value, (str, *_NUMBERS)) for value in values) else "other"
