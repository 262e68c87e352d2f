"""From raw columns to numbers and labels, with a notice for whatever had to be decided."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from kernelgap.audit.tables.columns.cells import distinct_texts, floats_of, plain_numbers, spread
from kernelgap.audit.tables.columns.kinds import (
    FEW,
    USED,
    Kind,
    are_codes,
    booleans,
    counts_rows,
    kind_of_texts,
    kind_of_typed,
)
from kernelgap.audit.tables.columns.numerals import Numerals, is_nothing, read_numerals
from kernelgap.audit.tables.notices import Notice, counted, named

LARGEST = 1e100  # squares and sums of anything larger leave the range of float64
EXACT = 2.0**53  # integers beyond are rounded
MOSTLY = 0.9  # of the values: a column with so many numbers is one of numbers

Values = np.ndarray  # float64 with NaN where missing, or texts with None


def interpret(
    raw: pd.DataFrame,
    *,
    comma_first: bool = False,
    labels: Collection[str] = (),
    numbers: Collection[str] = (),
    rows: int | None = None,
) -> tuple[pd.DataFrame, dict[str, Kind], list[Notice]]:
    """(usable columns, the kind of every column, notices).

    Columns in ``labels`` stay texts and columns in ``numbers`` become numbers, whatever they hold. The index has the
    places in the file, of whose ``rows`` these may be a sample.
    """
    kinds: dict[str, Kind] = {}
    columns: dict[str, Values] = {}
    notices: list[Notice] = []
    for name in raw.columns:
        if name in numbers:
            kinds[name] = "number"
            values, new = numbers_of(raw[name], comma_first=comma_first)
        else:
            kinds[name], values, new = _column(raw[name], comma_first=comma_first, as_label=name in labels)
            if kinds[name] == "number" and counts_rows(name, values, raw.index.to_numpy(), rows or len(raw)):
                kinds[name] = "counter"
        if kinds[name] in USED:
            columns[name] = values
            notices += new
    return pd.DataFrame(columns, index=raw.index), kinds, notices


def numbers_of(column: pd.Series, *, comma_first: bool = False) -> tuple[Values, list[Notice]]:
    """A column that is to hold numbers, whatever came: what is none is missing, with a notice."""
    kind, values, notices = _column(column, comma_first=comma_first, as_label=False)
    if kind == "number":
        return values, notices
    codes, texts = distinct_texts(column)
    return _numbers(str(column.name), texts, codes, read_numerals(texts, comma_first=comma_first))


def _column(column: pd.Series, *, comma_first: bool, as_label: bool) -> tuple[Kind, Values, list[Notice]]:
    kind = kind_of_typed(column)
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
    if (binary := booleans(texts)) is not None:
        return "number", spread(binary, codes), []
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    present = [text for text in texts if not is_nothing(text)]
    if present and not are_codes(present):
        numerals = read_numerals(texts, comma_first=comma_first)
        if _are_numbers(numerals, counts):
            return _number_or_empty(*_numbers(str(column.name), texts, codes, numerals))
    return kind_of_texts(texts, counts), cells, []


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
        notices.append(Notice("decimals", name, f"Column '{name}' is read with {meaning}, as in '{example}'."))
    if nothing := [i for i, text in enumerate(texts) if is_nothing(text)]:
        where = counted(int(np.isin(codes, nothing).sum()), "row")
        sentence = f"Column '{name}' holds numbers, and '{texts[nothing[0]]}' in {where}: taken as missing."
        notices.append(Notice("not numbers", name, sentence))
    if numerals.foreign.any():
        rows = int(np.append(numerals.foreign, False)[codes].sum())
        some = named([texts[i] for i in np.flatnonzero(numerals.foreign)[:2]])
        sentence = f"Column '{name}' holds numbers, except {counted(rows, 'value')} such as {some}: taken as missing."
        notices.append(Notice("not numbers", name, sentence))
    values, more = _bounded(name, spread(numerals.values, codes))
    return values, notices + more


def _bounded(name: str, values: Values) -> tuple[Values, list[Notice]]:
    """Infinite values, and those too large to be squared and summed, count as missing."""
    notices = []
    large = np.abs(values) > LARGEST  # NaN is not
    if large.any():
        count = counted(int(large.sum()), "value")
        sentence = f"Column '{name}' has {count} infinite or beyond {LARGEST:g}: taken as missing."
        notices.append(Notice("infinite", name, sentence))
        values = np.where(large, np.nan, values)
    if ((np.abs(values) > EXACT) & (values == np.round(values))).any():
        sentence = f"Column '{name}' has whole numbers beyond 2^53, rounded to 16 digits: are they names?"
        notices.append(Notice("rounded", name, sentence))
    return values, notices
