"""The figures as claims: a part of an experiment's grid, fitted in this process, and its best results by method."""

import dataclasses
import tempfile
from collections.abc import Sequence
from typing import Any

import pandas as pd

from kernelgap import problems
from kernelgap.paper import figures as experiments
from kernelgap.paper.figures import Built, Experiment, Grid, KernelLines, RidgePaths, Scale
from kernelgap.runs import TrialStore, plan_chunks, run_chunk

Part = Grid | RidgePaths | KernelLines | Built
SMALL = "part"  # the scale of a part of an experiment


def fit(name: str, parts: Sequence[Part], scale: str, seed: int) -> pd.DataFrame:
    """The results of an experiment: at scale quick of these parts of it, at scale full of its own quick grid."""
    experiment = experiments.get(name)
    own = experiment.scales["quick"]
    some = Scale(tuple(parts), seeds=1, effort="a part", schedule=own.schedule)
    chosen: Experiment = dataclasses.replace(experiment, scales={SMALL: some, "quick": own})
    chunks = plan_chunks(chosen.trials(SMALL if scale == "quick" else "quick", seed))
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as store:
        for chunk in chunks:
            store.save(chunk, run_chunk(chunk))
        return store.table()


def picked(table: pd.DataFrame, by: Sequence[str] = ("method", "width")) -> list[dict[str, Any]]:
    """For each method and width the trial with the least validation error, as plain numbers."""
    done = table[table.status == "done"]
    best = done.loc[done.groupby(list(by), dropna=False).validation_error.idxmin()]
    kept = [
        *by,
        "kind",
        "network",
        "mode",
        "rate",
        "decay",
        "ridge",
        "validation_error",
        "test_error",
        "test_standard_error",
    ]
    names = list(dict.fromkeys(kept))
    return [
        {
            str(name): None if pd.isna(value) else getattr(value, "item", lambda value=value: value)()
            for name, value in row.items()
        }
        for row in best[names].to_dict("records")
    ]


def threshold(name: str) -> float:
    return float(problems.get(experiments.get(name).problem).threshold)


def least(rows: Sequence[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    """The row with the least test error among those that have these values."""
    these = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return min(these, key=lambda row: row["test_error"])
