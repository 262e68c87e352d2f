"""The terminal: the one place that draws. Tables go to standard output, progress and messages to standard error."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

if TYPE_CHECKING:
    from kernelgap.sweeps import Progress


def message(text: str) -> None:
    """One line for the person, on standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)


def answer(text: str) -> None:
    """One line of the result, on standard output."""
    Console(highlight=False, soft_wrap=True).print(text, markup=False)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None, left: int = 1) -> None:
    """Print a table on standard output; the first ``left`` columns are text, the others numbers."""
    drawn = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        drawn.add_column(column, justify="left" if i < left else "right", no_wrap=i >= left, overflow="fold")
    for row in rows:
        drawn.add_row(*row)
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    console.print(drawn)


@contextmanager
def progress(title: str) -> "Iterator[Callable[[Progress], None]]":
    """A bar on a terminal; elsewhere a line for each chunk that finishes. Both on standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(title)
        return
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[chunks]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
    with bars:
        task = bars.add_task(title, total=1.0, chunks="starting workers")

        def show(progress: "Progress") -> None:
            bars.update(task, completed=progress.share, chunks=f"{progress.chunks_done} of {progress.chunks} chunks")

        yield show


def _lines(title: str) -> "Callable[[Progress], None]":
    began = time.monotonic()

    def show(progress: "Progress") -> None:
        if progress.last is None or progress.result is None:
            return
        seconds = time.monotonic() - began
        text = f"{title}: {progress.chunks_done} of {progress.chunks} chunks, {progress.share:.0%}, {seconds:.0f} s"
        print(f"{text}; {progress.last.label} took {progress.result.seconds:.0f} s", file=sys.stderr, flush=True)

    return show
