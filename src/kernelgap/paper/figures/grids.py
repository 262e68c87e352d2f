"""Errors over the grid of rates and decays, and whether its best sits on an edge.

Where a run has searched, its grids are those of the search, on the seeds of the search.
"""

import math
from typing import TYPE_CHECKING

import pandas as pd

from kernelgap.paper.figures.picks import NETWORKS, group_of, judged, means_of_settings, place, searched
from kernelgap.regression import at_edge

if TYPE_CHECKING:
    from kernelgap.paper.figures.result import FigureRun

COLUMNS = ("method", "place", "rate", "decay", "validation", "test", "status", "best")


def heat_maps(run: "FigureRun") -> pd.DataFrame:
    """Mean errors over seeds for each method by SGD, place, rate and decay.

    ``best`` is the setting that is picked: the least mean on validation among those that the most seeds have tried.
    """
    rows = []
    for method, at, trials in _grids(run):
        tried = searched(trials)
        best = means_of_settings(tried, "validation").iloc[0]
        picked = (best.rate, best.decay) if math.isfinite(best["mean"]) else None
        for (rate, decay), seeds in tried.groupby(["rate", "decay"]):
            failed = int((seeds.status != "done").sum())
            status = "done" if not failed else "diverged" if failed == len(seeds) else f"{failed} seeds diverged"
            validation, test = (float(seeds[c].astype(float).mean()) for c in ("validation_error", "test_error"))
            rows.append((method, at, rate, decay, validation, test, status, (rate, decay) == picked))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def best_places(run: "FigureRun") -> dict[str, str]:
    """Where each method by SGD has the least mean validation error over seeds; networks first."""
    best: dict[str, tuple[bool, float, str]] = {}
    for method, at, trials in _grids(run):
        counted = judged(trials)
        reached = float(means_of_settings(counted, "validation")["mean"].iloc[0]) if len(counted) else math.inf
        candidate = (group_of(trials.iloc[0]) != NETWORKS, reached, at)
        if math.isfinite(reached):
            best[method] = min(best.get(method, candidate), candidate)
    return {method: best[method][2] for method in sorted(best, key=lambda m: best[m])}


def edges(run: "FigureRun") -> list[str]:
    """One sentence for each method by SGD whose best rate or decay, at its best place, is the last of those tried."""
    maps = heat_maps(run)
    sentences = []
    for method, at in best_places(run).items():
        settings = maps[(maps.method == method) & (maps.place == at)]
        if not settings.best.any():  # each setting has a seed that diverged
            continue
        best = settings[settings.best].iloc[0]
        ends = {name: at_edge(best[name], settings[name].to_numpy()) for name in ("rate", "decay")}
        edges = [f"the {end} {name} tried ({best[name]:g})" for name, end in ends.items() if end]
        if edges:
            where = f" at {at}" if at else ""
            sentences.append(f"{method}{where}: the best is at {' and '.join(edges)}; one beyond it may be better.")
    return sentences


def _grids(run: "FigureRun") -> list[tuple[str, str, pd.DataFrame]]:
    """Method, place and trials of each grid of rates and decays, searched and judged."""
    trials = run.table[run.table.kind == "sgd"]
    if trials.empty:
        return []
    keys = ["method", "width", "beta"] if run.axis == "beta" else ["method", "width"]
    return [(str(key[0]), place(group.iloc[0], run.axis), group) for key, group in trials.groupby(keys, sort=True)]
