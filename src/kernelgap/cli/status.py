"""The command that looks at a run from another terminal."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelgap import console
from kernelgap.cli.answer import Json
from kernelgap.cli.failing import one_line
from kernelgap.durations import format_duration

if TYPE_CHECKING:
    from kernelgap.runs import Status

EVERY = 1.0  # seconds between looks


def status(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    follow: Annotated[bool, typer.Option("--follow", help="Keep looking until the run ends.")] = False,
    as_json: Json = False,
) -> None:
    """How far a run is: chunks done, running, failed and left. Never disturbs it."""
    from kernelgap.runs import read_status

    found = read_status(folder)
    if follow and found.held:
        with console.progress(_name(found)) as show:
            while found.held:
                show(found.share, _counts(found))
                time.sleep(EVERY)
                found = read_status(folder)
    if as_json:
        console.answer(json.dumps(found.as_record()))
    else:
        _show(found)


def _show(found: "Status") -> None:
    if found.held:
        state = f"process {found.pid} on {found.host} is running it"
    elif found.chunks and found.done == found.chunks:
        state = "finished"
    else:
        command = found.kind if found.kind in ("audit", "claims") else "run"
        state = f"nobody is running it: give the same 'kernelgap {command}' command to go on"
    console.answer(f"{_name(found)}: {state}")
    console.answer(f"{_counts(found)}: {found.share:.0%}")
    times = (
        []
        if found.elapsed is None
        else [f"{format_duration(found.elapsed)} since it was {'' if found.held else 'last '}started"]
    )
    times += [] if found.remaining is None else [f"about {format_duration(found.remaining)} left"]
    if times:
        console.answer(", ".join(times))
    for chunk in found.running:
        label = one_line(chunk["label"])
        console.answer(f"  running  {label}: {chunk['share']:.0%} in {format_duration(chunk['seconds'])}")
    for failure in found.failures:
        console.answer(f"  failed   {one_line(failure.label)}: {one_line(failure.error)}")


def _name(found: "Status") -> str:
    return one_line(f"{found.experiment} ({found.scale}, seed {found.seed})" if found.experiment else found.folder)


def _counts(found: "Status") -> str:
    more = f"{len(found.running)} running, {found.failed} failed, {found.left} left"
    return f"{found.done} of {found.chunks} chunks done, {more}"
