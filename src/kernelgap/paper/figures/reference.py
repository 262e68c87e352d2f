"""Kept results of an experiment, and a run beside them.

References are files of the package, in ``paper/results/NAME-SCALE``, where an installed kernelgap finds them as a
checkout does. They are small: the points of the figure, not its trials.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, model_validator

from kernelgap.atomic_file import read_small
from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.paper.kept_file import LARGEST, RESULTS, KeptFile

if TYPE_CHECKING:
    from kernelgap.paper.figures.result import FigureRun

TABLE, CHART = "summary.csv", "errors.svg"
SEEDS_NEEDED = 5
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
NAMED = 5  # as many points that differ are named

Error = Annotated[float, Field(ge=0, allow_inf_nan=False)] | None  # None: infinite, since seeds diverged
Number = Annotated[float, Field(allow_inf_nan=False)] | None


class Point(BaseModel):
    """A point of a figure: a method at a place with one setting, and its test errors over seeds (``summarise``).

    An error of None is infinite: the seed, or half of the seeds, diverged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    method: str
    learner: Literal["network", "kernel", "built"]
    width: int | None = None
    beta: Number = None
    median: Error
    mean: Error
    least: Error
    greatest: Error
    standard_error: Error
    seeds: Annotated[int, Field(ge=1)]
    best_on_test: Error
    validation_error: Error = None
    train_error: Error = None
    norm: Number = None
    rate: Number = None
    decay: Number = None
    ridge: Number = None
    kernel: str | None = None
    edges: str = ""

    @model_validator(mode="after")
    def _ordered(self) -> "Point":
        least, median, greatest = (_infinite(v) for v in (self.least, self.median, self.greatest))
        if not least <= median <= greatest:
            raise InputError(f"the median {median:g} of {self.method} is not between {least:g} and {greatest:g}")
        return self

    @property
    def place(self) -> tuple[Any, ...]:
        """What identifies the point within its figure; a solution that was built has a point for each decay."""
        return (self.method, self.width, self.beta, self.decay if self.learner == "built" else None)

    @property
    def name(self) -> str:
        names = {"width": self.width, "beta": self.beta, "decay": self.place[3]}
        return ", ".join([self.method, *(f"{name} {value:g}" for name, value in names.items() if value is not None)])

    @property
    def range(self) -> tuple[float, float]:
        return _infinite(self.least), _infinite(self.greatest)

    @property
    def text(self) -> str:
        """The median and the range, to three digits."""
        least, greatest = self.range
        return f"{_infinite(self.median):.3g} ({least:.3g} to {greatest:.3g})"


