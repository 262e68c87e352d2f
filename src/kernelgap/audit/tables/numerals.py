"""Numbers written as text: with a decimal point or comma, with thousands apart, infinite, missing."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

Style = Literal["point", "comma", "thousands"]  # 1234.5, 1.234,5 and 1,234.5

MISSING = frozenset(
    {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "nil", "?", "-", "--", ".", "#null!", "#value!"}
    | {"#div/0!", "#num!", "#ref!", "missing"}
)
_EXPONENT = r"([eE][+-]?[0-9]+)?"
_INFINITE = r"[+-]?(inf|infinity)"
_WRITTEN: dict[Style, re.Pattern[str]] = {
    "point": re.compile(rf"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}|{_INFINITE}", re.IGNORECASE),
    "comma": re.compile(
        rf"[+-]?([0-9]+|[0-9]{{1,3}}(\.[0-9]{{3}})+)?(,[0-9]*)?{_EXPONENT}(?<=[0-9])|{_INFINITE}", re.IGNORECASE
    ),
    "thousands": re.compile(
        rf"[+-]?([0-9]+|[0-9]{{1,3}}(,[0-9]{{3}})+)(\.[0-9]*)?{_EXPONENT}|{_INFINITE}", re.IGNORECASE
    ),
}


@dataclass(frozen=True)
class Numerals:
    """Distinct texts as numbers: NaN where one is missing or is no number."""

    values: np.ndarray  # float64
    missing: np.ndarray  # bool: empty, NA, ...
    style: Style

    @property
    def foreign(self) -> np.ndarray:
        """Texts that are there and are no numbers."""
        return np.isnan(self.values) & ~self.missing


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value."""
    return text.lower() in MISSING


def read_numerals(texts: Iterable[str], *, comma_first: bool) -> Numerals:
    """In the style that reads the most of them: the point unless another reads more.

    ``1,234`` may be either: ``comma_first`` says whether such a comma is a decimal one.
    """
    cells = [text.strip().replace("\u2212", "-") for text in texts]
    missing = np.array([is_missing(cell) for cell in cells], dtype=bool)
    best = Numerals(_values(cells, missing, "point"), missing, "point")
    if any("," in cell for cell in cells):
        others: tuple[Style, ...] = ("comma", "thousands") if comma_first else ("thousands", "comma")
        for style in others:
            tried = Numerals(_values(cells, missing, style), missing, style)
            if tried.foreign.sum() < best.foreign.sum():
                best = tried
    return best


def looks_like_number(text: str) -> bool:
    """Whether a cell, such as one of a heading, is a number in some style."""
    return any(pattern.fullmatch(text.strip()) for pattern in _WRITTEN.values())


def _values(cells: list[str], missing: np.ndarray, style: Style) -> np.ndarray:
    pattern = _WRITTEN[style]
    return np.array(
        [
            float(_plain(cell, style)) if not gap and pattern.fullmatch(cell) else np.nan
            for cell, gap in zip(cells, missing, strict=True)
        ],
        dtype=float,
    )


def _plain(cell: str, style: Style) -> str:
    if style == "comma":
        return cell.replace(".", "").replace(",", ".")
    return cell.replace(",", "") if style == "thousands" else cell
