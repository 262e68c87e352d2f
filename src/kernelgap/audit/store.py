"""One SQLite file for an audit, kept like any run."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, Json, TypeAdapter

from kernelgap.audit.cell import Cell, Done, Fitting, Judgement, Outcome, Refitted, Refitting
from kernelgap.audit.contenders.view import Judged
from kernelgap.runs.store import ResultStore, as_stored

Count = Annotated[int, Field(ge=0)]
Size = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_JUDGEMENTS = TypeAdapter(list[tuple[str, Count, Count, Size, str]])
_JUDGED = TypeAdapter(list[Json[Judged]])
_SETTINGS = TypeAdapter(list[Json[dict[str, Annotated[float, Field(allow_inf_nan=False)]]]])
_OUTCOMES = TypeAdapter(list[tuple[str, Count, Count, str, float, Size, bytes]])
_MODELS = TypeAdapter(list[tuple[str, Count]])
_FILES = TypeAdapter(list[tuple[Count, bytes]])


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


class AuditStore(ResultStore):
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
        rows = self._rows(
            "SELECT contender, samples, seed, seconds, content FROM judgements JOIN chunks ON chunks.id = chunk"
        )
        with as_stored(self.folder, "a judgement"):
            stored = _JUDGEMENTS.validate_python(rows, strict=True)
            _JUDGED.validate_python([row[4] for row in stored])
            return {Named(*row[:3]): Judgement(*row[3:]) for row in stored}

    def outcomes(self) -> dict[Named, Chosen]:
        """All that were fitted, models left out. If a setting was chosen anew, as more seeds came, the last one."""
        rows = self._rows(
            "SELECT contender, samples, seed, setting, validation_error, seconds, predictions "
            "FROM outcomes JOIN chunks ON chunks.id = chunk ORDER BY outcomes.rowid"
        )
        with as_stored(self.folder, "an outcome"):
            stored = _OUTCOMES.validate_python(rows, strict=True)
            _SETTINGS.validate_python([row[3] for row in stored])
            return {Named(*row[:3]): Chosen(row[3], row[4], Outcome(*row[5:], None)) for row in stored}

    def models(self) -> set[tuple[str, int]]:
        """The contenders and numbers of samples of which a model was kept."""
        rows = self._rows("SELECT contender, samples FROM outcomes WHERE model IS NOT NULL")
        with as_stored(self.folder, "a model"):
            return set(_MODELS.validate_python(rows, strict=True))

    def kept(self, contender: str, samples: int, setting: str) -> tuple[int, bytes] | None:
        """(rows that it learned from, the model's file): refitted with this setting, or else as it was tested."""
        files = []
        if self._rows("SELECT 1 FROM sqlite_master WHERE name = 'refitted'"):
            files = self._rows(
                "SELECT rows, model FROM refitted WHERE contender = ? AND setting = ? AND rows > ? "
                "ORDER BY rows DESC, rowid DESC LIMIT 1",
                contender,
                setting,
                samples,
            )
        files = files or self._rows(
            "SELECT samples, model FROM outcomes WHERE contender = ? AND samples = ? AND model IS NOT NULL "
            "ORDER BY rowid DESC LIMIT 1",
            contender,
            samples,
        )
        with as_stored(self.folder, "a model"):
            return _FILES.validate_python(files, strict=True)[0] if files else None

    def check(self) -> None:
        super().check()
        judgements, outcomes = self.judgements(), self.outcomes()
        with as_stored(self.folder, "what was judged", mistakes=True):
            for judgement in judgements.values():
                judgement.read()
            for chosen in outcomes.values():
                chosen.outcome.outputs()
