"""From raw columns to numbers and labels; dates, free text and row numbers are recognised and left out."""

import datetime
import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Literal

import numpy as np
import pandas as pd

from kernelgap.audit.tables.cells import (
    NOTHING,
    Numerals,
    distinct_texts,
    floats_of,
    is_absent,
    plain_numbers,
    read_numerals,
    spread,
)
from kernelgap.audit.tables.notices import Notice, counted, named

Kind = Literal["number", "label", "date", "text", "empty", "counter", "other"]
Values = np.ndarray  # float64 with NaN where missing, or texts with None

USED: tuple[Kind, ...] = ("number", "label", "counter")  # of which counters are left out unless they are kept
BECAUSE: dict[Kind, str] = {
    "date": "holds dates or times",
    "text": "is free text or names its rows (nearly every row has a value of its own)",
    "empty": "is empty",
    "other": "holds neither numbers nor labels",
}

LARGEST = 1e100  # squares and sums of anything larger leave the range of float64
EXACT = 2.0**53  # integers beyond are rounded
MOSTLY = 0.9  # of the values must be numbers in a column of numbers
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

KEY_PRESENT = 0.95  # of the rows: some numbers may be missing
KEY_GROUPS = 0.45  # of the rows: a column that is called a key may have each number twice
KEY_DISTINCT = 0.95  # of the rows: a key may have some repeats
KEY_RANGE = 1.5  # times the rows: the range of numbers that are given out one by one, some of them lost
KEY_ROWS = 30  # fewer do not tell
KEY_SURE = 20.0  # minus the logarithm of the chance that draws from a range are all distinct
_KEY_NAMES = {"id", "ids", "uid", "uuid", "guid", "pk", "key", "idx", "index", "serial"} | {
    f"{what}{number}"
    for what in ("row", "case", "record", "serial")
    for number in ("id", "name", "names", "num", "number")
}
_NAMELESS = re.compile(r"column_1|Unnamed: 0|__index_level_0__")


def interpret(
    raw: pd.DataFrame,
    *,
    comma_first: bool = False,
    labels: Collection[str] = (),
    texts: Collection[str] = (),
    numbers: Collection[str] = (),
    rows: int | None = None,
) -> tuple[pd.DataFrame, dict[str, Kind], list[Notice]]:
    """(usable columns, the kind of every column, notices).

    Columns in ``labels`` and ``texts`` (dates, too) stay texts and columns in ``numbers`` become numbers, whatever they
    hold. The index has the
    places in the file, of whose ``rows`` these may be a sample.
    """
    kinds: dict[str, Kind] = {}
    columns: dict[str, Values] = {}
    notices: list[Notice] = []
    for name in raw.columns:
        if name in texts:
            codes, distinct = distinct_texts(raw[name])
            kinds[name], values = "label", spread(np.array(distinct, dtype=object), codes)
            new: list[Notice] = []
        elif name in numbers:
            kinds[name] = "number"
            values, new = numbers_of(raw[name], comma_first=comma_first)
        else:
            kinds[name], values, new = _column(raw[name], comma_first=comma_first, as_label=name in labels)
            if kinds[name] == "number" and _counts_rows(name, values, raw.index.to_numpy(), rows or len(raw)):
                kinds[name] = "counter"
        if kinds[name] in USED:
            columns[name] = values
        notices += new
    return pd.DataFrame(columns, index=raw.index), kinds, notices


def numbers_of(column: pd.Series, *, comma_first: bool = False) -> tuple[Values, list[Notice]]:
    """A column that is to hold numbers; anything else in it counts as missing, with a notice."""
    kind, values, notices = _column(column, comma_first=comma_first, as_label=False)
    if kind == "number" or notices:  # of numbers that all count as missing
        return values, notices
    codes, texts = distinct_texts(column)
    return _numbers(str(column.name), texts, codes, read_numerals(texts, comma_first=comma_first))


