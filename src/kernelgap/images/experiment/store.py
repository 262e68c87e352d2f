"""One SQLite file for a run on images, kept like any run."""

from typing import ClassVar

from kernelgap.images.experiment.outcome import ImageOutcome
from kernelgap.images.experiment.piece import Piece
from kernelgap.images.experiment.trials import AnyImageTrial, read_image_trial
from kernelgap.runs.store import ResultStore, as_stored


class ImageStore(ResultStore):
    """What came of each trial, in one transaction."""

    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS outcomes (chunk TEXT PRIMARY KEY REFERENCES chunks (id), trial TEXT NOT NULL, "
        "content TEXT NOT NULL)",
    )
    COLUMNS: ClassVar = {"outcomes": ("chunk", "trial", "content")}

    def save(self, piece: Piece, done: ImageOutcome) -> None:
        with self._saving(piece, done.seconds) as connection:
            row = (piece.id, piece.trial.model_dump_json(), done.as_json())
            connection.execute("INSERT INTO outcomes VALUES (?, ?, ?)", row)

    def outcomes(self) -> list[tuple[AnyImageTrial, ImageOutcome]]:
        rows = self._rows("SELECT trial, content FROM outcomes ORDER BY rowid")
        with as_stored(self.folder, "what came of a trial", mistakes=True):
            return [(read_image_trial(trial), ImageOutcome.from_json(content)) for trial, content in rows]

    def check(self) -> None:
        super().check()
        self.outcomes()
