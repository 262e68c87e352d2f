"""The figures as claims: a part of an experiment's grid, fitted in this process, and its best results by method."""

import dataclasses
import tempfile
from collections.abc import Sequence
from typing import Any

import pandas as pd

from kernelgap import problems
from kernelgap.paper import figures as experiments
from kernelgap.paper.claims.claim import Numbers
from kernelgap.paper.figures import Built, Experiment, Grid, KernelLines, RidgePaths, Scale
from kernelgap.runs import TrialStore, plan_chunks, run_chunk

Part = Grid | RidgePaths | KernelLines | Built
SMALL = "part"  # the scale of a part of an experiment
COLUMNS = ("kind", "network", "mode", "rate", "decay", "ridge", "validation_error", "test_error", "test_standard_error")


def fit(name: str, parts: Sequence[Part], scale: str, seed: int) -> pd.DataFrame:
    """The finished trials of these parts of an experiment at scale quick; at scale full of its own quick grid."""
    experiment = experiments.get(name)
    own = experiment.scales["quick"]
    some = Scale(tuple(parts), seeds=1, effort="a part", schedule=own.schedule)
    chosen: Experiment = dataclasses.replace(experiment, scales={SMALL: some, "quick": own})
    chunks = plan_chunks(chosen.trials(SMALL if scale == "quick" else "quick", seed))
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as store:
        for chunk in chunks:
            store.save(chunk, run_chunk(chunk))
        table = store.table()
    return table[table.status == "done"]


def picked(name: str, parts: Sequence[Part], by: Sequence[str], scale: str, seed: int) -> Numbers:
    """For each value of ``by`` the trial with the least validation error, beside the experiment's threshold."""
    table = fit(name, parts, scale, seed)
    best = table.loc[table.groupby(list(by), dropna=False).validation_error.idxmin()]
    line = problems.get(experiments.get(name).problem).threshold
    return {"name": name, "threshold": float(line), "rows": plain_rows(best[list(dict.fromkeys((*by, *COLUMNS)))])}


def plain_rows(table: pd.DataFrame) -> list[Numbers]:
    """A table's rows as JSON can hold them."""
    return [{str(k): None if pd.isna(v) else v for k, v in row.items()} for row in table.to_dict("records")]


def least(rows: Sequence[Numbers], **wanted: Any) -> Numbers:
    """The row with the least test error among those that have these values."""
    these = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return min(these, key=lambda row: row["test_error"])
