"""Runs as processes of their own, for tests that kill them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pandas as pd

from kernelgap.runs import TrialStore

TINY = Path(__file__).with_name("tiny.py")


def start(name: str, out: Path, *more: object) -> subprocess.Popen:
    """``kernelgap run NAME`` in a process group of its own."""
    command = [sys.executable, str(TINY), "run", name, "--out", str(out), *map(str, more)]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def finish(process: subprocess.Popen, within: float = 600) -> str:
    """Wait for the end, which must be a good one; what was said."""
    _, stderr = process.communicate(timeout=within)
    assert process.returncode == 0, stderr
    return stderr


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def workers_of(coordinator: int) -> list[int]:
    """The worker processes of a coordinator, alive ones."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                command = (entry / "cmdline").read_text()
            except OSError:
                continue
            if parent == coordinator and "popen_loky" in command:
                found.append(int(entry.name))
    return found


def until(condition: Callable[[], object], within: float = 300) -> object:
    """Wait until something holds, and return it."""
    deadline = time.monotonic() + within
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)
    return found


def stored(folder: Path) -> list[tuple]:
    """The final table with every bit of it, curves included."""
    with TrialStore.reading(folder) as store:
        table = store.table()
    numbers = table.select_dtypes("float")
    table[numbers.columns] = numbers.map(lambda value: "" if pd.isna(value) else float(value).hex())
    return [tuple(str(value) for value in row) for row in table.itertuples(index=False)]


def weights_of(store: TrialStore, table: pd.DataFrame) -> dict[str, bytes]:
    kept = {trial: store.weights(trial) for trial in table.trial}
    return {trial: file for trial, file in kept.items() if file is not None}
