"""What the runner asks of workers, and the plainest kind: any executor."""

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, Protocol

from kernelgap import console
from kernelgap.errors import InputError
from kernelgap.runs.work import Work, WorkFunction, WorkResult


class Workers(Protocol):
    """Where chunks are sent."""

    def room(self, seconds: float | None) -> int:
        """How many chunks to have under way, given what the last one took."""

    def submit(self, chunk: Work) -> "Future[WorkResult]": ...

    def progress(self) -> Sequence[tuple[str, float]]:
        """(chunk id, share done) reported since the last call; a chunk that begins reports 0."""

    def died(self, future: "Future[WorkResult]", error: BrokenExecutor) -> str | None:
        """What became of the worker that ran this chunk; None if the chunk had only waited behind another's."""

    def drop(self) -> None:
        """Give up what is running."""


class ExecutorWorkers:
    """Any executor, as it is. If it breaks, the run ends: only its owner can repair it."""

    def __init__(self, executor: Executor, room: int, work_function: WorkFunction) -> None:
        self._executor, self._room, self._work_function = executor, room, work_function

    def room(self, seconds: float | None) -> int:
        return self._room

    def submit(self, chunk: Work) -> "Future[WorkResult]":
        return self._executor.submit(do_silently, self._work_function, chunk, _no_report)

    def progress(self) -> Sequence[tuple[str, float]]:
        return ()

    def died(self, future: "Future[WorkResult]", error: BrokenExecutor) -> str | None:
        raise InputError(f"The executor broke ({error}): what was finished is kept; go on with a new one.") from None

    def drop(self) -> None:
        """An executor cannot be stopped within a chunk."""


def do_silently(work_function: WorkFunction, chunk: Work, on_progress: Callable[[float], None]) -> Any:
    """Do the work without progress on the terminal, which is the coordinator's."""
    with console.silence():
        return work_function(chunk, on_progress)


def _no_report(share: float) -> None:
    pass
