"""Studies as a kind of run: each part is a chunk of work, its rows are stored as JSON."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
from pydantic import TypeAdapter

from kernelgap.errors import InputError
from kernelgap.machine import cores
from kernelgap.number_text import finite_or_none
from kernelgap.paper.studies.registry import get
from kernelgap.paper.studies.study import Part, Row, Study
from kernelgap.runs.kind import SHARED_CODE, Kind, Plan
from kernelgap.runs.result import Run
from kernelgap.runs.start import default_folder
from kernelgap.runs.store import KindStore, as_stored

_STORED = TypeAdapter(list[tuple[str, str]])


@dataclass(frozen=True)
class StudyChunk:
    """A part of a study that is to be measured."""

    study: str
    scale: str
    part: Part
    seed: int

    @property
    def id(self) -> str:
        return f"{self.study} {self.scale} {self.seed} {self.label}"

    @property
    def label(self) -> str:
        return self.part.label

    @property
    def cost(self) -> float:
        return self.part.cost


@dataclass(frozen=True)
class MeasuredPart:
    """The rows, as JSON, and the seconds that they took."""

    rows: str
    seconds: float


def measure(chunk: StudyChunk, on_progress: Callable[[float], None] | None = None) -> MeasuredPart:
    """Measure a part. The rows depend on the chunk alone, not on the process."""
    began = time.perf_counter()
    rows = chunk.part.measure(chunk.seed)
    return MeasuredPart(json.dumps(list(rows), allow_nan=False), time.perf_counter() - began)


class StudyStore(KindStore):
    """The rows of each part, in one transaction."""

    KIND: ClassVar = "study"
    TABLES: ClassVar = (
        "CREATE TABLE IF NOT EXISTS parts (chunk TEXT PRIMARY KEY REFERENCES chunks (id), rows TEXT NOT NULL)",
    )
    COLUMNS: ClassVar = {"parts": ("chunk", "rows")}

    def save(self, chunk: StudyChunk, measured: MeasuredPart) -> None:
        with self._saving(chunk, measured.seconds) as connection:
            connection.execute("INSERT INTO parts VALUES (?, ?)", (chunk.id, measured.rows))

    def rows(self) -> list[Row]:
        """What was measured, as the study says that its rows are."""
        stored = self._rows("SELECT chunk, rows FROM parts ORDER BY chunk")
        with as_stored(self.folder, "what was measured", mistakes=True):
            schema = get(str(self.description().get("experiment"))).schema
            parts = [
                schema.validate_json(text, strict=True) for _, text in _STORED.validate_python(stored, strict=True)
            ]
        return [each for part in parts for each in part]

    def check(self) -> None:
        super().check()
        if self.description():
            self.rows()


@dataclass(frozen=True, kw_only=True)
class StudyRun(Run):
    """A study: ``table`` has every row that was measured, ``rows`` those of the page's table.

    Attributes
    ----------
    study
        What was asked.
    rows
        Summarised over seeds.
    answer
        What came of it, in a sentence.
    """

    kind = "study"
    part = "part"

    study: Study = field(repr=False)
    rows: tuple[Row, ...]
    answer: str

    @property
    def sentence(self) -> str:
        return self.answer

    def as_record(self) -> dict[str, Any]:
        return {
            "experiment": self.name,
            "scale": self.scale,
            "seed": self.seed,
            "folder": str(self.folder),
            "title": self.study.title,
            "sentence": self.sentence,
            "rows": [{name: finite_or_none(value) for name, value in row.items()} for row in self.rows],
        }


def plan_study(name: str, scale: str, seed: int, out: Path | None) -> Plan:
    """The parts of a study at a scale, the longest first."""
    study = get(name)
    parts = sorted(study.scale(scale).parts, key=lambda part: -part.cost)
    chunks = [StudyChunk(name, scale, part, seed) for part in parts]
    return Plan(
        folder=out or default_folder(name, scale, seed),
        description={"experiment": name, "scale": scale, "seed": seed, "chunks": sorted(chunk.id for chunk in chunks)},
        notes={"title": study.title},
        chunks=chunks,
        title=f"{name} ({scale})",
        estimate=lambda left, workers: sum(chunk.cost for chunk in left) / (workers or cores()),
    )


def read_study(folder: Path) -> StudyRun:
    """What is finished in the folder of a study.

    Parameters
    ----------
    folder
        Where the run is stored.

    Raises
    ------
    InputError
        If nothing is finished, or the folder is damaged.
    """
    with StudyStore.reading(folder) as store:
        measured, common = store.rows(), store.common()
    if not measured:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    study = get(common["name"])
    with as_stored(folder, "what was measured", mistakes=True):
        rows = tuple(study.summarise(measured))
        return StudyRun(**common, table=pd.DataFrame(measured), study=study, rows=rows, answer=study.sentence(rows))


KIND = Kind(
    store=StudyStore,
    work=measure,
    read=read_study,
    page="kernelgap.reports.study.page:write_study_page",
    code=(
        *SHARED_CODE,
        *("problems", "networks", "training", "kernels", "regression", "certificates", "curves"),
        *("paper/theory", "paper/algorithms", "paper/claims", "paper/studies"),
    ),
    plan=plan_study,
)
