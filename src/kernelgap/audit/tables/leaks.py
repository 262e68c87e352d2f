"""Features that are the target in disguise: a copy, rescaled or under other names, or something that tells it alone."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

ROUNDING = 1e-6  # of the target's variance: a line that leaves less unexplained is a copy, rounded to 3 digits
ROWS = 10  # in common that are needed to tell
SURE = 20.0  # minus the logarithm of a chance that is none


@dataclass(frozen=True)
class Leak:
    """A column from which a target follows; a ``copy`` holds nothing else, up to scale or naming."""

    column: str
    target: str
    copy: bool


def find_leaks(features: pd.DataFrame, names: tuple[str, ...], values: np.ndarray, *, classes: bool) -> list[Leak]:
    """The columns from which a target follows."""
    if classes:
        codes = pd.factorize(values)[0]
        copies = [(column, names[0], _of_classes(features[column], codes)) for column in map(str, features)]
    else:
        copies = [
            (column, name, _of_numbers(features[column].to_numpy(dtype=float), target))
            for column in map(str, features)
            if pd.api.types.is_numeric_dtype(features[column].dtype)
            for name, target in zip(names, values.T, strict=True)
        ]
    return [Leak(column, name, copy) for column, name, copy in copies if copy is not None]


def _of_numbers(feature: np.ndarray, target: np.ndarray) -> bool | None:
    """Whether it is a copy; False if the target rises or falls with it throughout; None if neither."""
    there = np.isfinite(feature)
    if there.sum() < ROWS:
        return None
    x, y = feature[there], target[there]
    if _on_a_line(x, y):
        return True
    return False if _in_order(x, y) or _in_order(x, -y) else None


def _in_order(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether y never falls as x rises, is one number for each x, and takes many values."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    same = np.diff(x) == 0
    rises = np.diff(y)
    return len(np.unique(y)) >= ROWS and bool((rises >= 0).all() and (rises[same] == 0).all())


def _on_a_line(x: np.ndarray, y: np.ndarray) -> bool:
    x, y = x - x.mean(), y - y.mean()
    x, y = x / (np.abs(x).max() or 1.0), y / (np.abs(y).max() or 1.0)
    xx, yy, xy = x @ x, y @ y, x @ y
    return bool(xx > 0 and yy > 0 and 1 - xy**2 / (xx * yy) < ROUNDING)


def _of_classes(feature: pd.Series, codes: np.ndarray) -> bool | None:
    """Whether it is a copy; False if each of its values has one class alone, beyond chance; None if neither.

    Rows beyond the first of each value would share its class by a chance of the sum of the classes' squared shares.
    """
    levels, distinct = pd.factorize(feature.to_numpy())  # -1 where missing
    there = levels >= 0
    shares = np.bincount(codes[there]) / max(1, there.sum())
    classes = int((shares > 0).sum())
    if there.sum() < ROWS or classes < 2 or len(distinct) < classes:
        return None
    if len(np.unique(levels[there] * (codes.max() + 1) + codes[there])) != len(distinct):
        return None
    if len(distinct) == classes:
        return True
    repeats = int(there.sum()) - len(distinct)
    return False if -repeats * np.log(np.sum(shares**2)) >= SURE and repeats >= len(distinct) else None
