"""Test error against width, a line for each beta: as Figure 3 of the paper is drawn."""

import statistics
from typing import Any

from kernelgap.paper.claims import Line, Picture
from kernelgap.paper.figures.picks import NETWORK_MODES, pick_over_seeds
from kernelgap.paper.figures.result import FigureRun
from kernelgap.reports.common.picture_chart import picture_chart


def width_chart(run: FigureRun, *, on_page: bool) -> Any:
    """Test errors against width, a line for each beta; None if there is nothing to draw."""
    table = run.judged
    trials = table[(table.kind == "sgd") & table["mode"].isin(NETWORK_MODES) & (table.status == "done")]
    if trials.width.nunique() < 2:
        return None
    several = trials.method.nunique() > 1
    lines = []
    groups: list[Any] = list(trials.groupby(["method", "beta"]))
    for (method, beta), own in sorted(groups, key=lambda entry: -entry[0][1]):
        widths = own.groupby("width")
        errors = [list(map(float, pick_over_seeds(trials, "validation").test_error)) for _, trials in widths]
        name = f"{method}, beta {beta:g}" if several else f"beta {beta:g}"
        several_seeds = own.seed.nunique() > 1
        low, high = ([end(e) for e in errors] if several_seeds else None for end in (min, max))
        at = [int(width) for width in widths.groups]
        lines.append(Line(name, at, [statistics.median(e) for e in errors], low, high))
    picture = Picture("width m", "test error", lines, (("threshold", run.threshold),), x_axis="log", y_axis="log")
    return picture_chart(picture, on_page=on_page, title=f"{run.name}: test error against width")
