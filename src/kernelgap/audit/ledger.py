"""One SQLite file for an audit, kept like any run."""

from dataclasses import dataclass
from typing import ClassVar

from kernelgap.audit.cell import Cell, Done, Fitting, Judgement, Outcome, Refitted, Refitting
from kernelgap.sweeps.run_file import RunFile


@dataclass(frozen=True)
class Named:
    """Which contender, with how many samples, with which seed."""

    contender: str
    samples: int
    seed: int


@dataclass(frozen=True)
class Chosen:
    """A setting that was fitted, and what came of it."""

    setting: str
    validation_error: float
    outcome: Outcome


class Ledger(RunFile):
    """What came of each cell, in one transaction."""

    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS judgements (chunk TEXT PRIMARY KEY REFERENCES chunks (id), "
        "contender TEXT NOT NULL, samples INTEGER NOT NULL, seed INTEGER NOT NULL, content TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS outcomes (chunk TEXT PRIMARY KEY REFERENCES chunks (id), contender TEXT NOT NULL, "
        "samples INTEGER NOT NULL, seed INTEGER NOT NULL, setting TEXT NOT NULL, validation_error REAL NOT NULL, "
        "predictions BLOB NOT NULL, model BLOB)",
        "CREATE TABLE IF NOT EXISTS refitted (chunk TEXT PRIMARY KEY REFERENCES chunks (id), contender TEXT NOT NULL, "
        "rows INTEGER NOT NULL, setting TEXT NOT NULL, model BLOB NOT NULL)",
    )
    COLUMNS: ClassVar = {
        "judgements": ("chunk", "contender", "samples", "seed", "content"),
        "outcomes": ("chunk", "contender", "samples", "seed", "setting", "validation_error", "predictions", "model"),
    }

    def save(self, cell: Cell, done: Done) -> None:
        named = (cell.id, cell.contender, cell.samples, cell.seed)
        with self._saving(cell, done.seconds) as connection:
            if isinstance(done, Judgement):
                connection.execute("INSERT INTO judgements VALUES (?, ?, ?, ?, ?)", (*named, done.content))
            elif isinstance(done, Refitted) and isinstance(cell, Refitting):
                kept = (cell.id, cell.contender, cell.samples, cell.setting, done.model)
                connection.execute("INSERT INTO refitted VALUES (?, ?, ?, ?, ?)", kept)
            elif isinstance(done, Outcome) and isinstance(cell, Fitting):
                row = (*named, cell.setting, cell.validation_error, done.predictions, done.model)
                connection.execute("INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def judgements(self) -> dict[Named, Judgement]:
        rows = self._connection.execute(
            "SELECT contender, samples, seed, seconds, content FROM judgements JOIN chunks ON chunks.id = chunk"
        )
        return {Named(*row[:3]): Judgement(*row[3:]) for row in rows}

    def outcomes(self) -> dict[Named, Chosen]:
        """All that were fitted, models left out. If a setting was chosen anew, as more seeds came, the last one."""
        rows = self._connection.execute(
            "SELECT contender, samples, seed, setting, validation_error, seconds, predictions, NULL "
            "FROM outcomes JOIN chunks ON chunks.id = chunk ORDER BY outcomes.rowid"
        )
        return {Named(*row[:3]): Chosen(row[3], row[4], Outcome(*row[5:])) for row in rows}

    def models(self) -> set[tuple[str, int]]:
        """The contenders and numbers of samples of which a model was kept."""
        rows = self._connection.execute("SELECT contender, samples FROM outcomes WHERE model IS NOT NULL")
        return {(row[0], row[1]) for row in rows}

    def kept(self, contender: str, samples: int, setting: str) -> tuple[int, bytes] | None:
        """(rows that it learned from, the model's file): refitted with this setting, or else as it was tested."""
        if self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'refitted'").fetchone():
            row = self._connection.execute(
                "SELECT rows, model FROM refitted WHERE contender = ? AND setting = ? ORDER BY rows DESC, rowid DESC",
                (contender, setting),
            ).fetchone()
            if row is not None and row[0] > samples:
                return int(row[0]), bytes(row[1])
        row = self._connection.execute(
            "SELECT model FROM outcomes WHERE contender = ? AND samples = ? AND model IS NOT NULL ORDER BY rowid DESC",
            (contender, samples),
        ).fetchone()
        return None if row is None else (samples, bytes(row[0]))
