"""The cells of one raw column, as texts or as floats."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute

from kernelgap.audit.tables.columns.numerals import is_missing


def is_absent(value: Any) -> bool:
    """Whether a value of whatever type says that there is none."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and bool(np.isnan(value)))


def distinct_texts(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """(for each row the place of its text, the distinct texts); -1 where there is none."""
    # of a column of objects pandas < 3 makes an index, and fails on integers beyond every float
    cells = column.to_numpy() if column.dtype == object else column
    try:
        raw_codes, raw = pd.factorize(cells)
    except TypeError:  # lists and the like, in a table that was to hold something else
        raw_codes, raw = pd.factorize(column.map(_written))
    cleaned = np.empty(len(raw), dtype=object)
    cleaned[:] = [_text(value) for value in raw]
    codes, texts = pd.factorize(cleaned)
    return np.append(codes, -1)[raw_codes], [str(text) for text in texts]


def spread(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """What each row has, from what the distinct texts have; NaN or None where there is none."""
    return np.append(values, np.array([None if values.dtype == object else np.nan], dtype=values.dtype))[codes]


def labels_of(column: pd.Series) -> np.ndarray:
    """A column as texts, None where missing; whole numbers without a decimal point."""
    codes, texts = distinct_texts(column)
    return spread(np.array(texts, dtype=object), codes)


def floats_of(column: pd.Series) -> np.ndarray:
    """A column of numbers of whatever type as float64, NaN where missing."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return column.to_numpy(dtype=float)
    return np.array([np.nan if is_absent(value) else _float(value) for value in column], dtype=float)


def plain_numbers(column: pd.Series) -> np.ndarray | None:
    """A column of texts as float64 where all are empty or plain numbers: the usual case, done at once.

    None otherwise, and where some have leading zeros: they may be names.
    """
    if not isinstance(column.dtype, pd.StringDtype):
        return None
    texts = compute.utf8_trim_whitespace(pa.array(column.array, pa.large_string()))
    texts = compute.if_else(compute.equal(texts, ""), None, texts)
    if compute.any(compute.match_substring_regex(texts, "^0[0-9]")).as_py():
        return None
    try:
        return np.array(compute.cast(texts, pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        return None


def _text(value: Any) -> str | None:
    if is_absent(value):
        return None
    if isinstance(value, float | np.floating):
        return str(int(value)) if np.isfinite(value) and value == round(value) else repr(float(value))
    text = _written(value).strip()
    return None if is_missing(text) else text


def _written(value: Any) -> str:
    try:
        return str(value)
    except ValueError:  # an integer with more digits than Python writes, or something that holds one
        return hex(value) if isinstance(value, int) else type(value).__name__


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer with more digits than float64 reaches
        return float("inf")
    except ValueError:  # a Decimal that signals that it is none
        return float("nan")
