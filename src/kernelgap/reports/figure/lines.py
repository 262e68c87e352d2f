"""The data behind the chart of errors: one row a point, for both ways of picking."""

import math
import statistics

import pandas as pd

from kernelgap.paper.figures.paper_values import VALUES
from kernelgap.paper.figures.picks import GROUPS, format_place, format_setting, group_of, pick_over_seeds
from kernelgap.paper.figures.result import FigureRun

PICKS = ("validation", "test")
COLUMNS = ("method", "group", "flat", "x", "pick", "error", "low", "high", "setting", "place", "seeds", "failed")


def error_lines(run: FigureRun) -> pd.DataFrame:
    """The median test error over seeds of the picked setting, with the least and the greatest.

    A kernel without width is flat: it has the same error at both ends of the axis. What has no finite median is left
    out, and a band ends at the greatest finite error: see ``without_error``.
    """
    x = run.axis
    ends = _ends(run.judged[x])
    rows = []
    for method, trials in _points(run.judged, x):
        first = trials.iloc[0]
        flat = bool(pd.isna(first[x]))
        for pick in PICKS:
            picked = pick_over_seeds(trials, pick)
            errors = [float(error) for error in picked.test_error]
            median = statistics.median(errors)
            if not (math.isfinite(median) and median > 0):
                continue
            point = {
                "method": method,
                "group": group_of(first),
                "flat": flat,
                "pick": pick,
                "error": median,
                "low": min(errors) or median,  # a logarithmic axis has no 0
                "high": max(filter(math.isfinite, errors)),
                "setting": format_setting(picked.iloc[0]),
                "place": format_place(first, x),
                "seeds": len(picked),
                "failed": f"{int((trials.status != 'done').sum())} of {len(trials)}",
            }
            rows += [{**point, "x": float(at)} for at in (ends if flat else (first[x],))]
    lines = pd.DataFrame(rows, columns=list(COLUMNS))
    lines = lines.assign(order=lines.group.map(GROUPS.index), best=lines.groupby("method").error.transform("min"))
    return lines.sort_values(["order", "best", "method", "pick", "x"], ignore_index=True)[list(COLUMNS)]


def without_error(run: FigureRun) -> list[str]:
    """The methods, with their places, that have no finite error for some seeds with the setting that is picked."""
    names = []
    for _, trials in _points(run.judged, run.axis):
        errors = pick_over_seeds(trials, "validation").test_error.astype(float)
        failed = int((errors == math.inf).sum())
        name = f"{trials.method.iloc[0]} {format_place(trials.iloc[0], run.axis)}".strip()
        names += [f"{name} ({failed} of {len(errors)} seeds)" if len(errors) > 1 else name] if failed else []
    return names


def _points(table: pd.DataFrame, x: str) -> list[tuple[str, pd.DataFrame]]:
    """The trials of each point of the chart, with the name of its line: over betas, each width has its own."""
    if x != "beta":
        return [(str(m), trials) for (m, _), trials in table.groupby(["method", "width"], sort=False, dropna=False)]
    several = (table.groupby("method").width.nunique() > 1).to_dict()
    return [
        (f"{m} width {width}" if several[m] else str(m), trials)
        for (m, width, _), trials in table.groupby(["method", "width", "beta"], sort=False, dropna=False)
    ]


def _ends(values: pd.Series) -> tuple[float, float]:
    """The ends of the axis; around a single value, or where there is none, some room."""
    known = values.dropna().astype(float)
    low, high = (known.min(), known.max()) if len(known) else (1.0, 1.0)
    return (low, high) if low < high else (low / 2, high * 2)


def is_line_of(line: str, method: str) -> bool:
    """Whether a line is that of a method, at one of its widths perhaps."""
    return line == method or line.startswith(f"{method} width ")


def paper_marks(experiment: str, lines: pd.DataFrame) -> pd.DataFrame:
    """The paper's values for an experiment, cut to the chart's axis, less those of methods that were not run."""
    columns = ["method", "x", "x2", "error", "text"]
    if lines.empty:
        return pd.DataFrame(columns=columns)
    low, high = lines.x.min(), lines.x.max()
    rows = []
    for value in VALUES.get(experiment, ()):
        start, stop = (low if value.start is None else value.start), (high if value.stop is None else value.stop)
        known = value.method is None or any(is_line_of(name, value.method) for name in lines.method)
        if known and start <= high and stop >= low:
            rows.append((value.method, max(start, low), min(stop, high), value.error, value.text))
    return pd.DataFrame(rows, columns=columns)
