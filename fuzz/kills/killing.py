"""Disturb a run of a kind again and again, let it end, and compare it with one that nothing happened to."""

import json
import os
import resource
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fuzz.kills.contents import contents, differences, lasting
from fuzz.kinds import KINDS, start

ENDS = (0, 1)
WAYS = ("all",) * 6 + ("coordinator", "coordinator", "worker", "no room", "twice")
PATIENCE = 900.0  # seconds that a run may take to its end
WITHIN = 0.8  # of the time that a run takes in all: one that goes on is shorter


class DisturbedError(Exception):
    """A run that did not end as it should."""


@dataclass(frozen=True)
class Whole:
    """A run that nothing happened to: how long it took, and all that came of it."""

    seconds: float
    came: dict[str, Any]


def undisturbed(kind: str, sources: Path, out: Path) -> Whole:
    began = time.monotonic()
    return Whole(came=finished(kind, sources, out), seconds=time.monotonic() - began)


def finished(kind: str, sources: Path, out: Path) -> dict[str, Any]:
    """Run to the end; what is in the folder then, and what was answered."""
    process = _begin(kind, sources, out)
    output, errors = process.communicate(timeout=PATIENCE)
    if process.returncode not in ENDS:
        raise DisturbedError(f"{kind}: exit {process.returncode} at the end:\n{errors}")
    return {**contents(out), "answer": lasting(json.loads(output))}


def disturbed(kind: str, sources: Path, out: Path, rng: Random, *, times: int, seconds: float) -> list[str]:
    """Disturb a run so often, at random moments of the time that it takes in all; the ways in which it was done.

    A run that ends before its moment is no disturbance: then the folder is whole, and so it goes on in the next.
    """
    done: list[str] = []
    while len(done) < times:
        way = rng.choice(WAYS)
        at = rng.uniform(0, WITHIN * seconds)
        process = _begin(kind, sources, out, room=_room(rng) if way == "no room" else None)
        if way == "no room":
            _ends_in_order(kind, process)
            done.append(way)
            continue
        if _ends_within(process, at):
            _ends_in_order(kind, process)
            break
        done.append(f"{way} after {at:.1f} s")
        _disturb(kind, process, way, (sources, out))
    return done


def _disturb(kind: str, process: "subprocess.Popen[str]", way: str, places: tuple[Path, Path]) -> None:
    if way == "worker":
        for worker in workers_of(process.pid)[:1]:
            _kill(worker)
        _ends_in_order(kind, process)
        return
    if way == "twice":
        second = _begin(kind, *places)
        _, errors = second.communicate(timeout=PATIENCE)
        if second.returncode not in (2, *ENDS) or "Traceback" in errors:  # the first may have come to its end meanwhile
            raise DisturbedError(f"{kind}, begun twice: exit {second.returncode}:\n{errors}")
    if way == "coordinator":
        _kill(process.pid)
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def compare(whole: Whole, came: dict[str, Any]) -> list[str]:
    return differences(whole.came, came)


def workers_of(coordinator: int) -> list[int]:
    """The worker processes of a coordinator that are alive."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == coordinator and "popen_loky" in (entry / "cmdline").read_text():
                    found.append(int(entry.name))
    return found


def _begin(kind: str, sources: Path, out: Path, room: int | None = None) -> "subprocess.Popen[str]":
    command = KINDS[kind].command(sources, out, "--workers", "1", "--json")
    limit = None if room is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    return start(command, stdout=subprocess.PIPE, cwd=sources, preexec_fn=limit)


def _room(rng: Random) -> int:
    """Bytes that no file may grow beyond."""
    return int(10 ** rng.uniform(3, 6))


def _ends_within(process: "subprocess.Popen[str]", seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _ends_in_order(kind: str, process: "subprocess.Popen[str]") -> None:
    _, errors = process.communicate(timeout=PATIENCE)
    if process.returncode not in (2, *ENDS) or "Traceback" in errors:
        raise DisturbedError(f"{kind}: exit {process.returncode}:\n{errors}")


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
