"""The terminal: the one place that draws. Tables go to standard output, progress and messages to standard error."""

import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table
from rich.text import Text

from kernelgap.errors import printable
from kernelgap.progress import Progress, silent

PATIENCE = 1.0  # seconds before the first line
PAUSE = 10.0  # seconds between two lines, whatever happens
SILENCE = 60.0  # seconds until the same activity is shown again, if more is done; ten times as long if not


def message(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr)


def answer(text: str) -> None:
    """Print a line of the result on standard output."""
    print(text)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None, left: int = 1) -> None:
    """Print a table on standard output; the first ``left`` columns are text, the others numbers."""
    drawn = Table(
        title=None if title is None else Text(_line(title)),
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for i, column in enumerate(columns):
        drawn.add_column(_line(column), justify="left" if i < left else "right", no_wrap=i >= left, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(_line(cell)) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    console.print(drawn)


def _line(text: str) -> str:
    """One line, without what a terminal would obey."""
    return printable(" ".join(text.splitlines()))


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """Takes (share done, what is going on): a bar on a terminal, elsewhere a line for each new
    activity, at most one every ten seconds, and one a minute while the share alone grows.

    Lines start after one second. A computation within another one that shows its progress shows none.
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
    """Show no progress within the block."""
    _shown.append("")
    try:
        yield
    finally:
        _shown.pop()


_shown: list[str] = []  # the title of what shows its progress now
_last_line: dict[str, float] = {}  # by title: when its last line was printed


@contextmanager
def _bar(title: str, console: Console) -> Iterator[Progress]:
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[activity]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
    with bars:
        task = bars.add_task(title, total=1.0, activity="starting")
        yield lambda share, activity: bars.update(task, completed=share, activity=activity)


def _lines(title: str) -> Progress:
    began = time.monotonic()
    last_activity, last_share = "", ""
    last_time = began

    def show(share: float, activity: str) -> None:
        nonlocal last_activity, last_time, last_share
        now, percent = time.monotonic(), f"{share:.0%}"
        silent_for = now - last_time
        again = silent_for > SILENCE and (percent != last_share or silent_for > 10 * SILENCE)
        waited = now - began > PATIENCE and now - _last_line.get(title, -math.inf) >= PAUSE
        if activity and (activity != last_activity or again) and waited:
            last_activity, last_share = activity, percent
            last_time = _last_line[title] = now
            print(f"{title}: {percent}, {now - began:.0f} s, {activity}", file=sys.stderr, flush=True)

    return show
