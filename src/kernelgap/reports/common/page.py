"""Writing a page: the page itself, its charts as pictures, and its tables, each file whole or not at all."""

import json
import math
import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernelgap import console
from kernelgap.atomic_file import atomically
from kernelgap.durations import format_duration
from kernelgap.errors import InputError
from kernelgap.reports.common.charts import PICTURES, save_pictures
from kernelgap.reports.common.render import render
from kernelgap.runs.environment import environment
from kernelgap.runs.result import Run

FILE, CHARTS = "report.html", "charts"


def write_page(
    run: Run,
    template: str,
    context: Mapping[str, Any],
    *,
    charts: Mapping[str, Any],
    pictures: Mapping[str, Callable[[], Any]],
    tables: Mapping[str, Callable[[Path], object]],
    filters: Mapping[str, Callable[..., Any]] | None = None,
    until: float = math.inf,
) -> Path:
    """Write ``report.html``, ``charts/`` and the tables into the folder of a run.

    ``charts`` are those on the page; ``pictures`` draws those that are saved by themselves, and ``tables`` writes a
    file of each name. After the time ``until``, on the clock ``time.monotonic``, no more pictures are saved.
    """
    try:
        saved = _save(run.folder / CHARTS, pictures, until)
        for name, write in tables.items():
            with atomically(run.folder / name) as partial:
                write(partial)
        common = {
            "pictures": {name: [f"{CHARTS}/{name}{suffix}" for suffix in PICTURES] for name in saved},
            "exports": list(tables),
            "how": _how(run),
        }
        with atomically(run.folder / FILE) as partial:
            partial.write_text(render(template, {**common, **context}, charts, filters), encoding="utf-8")
    except OSError as error:
        raise InputError(f"The report could not be written to '{run.folder}': {error.strerror}.") from None
    return run.folder / FILE


def write_record(run: Run, path: Path, without: Collection[str] = ()) -> None:
    """The results of a run as JSON, but for these."""
    record = {name: value for name, value in run.as_record().items() if name not in without}
    path.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _save(folder: Path, pictures: Mapping[str, Callable[[], Any]], until: float) -> list[str]:
    """The names of those that were saved; other pictures of an earlier page are removed at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = []
    with console.progress("charts") as show:
        for i, (name, draw) in enumerate(pictures.items()):
            if time.monotonic() >= until:
                break
            show(i / len(pictures), name)
            chart = draw()
            if chart is not None:
                save_pictures(chart, folder, name)
                saved.append(name)
    for old in folder.glob("*"):
        if old.suffix in PICTURES and old.stem not in saved:
            old.unlink()
    return saved


def _how(run: Run) -> dict[str, Any]:
    """Versions, machine and time."""
    times = run.times
    wall = (times.finished.max() - times.finished.min()).total_seconds() if len(times) > 1 else None
    return {
        "at_the_run": run.environment is not None,
        "environment": run.environment or environment(),
        "version": run.version,
        "work": format_duration(float(times.seconds.sum())),
        "wall": None if wall is None else format_duration(wall),
        "chunks": len(times),
        "planned": run.planned,
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
