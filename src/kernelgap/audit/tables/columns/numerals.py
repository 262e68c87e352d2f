"""Numbers written as text: with a decimal point or comma, with thousands apart, infinite, missing."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

Style = Literal["point", "comma", "thousands"]  # 1234.5, 1.234,5 and 1,234.5

MISSING = frozenset(
    {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "?", "-", "--", ".", "#null!", "#value!"}
    | {"#div/0!", "#num!", "#ref!", "missing"}
)
NOTHING = frozenset({"none", "nil"})  # missing among numbers; among labels a label like any other
_MANTISSA: dict[Style, str] = {  # each has a digit
    "point": r"[0-9]+\.?[0-9]*|\.[0-9]+",
    "comma": r"([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?|,[0-9]+",
    "thousands": r"([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]*)?",
}
_WRITTEN: dict[Style, re.Pattern[str]] = {
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
        """Texts that are there and are no numbers."""
        return np.isnan(self.values) & ~self.missing


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value, whatever stands in the others."""
    return text.lower() in MISSING


def is_nothing(text: str) -> bool:
    """Whether a cell says ``none``: no value in a column of numbers, a label in a column of labels."""
    return text.lower() in NOTHING


def read_numerals(texts: Iterable[str], *, comma_first: bool) -> Numerals:
    """In the style that reads the most of them: the point unless another reads more.

    ``1,234`` may be either: ``comma_first`` says whether such a comma is a decimal one.
    """
    cells = [_cleaned(text) for text in texts]
    missing = np.array([is_missing(cell) or is_nothing(cell) for cell in cells], dtype=bool)
    best = Numerals(_values(cells, "point"), missing, "point")
    if any("," in cell for cell in cells):
        others: tuple[Style, ...] = ("comma", "thousands") if comma_first else ("thousands", "comma")
        for style in others:
            tried = Numerals(_values(cells, style), missing, style)
            if tried.foreign.sum() < best.foreign.sum():
                best = tried
    return best


def looks_like_number(text: str) -> bool:
    """Whether a cell, such as one of a heading, is a number in some style."""
    return any(_number(_cleaned(text), style) is not None for style in _WRITTEN)


def _cleaned(text: str) -> str:
    return text.strip().replace("\u2212", "-")


def _values(cells: list[str], style: Style) -> np.ndarray:
    return np.array([np.nan if (value := _number(cell, style)) is None else value for cell in cells], dtype=float)


def _number(cell: str, style: Style) -> float | None:
    """None where it is not written in this style."""
    if not _WRITTEN[style].fullmatch(cell):
        return None
    if style == "comma":
        cell = cell.replace(".", "").replace(",", ".")
    return float(cell.replace(",", ""))
