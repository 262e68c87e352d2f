"""One SQLite file for the claims that were measured, kept like any run."""

from typing import Annotated, ClassVar

from pydantic import Field, TypeAdapter

from kernelgap.paper.claims.measurement import Measured, Measurement
from kernelgap.runs.store import ResultStore, as_stored

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_STORED = TypeAdapter(list[tuple[str, Seconds, str]])


class ClaimStore(ResultStore):
    """What was measured, by the identity of the measurement; each in one transaction."""

    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS measurements (chunk TEXT PRIMARY KEY REFERENCES chunks (id), claim TEXT NOT NULL, "
        "numbers TEXT NOT NULL)",
    )
    COLUMNS: ClassVar = {"measurements": ("chunk", "claim", "numbers")}

    def save(self, measurement: Measurement, measured: Measured) -> None:
        row = (measurement.id, measurement.claim, measured.numbers)
        with self._saving(measurement, measured.seconds) as connection:
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