class Fit(BaseModel):
    """One training of a figure against norms: what was found there counts, not what is picked."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    seed: int
    width: int
    rate: float
    decay: float
    status: str
    train_error: Error
    test_error: Error
    norm: Number


class Reference(KeptFile):
    """What is kept of a finished run.

    Attributes
    ----------
    experiment, scale, title, problem, samples, x, threshold
        What was run.
    seeds, search_seeds
        Those of the judged trials, and those of the search for settings.
    version, code, date, environment
        What made it: kernelgap's version, a digest of the code that the numbers depend on, the day (UTC) of the last
        trial, versions and kind of machine.
    sentence, gap
        What the run concluded.
    points
        The figure.
    fits
        Of a figure against norms each network that was trained, those of the search too.
    files
        The digests of the table and of the chart beside it.
    """

    FILE, ENTRIES, CALLED = "reference.json", "points", "reference"

    experiment: str
    scale: str
    title: str
    problem: str
    samples: Annotated[int, Field(ge=1)]
    x: Literal["width", "beta", "norm"]
    threshold: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    seeds: Annotated[list[int], Field(min_length=SEEDS_NEEDED)]
    search_seeds: list[int]
    version: str
    code: str
    date: str
    environment: dict[str, str]
    sentence: str
    gap: dict[str, Any] | None
    points: Annotated[list[Point], Field(min_length=1)]
    fits: Annotated[list[Fit], Field(default_factory=list)]
    files: dict[str, str]

    def check_files(self, folder: Path) -> None:
        for name, expected in self.files.items():
            if name not in (TABLE, CHART) or fingerprint(read_small(folder / name, LARGEST)) != expected:
                raise InputError(f"'{name}' is not the file that was kept")


def points_of(summary: pd.DataFrame) -> list[Point]:
    """The rows of ``summarise`` as points, their numbers to six digits."""
    columns = [name for name in Point.model_fields if name in summary]
    rows = summary[columns].to_dict("records")
    return [Point.model_validate({str(name): _plain(value) for name, value in row.items()}) for row in rows]


def fits_of(table: pd.DataFrame) -> list[Fit]:
    """The networks of a table of trials that were trained, numbers to six digits."""
    rows = table.loc[table.kind == "sgd", list(Fit.model_fields)].to_dict("records")
    return [Fit.model_validate({str(name): _plain(value) for name, value in row.items()}) for row in rows]


def read_reference(folder: str | Path) -> Reference:
    """The reference in a folder.

    Parameters
    ----------
    folder
        Where ``kernelgap report DIR --keep`` wrote it.

    Raises
    ------
    InputError
        If there is none, or a part of it is damaged.
    """
    return Reference.read(folder)


def folder_of(name: str, scale: str, root: Path | None = None) -> Path:
    """Where the reference of an experiment at a scale is kept."""
    for what, text in {"name": name, "scale": scale}.items():
        if not NAME.fullmatch(text):
            raise InputError(f"The {what} '{text}' cannot be that of a folder: only letters, digits, '_', '.' and '-'.")
    return (RESULTS if root is None else root) / f"{name}-{scale}"


def kept_references(root: Path | None = None) -> list[Reference]:
    """All that are kept, by name and scale."""
    root = RESULTS if root is None else root
    return [read_reference(path.parent) for path in sorted(root.glob(f"*/{Reference.FILE}"))]


@dataclass(frozen=True)
class Beside:
    """A point of a run beside the same point of the reference.

    They agree if the ranges over seeds meet: the run's median lies within the reference's range, widened by as far as
    the run's own seeds reach from that median.
    """

    mine: Point
    kept: Point

    @property
    def agrees(self) -> bool:
        (low, high), (kept_low, kept_high) = self.mine.range, self.kept.range
        return low <= kept_high and kept_low <= high

    @property
    def by_luck(self) -> float:
        """The chance that they do not agree although all seeds have one distribution: all of one side come first."""
        return 2 / comb(self.mine.seeds + self.kept.seeds, self.mine.seeds)

    def as_record(self) -> dict[str, Any]:
        names = ("method", "width", "beta", "median", "least", "greatest", "seeds")
        kept = {name: getattr(self.kept, name) for name in names[3:]}
        return {**{name: getattr(self.mine, name) for name in names}, "kept": kept, "agrees": self.agrees}


@dataclass(frozen=True)
class ReferenceComparison:
    """A run beside the kept reference of its experiment and scale.

    Attributes
    ----------
    points
        Those that both have.
    sentence
        What came of it, in short; or why the reference was refused.
    reference
        None where it was refused.
    missing
        The points of the reference that the run does not have.
    """

    sentence: str
    reference: Reference | None = None
    points: Sequence[Beside] = ()
    missing: Sequence[Point] = ()

    def as_record(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        kept = (
            None if self.reference is None else self.reference.model_dump(include={"version", "code", "date", "seeds"})
        )
        return {
            "sentence": self.sentence,
            "made": kept,
            "agree": sum(point.agrees for point in self.points),
            "points": [point.as_record() for point in self.points],
            "missing": [point.name for point in self.missing],
        }


def compare_with_kept(run: "FigureRun") -> ReferenceComparison | None:
    """A run beside the reference of its experiment and scale; None if none is kept, or it is of something else."""
    if not (NAME.fullmatch(run.name) and NAME.fullmatch(run.scale)):
        return None
    folder = folder_of(run.name, run.scale)
    if not folder.is_dir():
        return None
    try:
        reference = read_reference(folder)
    except InputError as error:
        return ReferenceComparison(str(error))
    same = all(getattr(run, name) == getattr(reference, name) for name in ("problem", "samples", "x"))
    return compare(run, reference) if same else None


def compare(run: "FigureRun", reference: Reference) -> ReferenceComparison:
    """Point by point: whether the ranges over seeds meet.

    Parameters
    ----------
    run
        Any figure's run, finished or not.
    reference
        Of ``read_reference``.
    """
    mine = {point.place: point for point in points_of(run.summary)}
    points = [Beside(mine[kept.place], kept) for kept in reference.points if kept.place in mine]
    missing = [kept for kept in reference.points if kept.place not in mine]
    return ReferenceComparison(_sentence(run, reference, points, missing), reference, points, missing)


def _sentence(run: "FigureRun", reference: Reference, points: Sequence[Beside], missing: Sequence[Point]) -> str:
    seeds = len(reference.seeds)
    made = f"{seeds} seeds, kernelgap {reference.version}, {reference.date}"
    differ = [point for point in points if not point.agrees]
    text = f"Beside the kept reference ({made}): {len(points) - len(differ)} of {len(points)} points agree, "
    text += "their ranges over seeds meet"
    shared = len(set(run.seeds) & set(reference.seeds))
    if shared:
        text += f"; {shared} of the seeds are the same."
    else:
        luck = sum(point.by_luck for point in points)
        text += f"; by the luck of the seeds alone {luck:.2g} of them would not."
    if differ:
        named = [f"{point.mine.name}: {point.mine.text}, kept {point.kept.text}" for point in differ[:NAMED]]
        named += [f"{len(differ) - NAMED} more"] if len(differ) > NAMED else []
        text += f" Not so: {'; '.join(named)}."
    if missing:
        text += f" {len(missing)} of the reference's points {'are' if len(missing) > 1 else 'is'} not in this run."
    if reference.code != run.code:
        text += f" The reference was made with another version of the code (kernelgap {reference.version})."
    return text


def _plain(value: object) -> object:
    """As JSON has it: None for what is missing or infinite."""
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _infinite(value: float | None) -> float:
    return math.inf if value is None else value
