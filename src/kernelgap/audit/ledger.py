"""One SQLite file for an audit, kept like any run."""

from dataclasses import dataclass
from typing import ClassVar

from kernelgap.audit.cell import Cell, Outcome
from kernelgap.sweeps.run_file import RunFile

FIELDS = ("contender", "samples", "seed", "validation_error", "setting", "tried", "predictions", "model")


@dataclass(frozen=True)
class Kept:
    """An outcome with what it is the outcome of."""

    contender: str
    samples: int
    seed: int
    outcome: Outcome


class Ledger(RunFile):
    """What came of each cell, in one transaction."""

    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS outcomes (chunk TEXT PRIMARY KEY REFERENCES chunks (id), contender TEXT NOT NULL, "
        "samples INTEGER NOT NULL, seed INTEGER NOT NULL, validation_error REAL NOT NULL, setting TEXT NOT NULL, "
        "tried TEXT NOT NULL, predictions BLOB NOT NULL, model BLOB)",
    )
    COLUMNS: ClassVar = {"outcomes": ("chunk", *FIELDS)}

    def save(self, cell: Cell, outcome: Outcome) -> None:
        row = (
            cell.id,
            cell.contender,
            cell.samples,
            cell.seed,
            outcome.validation_error,
            outcome.setting,
            outcome.tried,
            outcome.predictions,
            outcome.model,
        )
        with self._saving(cell, outcome.seconds) as connection:
            connection.execute(f"INSERT INTO outcomes VALUES ({', '.join('?' * len(row))})", row)

    def outcomes(self) -> list[Kept]:
        """All that is there, models left out."""
        rows = self._connection.execute(
            "SELECT contender, samples, seed, seconds, validation_error, setting, tried, predictions, NULL "
            "FROM outcomes JOIN chunks ON chunks.id = outcomes.chunk ORDER BY samples, contender, seed"
        )
        return [Kept(row[0], row[1], row[2], Outcome(*row[3:])) for row in rows]

    def models(self) -> set[str]:
        """The contenders of which a model was kept."""
        return {row[0] for row in self._connection.execute("SELECT contender FROM outcomes WHERE model IS NOT NULL")}

    def model(self, contender: str) -> bytes | None:
        """The model that was kept of a contender; None if none was."""
        row = self._connection.execute(
            "SELECT model FROM outcomes WHERE contender = ? AND model IS NOT NULL", (contender,)
        ).fetchone()
        return None if row is None else bytes(row[0])
