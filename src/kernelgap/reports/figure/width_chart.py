"""Test error against width, a line for each beta: as Figure 3 of the paper is drawn."""

from dataclasses import replace
from typing import Any

from kernelgap.paper.claims import Line, Picture
from kernelgap.paper.figures.picks import NETWORK_MODES, picks_of_seeds
from kernelgap.paper.figures.result import FigureRun
from kernelgap.reports.common.picture_chart import picture_chart


def width_chart(run: FigureRun, *, on_page: bool) -> Any:
    """None where there is nothing to draw a line through."""
    table = run.table
    trials = table[(table.kind == "sgd") & table["mode"].isin(NETWORK_MODES) & (table.status == "done")]
    if trials.width.nunique() < 2:
        return None
    several = trials.method.nunique() > 1
    lines = []
    groups: list[Any] = list(trials.groupby(["method", "beta"]))
    for (method, beta), own in sorted(groups, key=lambda entry: -entry[0][1]):
        widths = own.groupby("width")
        errors = [[float(p.test_error) for p in picks_of_seeds(trials, "validation")] for _, trials in widths]
        name = f"{method}, beta {beta:g}" if several else f"beta {beta:g}"
        line = Line.of_repeats(name, [int(width) for width in widths.groups], errors)
        lines.append(line if own.seed.nunique() > 1 else replace(line, low=None, high=None))
    picture = Picture("width m", "test error", lines, (("threshold", run.threshold),), x_axis="log", y_axis="log")
    return picture_chart(picture, on_page=on_page, title=f"{run.name}: test error against width")
