"""The terminal: the one place that draws. Tables go to standard output, progress and messages to standard error."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table
from rich.text import Text

from kernelgap.progress import Progress, silent

PATIENCE = 1.0  # seconds without a word about progress
SILENCE = 60.0  # seconds after which the same words are said again, if more is done; ten times as long if not


def message(text: str) -> None:
    """One line for the person, on standard error."""
    print(text, file=sys.stderr)


def answer(text: str) -> None:
    """One line of the result, on standard output."""
    print(text)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None, left: int = 1) -> None:
    """Print a table on standard output; the first ``left`` columns are text, the others numbers."""
    drawn = Table(
        title=None if title is None else Text(title),
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for i, column in enumerate(columns):
        drawn.add_column(column, justify="left" if i < left else "right", no_wrap=i >= left, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    console.print(drawn)


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """Takes (share done, what is going on): a bar on a terminal, elsewhere a line each time that the words change, and
    each minute in which the share does.

    Lines come from the second second on. What happens within something that shows its progress shows none of its own.
    """
    if _shown:
        yield silent
        return
    _shown.append(title)
    try:
        console = Console(stderr=True)
        if console.is_terminal:
            with _bar(title, console) as show:
                yield show
        else:
            yield _lines(title)
    finally:
        _shown.pop()


@contextmanager
def silence() -> Iterator[None]:
    """Within the block no progress is shown: somebody else does."""
    _shown.append("")
    try:
        yield
    finally:
        _shown.pop()


_shown: list[str] = []  # the title of what shows its progress now


@contextmanager
def _bar(title: str, console: Console) -> Iterator[Progress]:
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[words]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
    with bars:
        task = bars.add_task(title, total=1.0, words="starting")
        yield lambda share, words: bars.update(task, completed=share, words=words)


def _lines(title: str) -> Progress:
    began = time.monotonic()
    said, when, far = "", began, ""

    def show(share: float, words: str) -> None:
        nonlocal said, when, far
        now = time.monotonic()
        again = now - when > SILENCE and (f"{share:.0%}" != far or now - when > 10 * SILENCE)
        if words and (words != said or again) and now - began > PATIENCE:
            said, when, far = words, now, f"{share:.0%}"
            print(f"{title}: {share:.0%}, {time.monotonic() - began:.0f} s, {words}", file=sys.stderr, flush=True)

    return show
