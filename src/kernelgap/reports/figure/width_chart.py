"""Test error against width, a line for each beta: as Figure 3 of the paper is drawn."""

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
        errors = {
            int(width): [float(p.test_error) for p in picks_of_seeds(of_width, "validation")]
            for width, of_width in own.groupby("width")
        }
        name = f"{method}, beta {beta:g}" if several else f"beta {beta:g}"
        means = [sum(e) / len(e) for e in errors.values()]
        ends = [list(map(end, errors.values())) for end in (min, max)] if own.seed.nunique() > 1 else [None, None]
        lines.append(Line(name, list(errors), means, ends[0], ends[1]))
    picture = Picture("width m", "test error", lines, (("threshold", run.threshold),), x_axis="log", y_axis="log")
    return picture_chart(picture, on_page=on_page, title=f"{run.name}: test error against width")
