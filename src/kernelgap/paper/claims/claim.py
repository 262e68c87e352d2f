"""What a claim is: a statement of the source documents, how it is measured, and how the numbers are judged.

Measuring and judging are apart: the verdict is a function of the stored numbers alone, so that it can be fed false
ones, and read again later without measuring again.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from kernelgap.errors import unknown
from kernelgap.paper.claims.picture import Picture

Outcome = Literal["holds", "fails", "undecided"]
Numbers = Mapping[str, Any]  # numbers, texts, and lists and mappings of them: what JSON can hold

SCALES = ("quick", "full")


@dataclass(frozen=True)
class Verdict:
    """``measured``: the measured numbers in a few words, to stand beside the stated ones; ``reason``: why so."""

    outcome: Outcome
    measured: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """One statement, in our own words, with what measures and what judges it.

    ``measure(scale, seed)`` gives the numbers, ``judge(numbers)`` the verdict, ``picture(numbers)`` a chart where one
    helps. ``stated`` is what the source says, as briefly as ``Verdict.measured`` says what came out.
    """

    id: str
    source: str
    statement: str
    stated: str
    measure: Callable[[str, int], dict[str, Any]]
    judge: Callable[[Numbers], Verdict]
    picture: Callable[[Numbers], Picture] | None = None
    seconds: float = 3.0  # about, on one core at scale quick: for the order of work and progress

    @property
    def location(self) -> str:
        """Where its code is: the file below the package, and the line at which measuring begins."""
        function = self.measure.func if isinstance(self.measure, partial) else self.measure
        _, line = inspect.getsourcelines(function)
        parts = Path(inspect.getfile(function)).parts
        inside = parts[len(parts) - parts[::-1].index("kernelgap") :] if "kernelgap" in parts else parts[-1:]
        return f"{'/'.join(inside)}:{line}"


def holds_if(condition: bool, measured: str, reason: str = "") -> Verdict:
    """It holds under the condition, and else it fails."""
    return Verdict("holds" if condition else "fails", measured, reason)


def check_scale(scale: str) -> None:
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
