"""Errors over the grid of rates and decays, and whether its best sits on an edge."""

import math
from typing import TYPE_CHECKING

import pandas as pd

from kernelgap.paper.figures.picks import NETWORKS, group_of, picks_of_seeds, place
from kernelgap.regression import at_edge

if TYPE_CHECKING:
    from kernelgap.paper.figures.result import FigureRun

COLUMNS = ("method", "place", "rate", "decay", "validation", "test", "status", "best")


def heat_maps(run: "FigureRun") -> pd.DataFrame:
    """Mean errors over seeds for each method by SGD, place, rate and decay; ``best`` has the least on validation."""
    table, x = run.table, run.axis
    by_sgd = table[table.kind == "sgd"]
    rows = []
    for method, at, trials in _grids(by_sgd, x):
        cells = []
        for (rate, decay), cell in trials.groupby(["rate", "decay"]):
            failed = int((cell.status != "done").sum())
            status = "done" if not failed else "diverged" if failed == len(cell) else f"{failed} seeds diverged"
            validation, test = (_mean(cell[column]) for column in ("validation_error", "test_error"))
            cells.append((method, at, rate, decay, validation, test, status))
        least = min((cell[4] for cell in cells), default=math.inf)
        rows += [(*cell, bool(math.isfinite(least) and cell[4] == least)) for cell in cells]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def best_places(run: "FigureRun") -> dict[str, str]:
    """Where each method by SGD has the least test error with settings picked on validation; networks first."""
    table, x = run.table, run.axis
    best: dict[str, tuple[bool, float, str]] = {}
    for method, at, trials in _grids(table[table.kind == "sgd"], x):
        picked = picks_of_seeds(trials, "validation")
        reached = sum(float(p.test_error) for p in picked) / len(picked)
        found = (group_of(trials.iloc[0]) != NETWORKS, reached, at)
        if math.isfinite(reached):
            best[method] = min(best.get(method, found), found)
    return {method: best[method][2] for method in sorted(best, key=lambda m: best[m])}


def edges(run: "FigureRun") -> list[str]:
    """One sentence for each method by SGD whose best rate or decay, at its best place, is the last of those tried."""
    maps = heat_maps(run)
    found = []
    for method, at in best_places(run).items():
        cells = maps[(maps.method == method) & (maps.place == at)]
        if not cells.best.any():  # each cell has a seed that diverged
            continue
        best = cells[cells.best].iloc[0]
        ends = {name: at_edge(best[name], cells[name].to_numpy()) for name in ("rate", "decay")}
        edges = [f"the {end} {name} tried ({best[name]:g})" for name, end in ends.items() if end]
        if edges:
            where = f" at {at}" if at else ""
            found.append(f"{method}{where}: the best is at {' and '.join(edges)}; one beyond it may be better.")
    return found


def _grids(trials: pd.DataFrame, x: str) -> list[tuple[str, str, pd.DataFrame]]:
    """Method, place and trials of each grid that was searched."""
    if trials.empty:
        return []
    keys = ["method", "width", "beta"] if x == "beta" else ["method", "width"]
    return [(str(key[0]), place(group.iloc[0], x), group) for key, group in trials.groupby(keys, sort=True)]


def _mean(errors: pd.Series) -> float:
    return float(errors.astype(float).mean())
