"""The trials of a run and what came of each, beside the run's chunks."""

from functools import cache
from typing import ClassVar

import pandas as pd
from pydantic_core import from_json, to_json

from kernelgap import problems
from kernelgap.sweeps.chunk import Chunk, ChunkResult
from kernelgap.sweeps.run_file import RunFile
from kernelgap.sweeps.trial import AnyTrial, method_of, read_trial

TRIAL_COLUMNS = (
    "id",
    "chunk",
    "description",
    "status",
    "train_error",
    "validation_error",
    "test_error",
    "test_standard_error",
    "diverged_at",
    "curves",
    "measures",
)
WORDS = ("network", "mode", "kernel", "recipe")  # what a method is called by


class Store(RunFile):
    """A run of trials."""

    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS trials (id TEXT PRIMARY KEY, chunk TEXT NOT NULL REFERENCES chunks (id), "
        "description TEXT NOT NULL, status TEXT NOT NULL, train_error REAL, validation_error REAL, test_error REAL, "
        "test_standard_error REAL, diverged_at INTEGER, curves TEXT NOT NULL, measures TEXT NOT NULL DEFAULT '{}')",
    )
    COLUMNS: ClassVar = {"trials": TRIAL_COLUMNS}

    def save(self, chunk: Chunk, result: ChunkResult) -> None:
        by_id = dict(zip(chunk.trial_ids, chunk.trials, strict=True))
        rows = [
            (
                r.trial_id,
                chunk.id,
                by_id[r.trial_id].model_dump_json(),
                r.status,
                r.train_error,
                r.validation_error,
                r.test_error,
                r.test_standard_error,
                r.diverged_at,
                to_json(r.curves).decode(),
                to_json(r.measures).decode(),
            )
            for r in result.results
        ]
        with self._saving(chunk, result.seconds) as connection:
            connection.executemany(f"INSERT INTO trials VALUES ({', '.join('?' * len(TRIAL_COLUMNS))})", rows)

    def times(self) -> pd.DataFrame:
        """Each finished chunk: its seconds of work, when it was stored (UTC), and how many trials it holds."""
        query = "SELECT id AS chunk, label, seconds, finished, \
                 (SELECT COUNT(*) FROM trials WHERE chunk = chunks.id) AS trials FROM chunks ORDER BY finished, id"
        return pd.read_sql_query(query, self._connection, parse_dates=["finished"])

    def trials(self) -> dict[str, AnyTrial]:
        """The finished trials by their ids."""
        rows = self._connection.execute("SELECT id, description FROM trials")
        return {trial_id: read_trial(description) for trial_id, description in rows}

    def table(self) -> pd.DataFrame:
        """One row a finished trial, in an order that does not depend on which chunk finished first."""
        results = ("status", "train_error", "validation_error", "test_error", "test_standard_error", "diverged_at")
        described = ("width", "samples", "seed", "rate", "decay", "ridge")
        names = ("method", "kind", *WORDS[:3], "problem", "beta", *described, *results, "trial", "curves")
        rows = []
        beta = cache(lambda problem: problems.get(problem).beta)
        measured = []
        for trial_id, description, curves, measures, *values in self._connection.execute(
            f"SELECT id, description, curves, measures, {', '.join(results)} FROM trials"
        ):
            trial = from_json(description)
            kind, words = trial["kind"], [trial.get(name) for name in WORDS]
            numbers = [trial["problem"], beta(trial["problem"]), *(trial.get(name) for name in described)]
            rows.append((method_of(kind, *words), kind, *words[:3], *numbers, *values, trial_id, from_json(curves)))
            measured.append(from_json(measures))
        order = ["method", "problem", "width", "kernel", "seed", "rate", "decay", "ridge", "trial"]
        if not rows:
            return pd.DataFrame(columns=order)
        types = {"width": "Int64", "diverged_at": "Int64", "rate": float, "decay": float, "ridge": float}
        table = pd.DataFrame(rows, columns=list(names)).astype(types).join(pd.DataFrame(measured))
        text = table.assign(kernel=table.kernel.fillna(""))
        return table.loc[text.sort_values(order).index].reset_index(drop=True)
