"""One SQLite file for the claims that were measured, kept like any run."""

from typing import ClassVar

from kernelgap.claims.measurement import Measured, Measurement
from kernelgap.sweeps.run_file import RunFile


class Ledger(RunFile):
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
        """What is there, by the identities of the measurements."""
        rows = self._connection.execute(
            "SELECT chunk, claim, seconds, numbers FROM measurements JOIN chunks ON chunks.id = measurements.chunk"
        )
        return {chunk: Measured(claim, seconds, numbers) for chunk, claim, seconds, numbers in rows}
