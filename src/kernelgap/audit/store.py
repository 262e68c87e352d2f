"""The SQLite file of an audit: judgements, outcomes and refitted models."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field, Json, TypeAdapter

from kernelgap.audit.chunks import AuditChunk, Done, Fitting, Judgement, Outcome, Refitted, Refitting
from kernelgap.audit.contenders.view import SettingErrors
from kernelgap.runs.store import KindStore, as_stored

Count = Annotated[int, Field(ge=0)]
Size = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_JUDGEMENTS = TypeAdapter(list[tuple[str, Count, Count, Size, str]])
_JUDGED = TypeAdapter(list[Json[SettingErrors]])
_SETTINGS = TypeAdapter(list[Json[dict[str, Annotated[float, Field(allow_inf_nan=False)]]]])
_OUTCOMES = TypeAdapter(list[tuple[str, Count, Count, str, float, Size, bytes]])
_MODELS = TypeAdapter(list[tuple[str, Count]])
_FILES = TypeAdapter(list[tuple[Count, bytes]])


@dataclass(frozen=True)
class FitKey:
    """Which contender, with how many samples, with which seed."""

    contender: str
    samples: int
    seed: int


@dataclass(frozen=True)
class ChosenFit:
    """A setting that was fitted, and its outcome."""

    setting: str
    validation_error: float
    outcome: Outcome


class AuditStore(KindStore):
    """The results of each chunk, saved in one transaction."""

    KIND: ClassVar = "audit"
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

    def save(self, chunk: AuditChunk, done: Done) -> None:
        key: tuple[Any, ...] = (chunk.id, chunk.contender, chunk.samples)
        with self._saving(chunk, done.seconds) as connection:
            if isinstance(done, Judgement):
                table, row = "judgements", (*key, chunk.seed, done.content)
            elif isinstance(done, Refitted) and isinstance(chunk, Refitting):
                table, row = "refitted", (*key, chunk.setting, done.model)
            elif isinstance(done, Outcome) and isinstance(chunk, Fitting):
                own = done.validation_error
                choice = (chunk.setting, chunk.validation_error if own is None else own)
                table, row = "outcomes", (*key, chunk.seed, *choice, done.predictions, done.model)
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def judgements(self) -> dict[FitKey, Judgement]:
        rows = self._rows(
            "SELECT contender, samples, seed, seconds, content FROM judgements JOIN chunks ON chunks.id = chunk"
        )
        with as_stored(self.folder, "a judgement"):
            stored = _JUDGEMENTS.validate_python(rows, strict=True)
            _JUDGED.validate_python([row[4] for row in stored])
            return {FitKey(*row[:3]): Judgement(*row[3:]) for row in stored}

    def outcomes(self) -> dict[FitKey, ChosenFit]:
        """All fits without their models. If a setting was chosen anew, as more seeds came, the last one."""
        rows = self._rows(
            "SELECT contender, samples, seed, setting, validation_error, seconds, predictions "
            "FROM outcomes JOIN chunks ON chunks.id = chunk ORDER BY outcomes.rowid"
        )
        with as_stored(self.folder, "an outcome"):
            stored = _OUTCOMES.validate_python(rows, strict=True)
            _SETTINGS.validate_python([row[3] for row in stored])
            return {FitKey(*row[:3]): ChosenFit(row[3], row[4], Outcome(*row[5:], None)) for row in stored}

    def models(self) -> set[tuple[str, int]]:
        """The contenders and numbers of samples with a stored model."""
        rows = self._rows("SELECT contender, samples FROM outcomes WHERE model IS NOT NULL")
        with as_stored(self.folder, "a model"):
            return set(_MODELS.validate_python(rows, strict=True))

    def stored_model(self, contender: str, samples: int, setting: str) -> tuple[int, bytes] | None:
        """(rows that it learned from, the model's file): refitted with this setting, or else as it was tested."""
        files = []
        if self._rows("SELECT 1 FROM sqlite_master WHERE name = 'refitted'"):
            where = "contender = ? AND setting = ? AND rows > ? ORDER BY rows DESC, rowid DESC LIMIT 1"
            files = self._rows(f"SELECT rows, model FROM refitted WHERE {where}", contender, setting, samples)
        where = "contender = ? AND samples = ? AND model IS NOT NULL ORDER BY rowid DESC LIMIT 1"
        files = files or self._rows(f"SELECT samples, model FROM outcomes WHERE {where}", contender, samples)
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
