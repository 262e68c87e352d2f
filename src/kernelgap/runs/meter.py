"""RunProgress of a run, by the cost of its chunks."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from kernelgap.runs.work import Work


@dataclass(frozen=True)
class RunProgress:
    """How far a run is.

    Attributes
    ----------
    share
        The share of the whole cost that is done, running chunks included.
    chunks_done, chunks
        The number of finished chunks, and of all.
    failed
        The number of chunks that failed since the start.
    """

    share: float
    chunks_done: int
    chunks: int
    failed: int = 0

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.chunks_done} of {self.chunks} chunks{failed}"


@dataclass
class Running:
    """A chunk that a worker has begun."""

    label: str
    cost: float
    began: float
    share: float = 0.0


class Meter:
    """How much of the cost is done, over finished and running chunks."""

    def __init__(self, chunks: Iterable[Work], finished: set[str]) -> None:
        self.chunks, self.done, self.failed = 0, 0, 0
        self.running: dict[str, Running] = {}
        self._total = self._done = 0.0
        for chunk in chunks:
            self.add(chunk)
            if chunk.id in finished:
                self.finish(chunk)

    def add(self, chunk: Work) -> None:
        """Count a chunk in."""
        self.chunks += 1
        self._total += chunk.cost

    def update(self, chunk: Work, share: float) -> None:
        """Record the share of a chunk that its worker has done."""
        running = self.running.setdefault(chunk.id, Running(chunk.label, chunk.cost, time.time()))
        running.share = share

    def stop(self, chunk: Work) -> None:
        """Record that a chunk has left its worker."""
        self.running.pop(chunk.id, None)

    def finish(self, chunk: Work) -> None:
        self.stop(chunk)
        self.done += 1
        self._done += chunk.cost

    def fail(self, chunk: Work) -> None:
        self.stop(chunk)
        self.failed += 1

    @property
    def finished_share(self) -> float:
        """The share that is stored, and so kept whatever happens."""
        return min(1.0, self._done / self._total) if self._total else 1.0

    def progress(self) -> RunProgress:
        under_way = sum(running.cost * running.share for running in self.running.values())
        share = min(1.0, (self._done + under_way) / self._total) if self._total else 1.0
        share = 1.0 if self.done == self.chunks else share  # whatever rounding did to the sums
        return RunProgress(share, self.done, self.chunks, self.failed)
