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
    """Show how far a run is, without disturbing it: chunks done, running, failed and left."""
    from kernelgap.runs import read_status

    state = read_status(folder)
    if follow and state.held:
        with console.progress(_name(state)) as show:
            while state.held:
                show(state.share, _counts(state))
                time.sleep(EVERY)
                state = read_status(folder)
    if as_json:
        console.answer(json.dumps(state.as_record()))
    else:
        _show(state)


def _show(state: "Status") -> None:
    if state.held:
        summary = f"process {state.pid} on {state.host} is running it"
    elif state.chunks and state.done == state.chunks:
        summary = "finished"
    else:
        command = state.kind if state.kind in ("audit", "claims") else "run"
        summary = f"not running: give the same 'kernelgap {command}' command to go on"
    console.answer(f"{_name(state)}: {summary}")
    console.answer(f"{_counts(state)}: {state.share:.0%}")
    times, started = [], "started" if state.held else "last started"
    if state.elapsed is not None:
        times.append(f"{format_duration(state.elapsed)} since it was {started}")
    if state.remaining is not None:
        times.append(f"about {format_duration(state.remaining)} left")
    if times:
        console.answer(", ".join(times))
    for chunk in state.running:
        label = one_line(chunk["label"])
        console.answer(f"  running  {label}: {chunk['share']:.0%} in {format_duration(chunk['seconds'])}")
    for failure in state.failures:
        console.answer(f"  failed   {one_line(failure.label)}: {one_line(failure.error)}")


def _name(state: "Status") -> str:
    return one_line(f"{state.experiment} ({state.scale}, seed {state.seed})" if state.experiment else state.folder)


def _counts(state: "Status") -> str:
    more = f"{len(state.running)} running, {state.failed} failed, {state.left} left"
    return f"{state.done} of {state.chunks} chunks done, {more}"
