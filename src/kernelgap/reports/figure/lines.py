"""The data behind the chart of errors: one row a point, for both ways of picking."""

import math
from typing import Any

import pandas as pd

from kernelgap.reports.figure.paper_values import VALUES

PICKS = ("validation", "test")
NETWORKS, OF_NETWORKS, OTHER_KERNELS, BUILT = "networks", "kernels of the networks", "other kernels", "built by hand"
GROUPS = (NETWORKS, OF_NETWORKS, OTHER_KERNELS, BUILT)
NETWORK_MODES = ("all", "hidden")
COLUMNS = ("method", "group", "flat", "x", "pick", "error", "low", "high", "setting", "place", "seeds", "failed")


def axis_of(table: pd.DataFrame) -> str:
    """What the errors are drawn against: width, beta or norm."""
    asked = str(table.attrs.get("x", "width"))
    return asked if asked in table and table[asked].notna().any() else "width"


def error_lines(table: pd.DataFrame) -> pd.DataFrame:
    """The mean test error over seeds of the pick of each seed, and the least and the greatest of them.

    A kernel without width is flat: it has the same error at both ends of the axis. What has no finite error is left
    out: see ``without_error``.
    """
    x = axis_of(table)
    ends = _ends(table[x])
    rows = []
    for method, trials in _points(table, x):
        first = trials.iloc[0]
        flat = bool(pd.isna(first[x]))
        for pick in PICKS:
            picked = picks_of_seeds(trials, pick)
            errors = [float(p.test_error) for p in picked]
            if not all(math.isfinite(e) and e > 0 for e in errors):
                continue
            point = {
                "method": method,
                "group": group_of(first),
                "flat": flat,
                "pick": pick,
                "error": sum(errors) / len(errors),
                "low": min(errors),
                "high": max(errors),
                "setting": "; ".join(dict.fromkeys(setting(p) for p in picked)),
                "place": "; ".join(dict.fromkeys(place(p, x) for p in picked)),
                "seeds": len(picked),
                "failed": f"{int((trials.status != 'done').sum())} of {len(trials)}",
            }
            rows += [{**point, "x": float(at)} for at in (ends if flat else (first[x],))]
    lines = pd.DataFrame(rows, columns=list(COLUMNS))
    lines = lines.assign(order=lines.group.map(GROUPS.index), best=lines.groupby("method").error.transform("min"))
    return lines.sort_values(["order", "best", "method", "pick", "x"], ignore_index=True)[list(COLUMNS)]


def without_error(table: pd.DataFrame) -> list[str]:
    """The methods, with their places, of which no trial came to an end with some seed."""
    x = axis_of(table)
    found = []
    for _, trials in _points(table, x):
        if not all(math.isfinite(p.test_error) for p in picks_of_seeds(trials, "validation")):
            found.append(f"{trials.method.iloc[0]} {place(trials.iloc[0], x)}".strip())
    return found


def _points(table: pd.DataFrame, x: str) -> list[tuple[str, pd.DataFrame]]:
    """The trials of each point of the chart, with the name of its line: over betas, each width has its own."""
    if x != "beta":
        return [(str(m), trials) for (m, _), trials in table.groupby(["method", "width"], sort=False, dropna=False)]
    several = (table.groupby("method").width.nunique() > 1).to_dict()
    return [
        (f"{m} width {width}" if several[m] else str(m), trials)
        for (m, width, _), trials in table.groupby(["method", "width", "beta"], sort=False, dropna=False)
    ]


def group_of(trial: pd.Series) -> str:
    """What kind of method a trial fits."""
    if trial.kind == "built":
        return BUILT
    if trial.kind == "sgd" and trial["mode"] in NETWORK_MODES:
        return NETWORKS
    return OF_NETWORKS if pd.notna(trial.width) else OTHER_KERNELS


def picks_of_seeds(trials: pd.DataFrame, by: str) -> list[pd.Series]:
    """The trial of each seed with the least error on the "test" or on the "validation" sample."""
    return [row for _, row in trials.loc[trials.groupby("seed")[f"{by}_error"].idxmin()].iterrows()]


def setting(row: Any) -> str:
    """What a trial, or a row of the summary, was fitted with: kernel, rate, decay, ridge."""
    kernel = [] if pd.isna(row.kernel) or row.kernel == row.method else [str(row.kernel)]
    known = {name: row[name] for name in ("rate", "decay", "ridge") if pd.notna(row[name])}
    return ", ".join(kernel + [f"{name} {value:g}" for name, value in known.items()])


def place(trial: pd.Series, x: str = "width") -> str:
    """Where a method was fitted: its width, and beta where that is varied; nothing for a kernel over widths."""
    names = ["width", "beta"] if x == "beta" else ["width"]
    return ", ".join(f"{name} {trial[name]:g}" for name in names if pd.notna(trial.get(name)))


def _ends(values: pd.Series) -> tuple[float, float]:
    """The ends of the axis; around a lonely value, or where there is none, some room."""
    found = values.dropna().astype(float)
    low, high = (found.min(), found.max()) if len(found) else (1.0, 1.0)
    return (low, high) if low < high else (low / 2, high * 2)


def paper_marks(experiment: str, lines: pd.DataFrame) -> pd.DataFrame:
    """The paper's values for an experiment, cut to the chart's axis, less those of methods that were not run."""
    columns = ["method", "x", "x2", "error", "words"]
    if lines.empty:
        return pd.DataFrame(columns=columns)
    low, high = lines.x.min(), lines.x.max()
    rows = []
    for value in VALUES.get(experiment, ()):
        start, stop = (low if value.start is None else value.start), (high if value.stop is None else value.stop)
        names = (value.method, f"{value.method} width ")
        known = value.method is None or any(m == names[0] or m.startswith(names[1]) for m in lines.method)
        if known and start <= high and stop >= low:
            rows.append((value.method, max(start, low), min(stop, high), value.error, value.words))
    return pd.DataFrame(rows, columns=columns)
