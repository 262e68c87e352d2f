"""A claim at a scale with a seed: the unit of work, what a worker makes of it, and the SQLite file that keeps it."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field, TypeAdapter

from kernelgap.paper.claims.registry import get
from kernelgap.runs.store import KindStore, as_stored

_STORED = TypeAdapter(list[tuple[str, Annotated[float, Field(ge=0, allow_inf_nan=False)], str]])


@dataclass(frozen=True)
class ClaimChunk:
    """What is to be measured."""

    claim: str
    scale: str
    seed: int

    @property
    def id(self) -> str:
        return f"{self.claim} {self.scale} {self.seed}"

    @property
    def label(self) -> str:
        return self.claim

    @property
    def cost(self) -> float:
        return get(self.claim).seconds


@dataclass(frozen=True)
class Measured:
    """The numbers, as JSON, and the seconds that they took."""

    claim: str
    seconds: float
    numbers: str

    def read(self) -> dict[str, Any]:
        return dict(json.loads(self.numbers))


def measure(chunk: ClaimChunk, on_progress: Callable[[float], None] | None = None) -> Measured:
    """Measure a claim. The result depends on the chunk alone, not on the process."""
    began = time.perf_counter()
    numbers = get(chunk.claim).measure(chunk.scale, chunk.seed)
    text = json.dumps(numbers, allow_nan=False)
    return Measured(chunk.claim, time.perf_counter() - began, text)


class ClaimStore(KindStore):
    """What was measured, by the identity of the measurement; each in one transaction."""

    KIND: ClassVar = "claims"
    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS measurements (chunk TEXT PRIMARY KEY REFERENCES chunks (id), claim TEXT NOT NULL, "
        "numbers TEXT NOT NULL)",
    )
    COLUMNS: ClassVar = {"measurements": ("chunk", "claim", "numbers")}

    def save(self, chunk: ClaimChunk, measured: Measured) -> None:
        row = (chunk.id, chunk.claim, measured.numbers)
        with self._saving(chunk, measured.seconds) as connection:
            connection.execute("INSERT INTO measurements VALUES (?, ?, ?)", row)

    def measured(self) -> dict[str, Measured]:
        """What is there, by the ids of the claims."""
        rows = self._rows(
            "SELECT claim, seconds, numbers FROM measurements JOIN chunks ON chunks.id = measurements.chunk"
        )
        with as_stored(self.folder, "what was measured"):
            stored = _STORED.validate_python(rows, strict=True)
            return {row[0]: Measured(*row) for row in stored}

    def check(self) -> None:
        super().check()
        with as_stored(self.folder, "what was measured"):
            for measured in self.measured().values():
                measured.read()
