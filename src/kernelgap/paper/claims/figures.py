"""The figures as claims: a part of an experiment, searched and judged in this process, and a point for each method."""

import dataclasses
import tempfile
from collections.abc import Sequence
from typing import Any

import pandas as pd

from kernelgap import problems
from kernelgap.paper import figures as experiments
from kernelgap.paper.claims.claim import Numbers
from kernelgap.paper.figures import Built, Experiment, Grid, KernelLines, RidgePaths, Scale, Search, summarise
from kernelgap.paper.figures.picks import judged_trials
from kernelgap.paper.figures.searches import FIRST_SEED, width_searches, with_stage
from kernelgap.runs import TrialStore, plan_chunks, run_chunk

Part = Grid | Search | RidgePaths | KernelLines | Built
Parts = dict[str, tuple[Part, ...]]  # by the scale of the claim
SEEDS = 5  # that are judged; a search has others
COLUMNS = ("method", "learner", "width", "beta", "median", "mean", "least", "greatest", "seeds", "rate", "decay")
READING = 1.5  # a value read off a figure with a logarithmic axis is right to this factor


def fit(name: str, parts: Sequence[Part], scale: str, seed: int) -> pd.DataFrame:
    """The finished trials of these parts of an experiment, over ``SEEDS`` seeds; ``stage`` tells those of searches.

    The schedule is that of the experiment: at scale full as at its scale "paper".
    """
    experiment = experiments.get(name)
    scales = {"quick": "quick", "full": "paper"}
    part = Scale(tuple(parts), seeds=SEEDS, schedule=experiment.scales[scales[scale]].schedule)
    chosen: Experiment = dataclasses.replace(experiment, scales={"part": part})
    searches = width_searches(chosen, part, seed)
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as store:
        known, finished = plan_chunks(chosen.trials("part", seed)), set[str]()
        while True:
            errors = store.validation_errors()
            left = [c for c in (*known, *(c for s in searches for c in s.next(errors))) if c.id not in finished]
            if not left:
                break
            for chunk in left:
                store.save(chunk, run_chunk(chunk))
                finished.add(chunk.id)
        return with_stage(store.table(), seed + FIRST_SEED)


def points(name: str, parts: Parts, scale: str, seed: int) -> Numbers:
    """A point for each method and width or beta: the median over seeds, and the range, beside the threshold."""
    table = fit(name, parts[scale], scale, seed)
    summary = summarise(table)
    line = problems.get(experiments.get(name).problem).threshold
    rows = plain_rows(summary[[column for column in COLUMNS if column in summary]])
    return {"name": name, "scale": scale, "threshold": float(line), "trials": len(judged_trials(table)), "rows": rows}


def plain_rows(table: pd.DataFrame) -> list[Numbers]:
    """A table's rows as JSON can hold them."""
    return [{str(k): None if pd.isna(v) else v for k, v in row.items()} for row in table.to_dict("records")]


def best(rows: Sequence[Numbers], **wanted: Any) -> Numbers:
    """The row with the least median among those that have these values."""
    these = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return min(these, key=lambda row: row["median"])


def spread(row: Numbers) -> str:
    """A point in words: 0.012 (0.006 to 0.098)."""
    return f"{row['median']:.3g} ({row['least']:.3g} to {row['greatest']:.3g})"


def beside(row: Numbers, value: float) -> str:
    """Whether the range over seeds is "above", "below" or "about" a value that was read off a figure."""
    if row["least"] > READING * value:
        return "above"
    return "below" if row["greatest"] < value / READING else "about"
