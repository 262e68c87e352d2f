"""Features that are the target in disguise: a copy, a rescaled copy, or the same classes under other names."""

import numpy as np
import pandas as pd

from kernelgap.audit.tables.notices import Notice

ROUNDING = 1e-6  # of the target's variance: a line that leaves less unexplained is a copy, rounded to 3 digits
ROWS = 10  # in common that are needed to tell


def find_leaks(features: pd.DataFrame, names: tuple[str, ...], values: np.ndarray, *, classes: bool) -> list[Notice]:
    """A notice for each column from which a target follows at once. Nothing is left out: only the user can tell."""
    notices = []
    codes = pd.factorize(values)[0] if classes else np.empty(0)
    for column in features:
        feature = features[column]
        if classes:
            found = [names[0]] if _same_classes(feature, codes) else []
        else:
            numeric = pd.api.types.is_float_dtype(feature.dtype)
            found = [name for j, name in enumerate(names) if numeric and _on_a_line(feature.to_numpy(), values[:, j])]
        notices += [
            Notice(
                "leak",
                column,
                f"Column '{column}' is a copy of the target '{name}', up to scale or naming: leave it out unless it is "
                "known before the target is.",
            )
            for name in found
        ]
    return notices


def _on_a_line(feature: np.ndarray, target: np.ndarray) -> bool:
    there = np.isfinite(feature)
    if there.sum() < ROWS:
        return False
    x, y = feature[there], target[there]
    x, y = x - x.mean(), y - y.mean()
    x, y = x / (np.abs(x).max() or 1.0), y / (np.abs(y).max() or 1.0)
    xx, yy, xy = x @ x, y @ y, x @ y
    return bool(xx > 0 and yy > 0 and 1 - xy**2 / (xx * yy) < ROUNDING)


def _same_classes(feature: pd.Series, codes: np.ndarray) -> bool:
    levels, distinct = pd.factorize(feature.to_numpy())  # -1 where missing
    there = levels >= 0
    classes = len(np.unique(codes[there]))
    if there.sum() < ROWS or classes < 2 or len(distinct) != classes:
        return False
    return len(np.unique(levels[there] * (codes.max() + 1) + codes[there])) == classes
