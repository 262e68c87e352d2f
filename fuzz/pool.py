"""Warm processes that try inputs; one that hangs or takes too much memory is ended, and the input noted."""

import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn

from fuzz.case import Case
from fuzz.judged import Judged

LIMIT = 60.0  # seconds of computing for one input ...
PATIENCE = 3.0  # ... and so many times as long in all, as others may use the machine too
STARTING = 300.0  # seconds for a process to import all that it needs
MEMORY = 4 * 2**30  # bytes for one process
FREE = 2 * 2**30  # bytes that a process is told are free
RENEWED = 1.5 * 2**30  # bytes from which on a process is replaced after its input: compiled programs gather
LOOK = 0.1


@dataclass(frozen=True)
class Input:
    target: str
    seed: int
    index: int

    def __str__(self) -> str:
        return f"python -m fuzz {self.target} --seed {self.seed} --index {self.index}"


@dataclass
class _Process:
    materials: Path
    limit: float
    memory: int
    given: Input | None = None
    text: str = ""
    trying: bool = False  # or still being started, or drawing the input
    since: float = 0.0
    cpu_before: float = 0.0
    process: Any = field(init=False)
    ours: Connection = field(init=False)

    def __post_init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.ours, theirs = context.Pipe()
        self.scratch = Path(tempfile.mkdtemp(prefix="fuzz-"))
        self.process = context.Process(target=_serve, args=(theirs, self.materials, self.scratch), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, what: Input) -> None:
        self.given, self.text, self.trying, self.since = what, "", False, time.monotonic()
        self.ours.send(what)

    def begin(self, text: str) -> None:
        self.text, self.trying, self.since, self.cpu_before = text, True, time.monotonic(), self.cpu()

    def cpu(self) -> float:
        """Seconds that it has computed, so that others on the machine do not count."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss(self) -> int:
        try:
            return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0

    def trouble(self) -> str | None:
        """Why it has to be ended, if it has."""
        if self.given is None:
            return None
        if not self.trying:
            return "not ready" if time.monotonic() - self.since > STARTING else None
        if self.cpu() - self.cpu_before > self.limit:
            return f"no answer within {self.limit:.0f} s of computing"
        if time.monotonic() - self.since > PATIENCE * self.limit:
            return f"no answer within {PATIENCE * self.limit:.0f} s"
        if self.rss() > self.memory:
            return f"more than {self.memory / 2**30:.3g} GiB"
        return None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.ours.close()
        for file in self.scratch.rglob("*"):
            if file.is_dir() and not file.is_symlink():
                file.chmod(0o700)
        shutil.rmtree(self.scratch, ignore_errors=True)


def tried(
    inputs: Iterable[Input], *, materials: Path, workers: int, limit: float = LIMIT, memory: int = MEMORY
) -> Iterator[tuple[Input, Judged]]:
    """Each input with what came of it, as they come."""
    waiting = iter(inputs)
    processes = [_Process(materials, limit, memory) for _ in range(workers)]
    try:
        for process in processes:
            _next(process, waiting)
        while busy := [p for p in processes if p.given is not None]:
            ready = wait([p.ours for p in busy], timeout=LOOK)
            for process in busy:
                given = process.given
                assert given is not None
                found = _look(process, process.ours in ready)
                if found is None:
                    continue
                yield given, found
                if found.group.startswith("ended") or process.rss() > RENEWED:
                    process.end()
                    processes[processes.index(process)] = process = _Process(materials, limit, memory)
                _next(process, waiting)
    finally:
        for process in processes:
            process.end()


def _next(process: _Process, waiting: Iterator[Input]) -> None:
    following = next(waiting, None)
    if following is None:
        process.given = None
    else:
        process.give(following)


def _look(process: _Process, ready: bool) -> Judged | None:
    """What came of its input: an answer, its death, or our patience's end; None if it is still at it."""
    seconds = time.monotonic() - process.since
    if ready:
        try:
            answer = process.ours.recv()
        except (EOFError, OSError):
            process.process.join()
            code = process.process.exitcode
            how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            return Judged(process.text, seconds, 0.0, group=how, finding=how)
        if isinstance(answer, str):  # what it is about to try: now the time counts
            process.begin(answer)
            return None
        return answer
    trouble = process.trouble()
    if trouble is None:
        return None
    return Judged(process.text, seconds, 0.0, group=f"ended: {trouble}", finding=trouble)


def _serve(theirs: Connection, materials: Path, scratch: Path) -> None:
    """The life of a process: an input after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from fuzz.judged import judge
    from fuzz.trying import make_one, prepare

    prepare()
    while True:
        try:
            given = theirs.recv()
        except EOFError:
            return
        try:
            case = make_one(given, materials, scratch)
        except Exception as error:
            case = Case("", partial(_raise, error))  # the generator's own, and shown as any other
        theirs.send(case.text)
        theirs.send(judge(case))


def _raise(error: Exception) -> NoReturn:
    raise error
