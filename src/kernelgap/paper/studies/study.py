"""What a study is: parts that workers measure, each giving rows of numbers, and what is said and drawn of the rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from kernelgap.errors import unknown
from kernelgap.paper.claims.claim import Picture

Row = dict[str, Any]  # numbers and texts, as JSON holds them
Rows = Sequence[Row]


@dataclass(frozen=True)
class Part:
    """A piece of work.

    Parameters
    ----------
    label
        Its name, which no other part of the scale has.
    cost
        About the seconds that it takes on one core.
    measure
        Gives its rows for the run's seed.
    """

    label: str
    cost: float
    measure: Callable[[int], Rows]


@dataclass(frozen=True)
class StudyScale:
    """How much of a study to do: its parts, and about how long they take, for the list of experiments."""

    parts: tuple[Part, ...]
    expected_time: str

    @property
    def seconds(self) -> float:
        return sum(part.cost for part in self.parts)


@dataclass(frozen=True)
class HeatMap:
    """Cells over whole numbers, one panel beside the other.

    Parameters
    ----------
    x, y
        Titles of the axes.
    legend
        What the colour means, which is logarithmic.
    cells
        A row each: panel, x, y, value (None: more than was tried), text (what stands in the cell).
    """

    x: str
    y: str
    legend: str
    cells: Rows


@dataclass(frozen=True)
class Study:
    """An experiment of which the page shows rows, charts and one sentence.

    Parameters
    ----------
    name, title, source
        For the list of experiments and the page.
    scales
        By name.
    schema
        Of a list of measured rows: typed dictionaries.
    columns
        Of the table: the key of each row, its title, and a format for numbers.
    summarise
        The rows of the table, from all rows that were measured.
    sentence
        What came of it, from the rows of the table.
    charts
        By name, from the rows of the table.
    paragraphs
        How it was done and what it does not show, for the page.
    """

    name: str
    title: str
    source: str
    scales: Mapping[str, StudyScale]
    schema: TypeAdapter[Any]
    columns: Sequence[tuple[str, str, str]]
    summarise: Callable[[Rows], Rows]
    sentence: Callable[[Rows], str]
    charts: Callable[[Rows], Mapping[str, Picture | HeatMap]]
    paragraphs: Sequence[str] = field(default=())

    def scale(self, name: str) -> StudyScale:
        if name not in self.scales:
            raise unknown("scale", name, self.scales)
        return self.scales[name]
