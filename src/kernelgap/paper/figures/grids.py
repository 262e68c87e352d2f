"""Errors over the grid of rates and decays, and whether its best, or that of a kernel's bandwidths, is on an edge.

Where a run has searched, its grids are those of the search, on the seeds of the search.
"""

import math
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kernelgap import kernels
from kernelgap.paper.figures.picks import (
    NETWORKS,
    format_place,
    group_of,
    judged_trials,
    means_of_settings,
    search_trials,
)
from kernelgap.paper.figures.summary import FLAT
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
        tried = search_trials(trials)
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
        counted = judged_trials(trials)
        reached = float(means_of_settings(counted, "validation")["mean"].iloc[0]) if len(counted) else math.inf
        candidate = (group_of(trials.iloc[0]) != NETWORKS, reached, at)
        if math.isfinite(reached):
            best[method] = min(best.get(method, candidate), candidate)
    return {method: best[method][2] for method in sorted(best, key=lambda m: best[m])}


def edges(run: "FigureRun") -> list[str]:
    """One sentence for each method whose best setting is the last of those tried, and one beyond it may be better.

    Of a method by SGD it is the rate or the decay, at its best place; of a kernel a number in its text, such as its
    bandwidth. For ridges ``summarise`` says it.
    """
    return [*_edges_by_sgd(run), *_edges_of_kernels(run)]


def _edges_by_sgd(run: "FigureRun") -> list[str]:
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
            sentences.append(_sentence(f"{method}{where}", edges))
    return sentences


def _edges_of_kernels(run: "FigureRun") -> list[str]:
    trials = run.table[run.table.kernel.notna()]
    keys = ["method", "beta"] if run.axis == "beta" else ["method"]
    sentences = []
    for key, same in trials.groupby(keys, sort=True):
        errors = means_of_settings(same, "validation").groupby("kernel")["mean"].min()
        edges = [f"the {end} {name} tried ({value:g})" for name, value, end in _last_numbers(errors)]
        if edges:
            sentences.append(_sentence(f"{key[0]} at beta {key[1]:g}" if len(keys) > 1 else str(key[0]), edges))
    return sentences


def _last_numbers(errors: pd.Series) -> list[tuple[str, float, str]]:
    """Each number of the best kernel that is the last one tried while the error falls towards it."""
    tried = {text: _arguments(str(text)) for text in errors.index}
    best = tried[errors.idxmin()]
    last = []
    for name, value in best.items():
        if not isinstance(value, float):
            continue
        line = {
            number: float(errors[text])
            for text, a in tried.items()
            if a.keys() == best.keys() and _only(name, a, best) and isinstance(number := a[name], float)
        }
        end = at_edge(value, np.array(list(line)))
        if end and len(line) > 1:
            nearest = min(set(line) - {value}, key=lambda other: abs(other - value))
            if line[nearest] > (1 + FLAT) * line[value]:
                last.append((name, value, end))
    return last


def _arguments(text: str) -> dict[str, object]:
    """What a kernel is made with, defaults included; nothing for a sum or a product."""
    kernel = kernels.get(text)
    return {f.name: getattr(kernel, f.name) for f in fields(kernel)} if is_dataclass(kernel) else {}


def _only(name: str, first: dict[str, object], second: dict[str, object]) -> bool:
    """Whether two kernels differ in this argument at most."""
    return all(first[key] == second[key] for key in second if key != name)


def _sentence(method: str, edges: list[str]) -> str:
    return f"{method}: the best is at {' and '.join(edges)}; one beyond it may be better."


def _grids(run: "FigureRun") -> list[tuple[str, str, pd.DataFrame]]:
    """Method, place and trials of each grid of rates and decays, searched and judged."""
    trials = run.table[run.table.kind == "sgd"]
    if trials.empty:
        return []
    keys = ["method", "width", "beta"] if run.axis == "beta" else ["method", "width"]
    return [
        (str(key[0]), format_place(group.iloc[0], run.axis), group) for key, group in trials.groupby(keys, sort=True)
    ]
