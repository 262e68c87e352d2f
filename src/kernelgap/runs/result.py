"""A run: what was asked, what came of it, and how it was run."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from kernelgap.display import Card, Displayed
from kernelgap.runs.store import Failure

if TYPE_CHECKING:
    import pandas as pd  # late, since workers do without it


@dataclass(frozen=True, kw_only=True, repr=False)
class Run(Displayed, ABC):
    """What the folder of a run holds. Every kind of run adds what it concludes.

    Attributes
    ----------
    folder : Path
        Where the run is stored.
    name, scale, seed
        What was asked for.
    table : pandas.DataFrame
        One row a result.
    failures : tuple of Failure
        The chunks that failed since the last start.
    planned : int
        How many chunks the run has, finished or not.
    times : pandas.DataFrame
        One row a finished chunk: label, seconds of work, when it was stored (UTC).
    version : str or None
        The version of kernelgap that ran it.
    code : str or None
        A digest of the code that its numbers depend on.
    environment : dict or None
        Versions and machine of the last start that did some work.
    """

    kind: ClassVar[str]
    part: ClassVar[str] = "chunk"  # what its units of work are called

    folder: Path
    name: str
    scale: str
    seed: int
    table: "pd.DataFrame" = field(repr=False)
    failures: tuple[Failure, ...] = ()
    planned: int = 0
    times: "pd.DataFrame" = field(repr=False)
    version: str | None = None
    code: str | None = None
    environment: dict[str, str] | None = field(default=None, repr=False)

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What came of it, in short."""

    def _card(self) -> Card:
        facts = {"results": len(self.table), "folder": self.folder, "failures": len(self.failures), "seed": self.seed}
        return Card("run", f"{self.name} ({self.scale})", facts, self.sentence)

    @property
    def messages(self) -> list[str]:
        """Further notices for the user, one sentence each."""
        return []

    @abstractmethod
    def as_record(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""

    def report(self, **options: Any) -> Path:
        """Write the page, the pictures and the tables into the folder; the path of the page.

        An audit's takes ``until``, a time on the clock ``time.monotonic`` after which no more pictures are saved.
        """
        from kernelgap.runs.kind import kind_named

        return kind_named(self.kind).write_page(self, **options)
