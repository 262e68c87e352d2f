"""The cells of one column, as texts or as numbers: decimal points and commas, separated thousands, missing values."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute

Style = Literal["point", "comma", "thousands"]  # 1234.5, 1.234,5 and 1,234.5

MISSING = frozenset(
    {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "?", "-", "--", ".", "#null!", "#value!"}
    | {"#div/0!", "#num!", "#ref!", "missing"}
)
NOTHING = frozenset({"none", "nil"})  # missing among numbers; among labels a label like any other
NO_NUMBER = MISSING | NOTHING
_MANTISSA: dict[Style, str] = {  # each has a digit
    "point": r"[0-9]+\.?[0-9]*|\.[0-9]+",
    "comma": r"([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?|,[0-9]+",
    "thousands": r"([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]*)?",
}
_PATTERNS: dict[Style, re.Pattern[str]] = {
    style: re.compile(rf"[+-]?(({digits})(e[+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE | re.ASCII)
    for style, digits in _MANTISSA.items()
}


@dataclass(frozen=True)
class Numerals:
    """Distinct texts as numbers: NaN where one is missing or is no number."""

    values: np.ndarray  # float64
    missing: np.ndarray  # bool: empty, NA, none, ...
    style: Style

    @property
    def foreign(self) -> np.ndarray:
        """Texts that are present and are no numbers."""
        return np.isnan(self.values) & ~self.missing


def read_numerals(texts: Iterable[str], *, comma_first: bool) -> Numerals:
    """Read texts in the style that fits most of them: the point unless another fits more.

    ``1,234`` may be either: ``comma_first`` says whether such a comma is a decimal one.
    """
    cells = [_clean(text) for text in texts]
    missing = np.array([cell.lower() in NO_NUMBER for cell in cells], dtype=bool)
    best = Numerals(_values(cells, "point"), missing, "point")
    if any("," in cell for cell in cells):
        others: tuple[Style, ...] = ("comma", "thousands") if comma_first else ("thousands", "comma")
        for style in others:
            candidate = Numerals(_values(cells, style), missing, style)
            if candidate.foreign.sum() < best.foreign.sum():
                best = candidate
    return best


def looks_like_number(text: str) -> bool:
    """Whether a cell, such as one of a heading, is a number in some style."""
    return any(_number(_clean(text), style) is not None for style in _PATTERNS)


def _clean(text: str) -> str:
    return text.strip().replace("\u2212", "-")


def _values(cells: list[str], style: Style) -> np.ndarray:
    return np.array([np.nan if (value := _number(cell, style)) is None else value for cell in cells], dtype=float)


def _number(cell: str, style: Style) -> float | None:
    if not _PATTERNS[style].fullmatch(cell):
        return None
    if style == "comma":
        cell = cell.replace(".", "").replace(",", ".")
    return float(cell.replace(",", ""))


def is_absent(value: Any) -> bool:
    """Whether a value of whatever type says that there is none."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and bool(np.isnan(value)))


def distinct_texts(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """(for each row the place of its text, the distinct texts); -1 where there is none."""
    # pandas < 3 makes an index of a column of objects, and fails on integers beyond every float
    cells = column.to_numpy() if column.dtype == object else column
    try:
        raw_codes, raw = pd.factorize(cells)
    except TypeError:  # lists and the like
        raw_codes, raw = pd.factorize(column.map(_to_text))
    cleaned = np.empty(len(raw), dtype=object)
    cleaned[:] = [_text(value) for value in raw]
    codes, texts = pd.factorize(cleaned)
    return np.append(codes, -1)[raw_codes], [str(text) for text in texts]


def spread(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Each row's value, from the values of the distinct texts; NaN or None where there is none."""
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
    """A column of texts as float64 where all are empty or plain numbers: the fast path for the usual case.

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
    text = _to_text(value).strip()
    return None if text.lower() in MISSING else text


def _to_text(value: Any) -> str:
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