def _column(column: pd.Series, *, comma_first: bool, as_label: bool) -> tuple[Kind, Values, list[Notice]]:
    kind = _kind_of_typed(column)
    if kind not in (None, "number") and not (as_label and kind == "empty"):
        return kind, np.empty(0), []
    if not as_label:
        numbers = floats_of(column) if kind == "number" else plain_numbers(column)
        if numbers is not None:
            return _number_or_empty(*_bounded(str(column.name), numbers))
    codes, texts = distinct_texts(column)
    cells = spread(np.array(texts, dtype=object), codes)
    if as_label or (texts and isinstance(column.dtype, pd.CategoricalDtype)):
        return "label", cells, []
    if (binary := _booleans(texts)) is not None:
        return "number", spread(binary, codes), []
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    present = [text for text in texts if text.lower() not in NOTHING]
    if present and not _are_codes(present):
        numerals = read_numerals(texts, comma_first=comma_first)
        if _are_numbers(numerals, counts):
            return _number_or_empty(*_numbers(str(column.name), texts, codes, numerals))
    return _kind_of_texts(texts, counts), cells, []


def _number_or_empty(values: Values, notices: list[Notice]) -> tuple[Kind, Values, list[Notice]]:
    return ("empty" if np.isnan(values).all() else "number"), values, notices


def _are_numbers(numerals: Numerals, counts: np.ndarray) -> bool:
    """All of them, or nearly all and too many to be labels."""
    foreign = numerals.foreign
    return not foreign.any() or ((~foreign).sum() > FEW and counts[~foreign].sum() >= MOSTLY * counts.sum())


def _numbers(name: str, texts: list[str], codes: np.ndarray, numerals: Numerals) -> tuple[Values, list[Notice]]:
    notices = []
    if numerals.style != "point":
        example = next(text for text in texts if "," in text)
        meaning = "a decimal comma" if numerals.style == "comma" else "commas between thousands"
        notices.append(Notice.of_column("decimals", name, f"is read with {meaning}, as in '{example}'."))
    if nothing := [i for i, text in enumerate(texts) if text.lower() in NOTHING]:
        where = counted(int(np.isin(codes, nothing).sum()), "row")
        text = f"holds numbers, and '{texts[nothing[0]]}' in {where}: taken as missing."
        notices.append(Notice.of_column("not numbers", name, text))
    if numerals.foreign.any():
        rows = int(np.append(numerals.foreign, False)[codes].sum())
        some = named([texts[i] for i in np.flatnonzero(numerals.foreign)[:2]])
        text = f"holds numbers, except {counted(rows, 'value')} such as {some}: taken as missing."
        notices.append(Notice.of_column("not numbers", name, text))
    values, more = _bounded(name, spread(numerals.values, codes))
    return values, notices + more


def _bounded(name: str, values: Values) -> tuple[Values, list[Notice]]:
    """Infinite values, and those too large to be squared and summed, count as missing."""
    notices = []
    large = np.abs(values) > LARGEST  # NaN is not
    if large.any():
        text = f"has {counted(int(large.sum()), 'value')} infinite or beyond {LARGEST:g}: taken as missing."
        notices.append(Notice.of_column("infinite", name, text))
        values = np.where(large, np.nan, values)
    if ((np.abs(values) > EXACT) & (values == np.round(values))).any():
        text = "has whole numbers beyond 2^53, rounded to 16 digits: are they names?"
        notices.append(Notice.of_column("rounded", name, text))
    return values, notices


def _kind_of_typed(column: pd.Series) -> Kind | None:
    """The kind of a column that came with a type; None where only its values tell."""
    types, dtype = pd.api.types, column.dtype
    if isinstance(dtype, pd.CategoricalDtype | pd.StringDtype):
        return None
    if types.is_complex_dtype(dtype):
        return "other"
    if types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype):
        return "number"
    dated = types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype)
    if dated or isinstance(dtype, pd.PeriodDtype):
        return "date"
    values = [value for value in column if not is_absent(value)]
    if not values:
        return "empty"
    if all(isinstance(value, datetime.date | datetime.time | datetime.timedelta) for value in values):
        return "date"
    if all(isinstance(value, _NUMBERS) for value in values):
        return "number"
    return None if all(isinstance(value, (str, *_NUMBERS)) for value in values) else "other"


