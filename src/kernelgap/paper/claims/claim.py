"""What a claim is: a statement of the source documents, how it is measured, and how the numbers are judged.

Measuring and judging are apart: the verdict is a function of the stored numbers alone, so that it can be fed false
ones, and read again later without measuring again.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal

from kernelgap.errors import unknown

Outcome = Literal["holds", "fails", "undecided"]
Numbers = dict[str, Any]  # numbers, texts, and lists and mappings of them: what JSON can hold
Axis = Literal["linear", "log"]

SCALES = ("quick", "full")


@dataclass(frozen=True)
class Verdict:
    """What the numbers say of a claim.

    Parameters
    ----------
    outcome
        "holds", "fails" or "undecided".
    measured
        The measured numbers in brief, to stand beside the stated ones.
    reason
        Why so.
    """

    outcome: Outcome
    measured: str
    reason: str = ""


@dataclass(frozen=True)
class Line:
    """Points of a chart that belong together.

    Parameters
    ----------
    name
        What the legend calls them.
    x, y
        Their coordinates.
    low, high
        The ends of a band around them, at each x.
    points_only
        Whether to draw the points without a line through them.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    points_only: bool = False

    @classmethod
    def of_rows(cls, name: str, rows: Iterable[Numbers], x: str, y: str, *, points_only: bool = False) -> "Line":
        """A point for each row, with the values of two of its keys."""
        points = [(row[x], row[y]) for row in rows]
        return cls(name, [a for a, _ in points], [b for _, b in points], points_only=points_only)

    @classmethod
    def of_points(cls, name: str, rows: Iterable[Numbers], x: str) -> "Line":
        """The median of each row, in a band from its least to its greatest."""
        kept = list(rows)
        columns = ([row[key] for row in kept] for key in (x, "median", "least", "greatest"))
        return cls(name, next(columns), next(columns), next(columns), next(columns))

    @classmethod
    def of_repeats(cls, name: str, x: Sequence[float], repeats: Iterable[Sequence[float]]) -> "Line":
        """The mean of the repeats at each x, in a band from their least to their greatest."""
        values = list(repeats)
        return cls(name, x, [sum(v) / len(v) for v in values], [min(v) for v in values], [max(v) for v in values])


@dataclass(frozen=True)
class Picture:
    """A chart as data, which the reports draw: lines over one axis, levels beside them.

    Parameters
    ----------
    x, y
        Titles of the axes.
    lines
        What is drawn.
    levels
        Dashed horizontal lines with names.
    x_axis, y_axis
        "linear" or "log".
    categories
        If given, the numbers on the x axis count these.
    """

    x: str
    y: str
    lines: Sequence[Line]
    levels: Sequence[tuple[str, float]] = ()
    x_axis: Axis = "linear"
    y_axis: Axis = "linear"
    categories: Sequence[str] = ()


Measure = Callable[[str, int], Numbers]
Judge = Callable[[Numbers], Verdict]
Draw = Callable[[Numbers], Picture]


@dataclass(frozen=True)
class Claim:
    """One statement, with what measures and what judges it.

    Parameters
    ----------
    id
        Its name.
    source
        Where the statement stands.
    statement
        The statement in our own words.
    stated
        What the source says, as briefly as ``Verdict.measured`` says what came out.
    measure
        Gives the numbers, at a scale of ``SCALES`` with a seed.
    judge
        Gives the verdict on such numbers.
    picture
        Gives a chart of such numbers, where one helps.
    seconds
        About how long measuring takes on one core at scale quick: for the order of work and progress.
    identity
        Whether it cannot fail by construction: a definition, an identity, or a theorem with a proof of a few lines that
        the measurement itself rests on. Such a claim checks this code and is no evidence for the source.
    """

    id: str
    source: str
    statement: str
    stated: str
    measure: Measure
    judge: Judge
    picture: Draw | None = None
    seconds: float = 3.0
    identity: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "measure", _checking_scale(self.measure))

    @classmethod
    def of(
        cls,
        docstring: str | None,
        id: str,
        stated: str,
        measure: Measure,
        judge: Judge,
        picture: Draw | None = None,
        seconds: float = 3.0,
        identity: bool = False,
    ) -> "Claim":
        """A claim whose source and statement are the first two paragraphs of its module's docstring."""
        source, statement, *_ = (*(docstring or "").split("\n\n"), "", "")
        return cls(id, source, " ".join(statement.split()), stated, measure, judge, picture, seconds, identity)

    @property
    def location(self) -> str:
        """Where its code is: the file below the package, and the line at which measuring begins."""
        function: Any = inspect.unwrap(self.measure)
        function = inspect.unwrap(function.func) if isinstance(function, partial) else function
        _, line = inspect.getsourcelines(function)
        parts = Path(inspect.getfile(function)).parts
        inside = parts[len(parts) - parts[::-1].index("kernelgap") :] if "kernelgap" in parts else parts[-1:]
        return f"{'/'.join(inside)}:{line}"


def holds_if(condition: bool, measured: str, reason: str = "") -> Verdict:
    """The verdict "holds" under the condition, and else "fails".

    Parameters
    ----------
    condition
        Whether the numbers agree with the statement.
    measured, reason
        As in ``Verdict``.
    """
    return Verdict("holds" if condition else "fails", measured, reason)


def check_scale(scale: str) -> None:
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)


def _checking_scale(measure: Measure) -> Measure:
    @wraps(measure)
    def checked(scale: str, seed: int) -> Numbers:
        check_scale(scale)
        return measure(scale, seed)

    return checked
