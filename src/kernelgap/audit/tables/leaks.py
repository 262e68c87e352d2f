"""Features that are the target in disguise: a copy, rescaled or under other names, or something that tells it alone."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import gammaln

from kernelgap.errors import shown

ROUNDING = 1e-6  # of the target's variance: a line that leaves less unexplained is a copy, rounded to 3 digits ...
NEAR = 3e-5  # ... and one that leaves less than this is nearly one: half a percent of its standard deviation
ROWS = 10  # in common that are needed to tell
SURE = 20.0  # minus the logarithm of a chance that is none
COPY = "is a copy of the target, up to scale or naming"


@dataclass(frozen=True)
class Leak:
    """A column from which a target follows, wholly or in part; ``text`` says how."""

    column: str
    target: str
    text: str


def find_leaks(features: pd.DataFrame, names: tuple[str, ...], values: np.ndarray, *, classes: bool) -> list[Leak]:
    """The columns from which a target follows."""
    if classes:
        codes, labels = pd.factorize(values)
        told = [(column, names[0], _of_classes(features[column], codes, labels)) for column in map(str, features)]
    else:
        told = [
            (column, name, _of_numbers(features[column].to_numpy(dtype=float), target))
            for column in map(str, features)
            if pd.api.types.is_numeric_dtype(features[column].dtype)
            for name, target in zip(names, values.T, strict=True)
        ]
    return [Leak(column, name, text) for column, name, text in told if text is not None]


def _of_numbers(feature: np.ndarray, target: np.ndarray) -> str | None:
    """How the target follows from a column of numbers; None if it does not."""
    there = np.isfinite(feature)
    if there.sum() < ROWS:
        return None
    x, y = feature[there], target[there]
    unexplained = _off_a_line(x, y)
    if unexplained < ROUNDING:
        return COPY
    if unexplained < NEAR:
        return "is nearly a copy of the target: a line explains all but a trace of it"
    in_order = _in_order(x, y) or _in_order(x, -y)
    return "alone tells the target, which rises or falls with it throughout" if in_order else None


def _in_order(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether y never falls as x rises, is one number for each x, and takes many values."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    same = np.diff(x) == 0
    rises = np.diff(y)
    return len(np.unique(y)) >= ROWS and bool((rises >= 0).all() and (rises[same] == 0).all())


def _off_a_line(x: np.ndarray, y: np.ndarray) -> float:
    """The share of the variance of y that no line over x explains."""
    x, y = x - x.mean(), y - y.mean()
    x, y = x / (np.abs(x).max() or 1.0), y / (np.abs(y).max() or 1.0)
    xx, yy, xy = x @ x, y @ y, x @ y
    return float(1 - xy**2 / (xx * yy)) if xx > 0 and yy > 0 else 1.0


def _of_classes(feature: pd.Series, codes: np.ndarray, labels: np.ndarray) -> str | None:
    """How the class follows from a column; None if it does not.

    Rows beyond the first of each value would share its class by a chance of the sum of the classes' squared shares.
    """
    levels, distinct = pd.factorize(feature.to_numpy())  # -1 where missing
    there = levels >= 0
    shares = np.bincount(codes[there]) / max(1, there.sum())
    classes = int((shares > 0).sum())
    if there.sum() >= ROWS and classes >= 2 and len(distinct) >= classes:
        one_each = len(np.unique(levels[there] * (codes.max() + 1) + codes[there])) == len(distinct)
        if one_each and len(distinct) == classes:
            return COPY
        repeats = int(there.sum()) - len(distinct)
        if one_each and -repeats * np.log(np.sum(shares**2)) >= SURE and repeats >= len(distinct):
            return "alone tells the target: all rows with one of its values have one class"
    return _of_one_class(levels, distinct, codes, labels)


def _of_one_class(levels: np.ndarray, distinct: np.ndarray, codes: np.ndarray, labels: np.ndarray) -> str | None:
    """A value, or being missing, that all rows of one class have and no others, beyond chance: 1 in (n choose rows)."""
    n = len(levels)
    of_level, of_class = np.bincount(levels + 1, minlength=len(distinct) + 1), np.bincount(codes)
    pairs, counts = np.unique((levels + 1) * len(labels) + codes, return_counts=True)
    level, one = np.divmod(pairs, len(labels))
    sure = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1) >= SURE
    for place in np.flatnonzero((counts == of_level[level]) & (counts == of_class[one]) & sure):
        value = "missing" if level[place] == 0 else f"{_named(distinct[level[place] - 1])}"
        return f"is {value} in all rows of the class {_named(labels[one[place]])} and in no others"
    return None


def _named(value: object) -> str:
    return shown(value) if isinstance(value, str) else f"{value:g}"