def _kind_of_texts(texts: Sequence[str], counts: np.ndarray) -> Kind:
    """The kind of a column of texts that are no numbers, from its distinct texts and how often each occurs."""
    rows, distinct = int(counts.sum()), len(texts)
    if not rows:
        return "empty"
    dated = np.array([bool(_DATE.fullmatch(text)) for text in texts], dtype=bool)
    if counts[dated].sum() >= DATE_SHARE * rows:
        return "date"
    words = float(np.average([len(text.split()) for text in texts], weights=counts))
    own = distinct == rows and rows > 2
    free_text = own or (distinct > FEW and (distinct > TEXT_SHARE * rows or words >= WORDS))
    return "text" if free_text else "label"


def _booleans(texts: Sequence[str]) -> np.ndarray | None:
    """1 and 0 for true and false, where the texts are nothing else; NaN for none."""
    lower = [text.lower() for text in texts]
    present = set(lower) - NOTHING
    if present and any(present <= pair for pair in _BOOLEANS):
        return np.array([np.nan if text in NOTHING else text.startswith("t") for text in lower], dtype=float)
    return None


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether digits name things: all of one length, some with a leading zero, as postal codes are."""
    return (
        len({len(text) for text in texts}) == 1
        and all(text.isascii() and text.isdigit() for text in texts)
        and len(texts[0]) > 1
        and any(text.startswith("0") for text in texts)
    )


def _counts_rows(name: str, values: np.ndarray, places: np.ndarray, rows: int) -> bool:
    """Whether numbers only say which row it is, those that are there.

    ``places`` are the rows' places in a file of ``rows`` rows, of which some may have been drawn. Any of these will do:
    the number is a whole multiple of the place, from some start; the numbers fill their range, in whatever order, where
    draws from that range would repeat; whole numbers rise, or fall, with every row; the column is called a key, and its
    numbers are multiples of the place, or nearly each row or pair of rows has a whole number of its own. Whole numbers
    that are measured repeat, or lie far apart and out of order. So do counts and years, unless there is one a row. Of
    columns with other names, multiples that are not whole may be a grid at which something was measured.
    """
    present = np.isfinite(values)
    if present.sum() < max(3, KEY_PRESENT * len(values)):
        return False
    values, places, key = values[present], places[present], _is_key(name)
    if len(values) < KEY_ROWS and not _NAMELESS.fullmatch(name):
        return False
    whole = bool((values == np.round(values)).all())
    if (whole or key or _NAMELESS.fullmatch(name)) and _is_line(values, places):
        return True
    distinct = len(np.unique(values))
    if not whole or len(values) < KEY_ROWS:
        return False
    if distinct < KEY_DISTINCT * len(values):
        return key and distinct >= KEY_GROUPS * len(values)
    span = float(np.ptp(values)) + 1
    drawn = len(values) < KEY_PRESENT * rows
    filled = span <= KEY_RANGE * rows and (not drawn or len(values) ** 2 / (2 * span) >= KEY_SURE)
    steps = np.diff(values)
    return filled or key or bool((steps > 0).all() or (steps < 0).all())


def _is_line(values: np.ndarray, places: np.ndarray) -> bool:
    """Whether all values lie on a line over their places that is not flat, as far as float64 tells."""
    step = (values[-1] - values[0]) / (places[-1] - places[0])
    off = np.abs(values - values[0] - step * (places - places[0]))
    return bool(step != 0 and (off <= 8 * np.finfo(float).eps * np.abs(values).max()).all())


def _is_key(name: str) -> bool:
    """Whether one of its words, such as the last of customer_id, PassengerId or ``row names``, says so."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", name)]
    return bool(words) and not _KEY_NAMES.isdisjoint((words[0], words[-1], "".join(words)))
