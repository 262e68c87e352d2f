"""Errors over the grid of rates and decays, and sentences on bests that are on an edge of what was tried.

Where a run has searched, its grids are those of the search, on the seeds of the search.
"""

import math
from typing import TYPE_CHECKING

import pandas as pd

from kernelgap.paper.figures.edges import value_of
from kernelgap.paper.figures.picks import (
    NETWORKS,
    format_place,
    group_of,
    judged_trials,
    means_of_settings,
    search_trials,
)

if TYPE_CHECKING:
    from kernelgap.paper.figures.result import FigureRun

COLUMNS = ("method", "place", "rate", "decay", "validation", "test", "status", "best")


def heat_maps(run: "FigureRun") -> pd.DataFrame:
    """Mean errors over seeds for each method by SGD, place, rate and decay.

    ``best`` is the setting that is picked: after a search the one that is judged, else the least mean on validation
    among those that the most seeds have tried.
    """
    rows = []
    for method, at, trials in _grids(run):
        tried = search_trials(trials)
        counted = judged_trials(trials)
        best = means_of_settings(counted if len(counted) else tried, "validation").iloc[0]
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
        counted = judged_trials(trials)
        reached = float(means_of_settings(counted, "validation")["mean"].iloc[0]) if len(counted) else math.inf
        candidate = (group_of(trials.iloc[0]) != NETWORKS, reached, at)
        if math.isfinite(reached):
            best[method] = min(best.get(method, candidate), candidate)
    return {method: best[method][2] for method in sorted(best, key=lambda m: best[m])}


def edges(run: "FigureRun") -> list[str]:
    """One sentence for each method that has its best setting at an edge of what was tried, with the places."""
    found: dict[str, dict[str, list[str]]] = {}
    for _, row in run.summary.iterrows():
        for edge in filter(None, row.edges.split(", ")):
            end, name = edge.split()
            text = f"the {end} {name} tried ({value_of(row, name):g})"
            found.setdefault(row.method, {}).setdefault(text, []).append(format_place(row, run.axis))
    return [_sentence(method, places) for method, places in found.items()]


def _sentence(method: str, places: dict[str, list[str]]) -> str:
    parts = [text + (f" at {'; '.join(at)}" if any(at) else "") for text, at in places.items()]
    return f"{method}: the best is at {' and '.join(parts)}; one beyond it may be better."


def _grids(run: "FigureRun") -> list[tuple[str, str, pd.DataFrame]]:
    """Method, place and trials of each grid of rates and decays, searched and judged."""
    trials = run.table[run.table.kind == "sgd"]
    if trials.empty:
        return []
    keys = ["method", "width", "beta"] if run.axis == "beta" else ["method", "width"]
    return [
        (str(key[0]), format_place(group.iloc[0], run.axis), group) for key, group in trials.groupby(keys, sort=True)
    ]
