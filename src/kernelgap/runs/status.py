"""Status of a run: written by its coordinator about once a second, read without its lock."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

from kernelgap.atomic_file import read_small
from kernelgap.lock import last_holder
from kernelgap.runs.meter import Meter
from kernelgap.runs.store import Failure, ResultStore

FILE = "status.json"
INTERVAL = 1.0  # seconds between two writes
SILENT = 30.0  # seconds after which a coordinator on another machine is taken for dead


class StatusWriter:
    """Writes ``status.json`` for the coordinator. A full disk does not stop the run."""

    def __init__(self, folder: Path, meter: Meter) -> None:
        self._path, self._meter = folder / FILE, meter
        self._began, self._written = time.time(), 0.0
        self._share_at_start = meter.finished_share

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, meter: Meter) -> Iterator["StatusWriter"]:
        """A writer that also writes at the start and at the end of the block."""
        writer = cls(folder, meter)
        writer.write(at_once=True)
        try:
            yield writer
        finally:
            writer.write(at_once=True)

    def write(self, at_once: bool = False) -> None:
        now = time.time()
        if not at_once and 0 <= now - self._written < INTERVAL:
            return
        self._written = now
        entry = {
            "began": self._began,
            "updated": now,
            "share_at_start": self._share_at_start,
            "share": self._meter.progress().share,
            "finished_share": self._meter.finished_share,
            "running": [
                {"label": r.label, "share": r.share, "seconds": now - r.began} for r in self._meter.running.values()
            ],
        }
        with suppress(OSError):
            draft = self._path.with_suffix(".draft")
            draft.write_text(json.dumps(entry))
            os.replace(draft, self._path)


def _to_share(value: float) -> float:
    return min(1.0, max(0.0, value))


Time = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]  # seconds since 1970
Share = Annotated[float, Field(allow_inf_nan=False), AfterValidator(_to_share)]


class RunningChunk(TypedDict):
    """A running chunk in ``status.json``."""

    label: str
    share: Share
    seconds: Annotated[float, Field(ge=-1e11, le=1e11)]


class Entry(BaseModel):
    """The content of ``status.json``."""

    began: Time
    updated: Time
    share_at_start: Share
    share: Share
    finished_share: Share
    running: list[RunningChunk]


@dataclass(frozen=True)
class Status:
    """A run as it stands.

    Attributes
    ----------
    folder
        Where the run is stored.
    kind
        "figure", "study", "claims", "images" or "audit".
    experiment, scale, seed
        What was asked for; None where the run does not say.
    held
        Whether a process is running it now.
    pid, host
        That process and its machine; None if there is none.
    chunks, done
        The number of planned chunks, and of finished ones.
    running
        The chunks that workers have begun: label, share done, and seconds so far.
    failures
        The chunks that failed since the last start.
    share
        The share of the whole cost that is done; that of running chunks counts only while the run is held.
    elapsed
        Seconds of this start, or of the last; None if unknown.
    remaining
        Seconds that are left at the pace of this start; None if the run is not held, or its pace is unknown.
    """

    folder: str
    kind: str
    experiment: str | None
    scale: str | None
    seed: int | None
    held: bool
    pid: int | None
    host: str | None
    chunks: int
    done: int
    running: tuple[dict[str, Any], ...]
    failures: tuple[Failure, ...]
    share: float
    elapsed: float | None
    remaining: float | None

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def left(self) -> int:
        """Chunks that are neither done, nor running, nor failed."""
        return max(0, self.chunks - self.done - len(self.running) - self.failed)

    def as_record(self) -> dict[str, Any]:
        counted = {"running": len(self.running), "failed": self.failed, "left": self.left}
        lists = {"running_chunks": list(self.running), "failures": [asdict(failure) for failure in self.failures]}
        return {**asdict(self), **counted, **lists}


def read_status(folder: str | Path) -> Status:
    """Look at a run, whether it is running or not.

    Parameters
    ----------
    folder
        The folder of the run.

    Returns
    -------
    Status

    Raises
    ------
    InputError
        If there is no run in the folder, or its file is damaged.
    """
    with ResultStore.reading(folder) as store:
        description, finished, failures = store.description(), store.finished(), store.failures()
        kind = store.kind()
        planned = set(description.get("chunks", ()) or store.about().get("chunks", ()))
    done = len(finished & planned if planned else finished)
    entry = _entry(Path(folder))
    holder = last_holder(Path(folder))
    fresh = entry is not None and time.time() - entry.updated < SILENT
    held = holder is not None and (holder.alive if holder.here else fresh)
    chunks = len(planned) or done + len(failures)
    ended = done == chunks
    running = tuple(dict(chunk) for chunk in entry.running) if entry is not None and held and not ended else ()
    by_count = done / chunks if chunks else 0.0
    share, elapsed = by_count, None
    if entry is not None:
        share = entry.share if held else entry.finished_share
        elapsed = (time.time() if held else entry.updated) - entry.began
    share = 1.0 if ended else share
    if holder is not None and not held:
        holder = None
    return Status(
        folder=str(folder),
        kind=kind,
        experiment=description.get("experiment"),
        scale=description.get("scale"),
        seed=description.get("seed"),
        held=held,
        pid=None if holder is None else holder.pid,
        host=None if holder is None else holder.host,
        chunks=chunks,
        done=done,
        running=running[: max(0, chunks - done)],
        failures=tuple(failures),
        share=share,
        elapsed=elapsed,
        remaining=None if entry is None or elapsed is None or not held else _remaining(entry, share, elapsed),
    )


def _remaining(entry: Entry, share: float, elapsed: float) -> float | None:
    """At the pace of this start so far."""
    gone = share - entry.share_at_start
    return None if gone <= 0 else elapsed * (1 - share) / gone


def _entry(folder: Path) -> Entry | None:
    """The last status the coordinator wrote; None if it is missing or unreadable."""
    try:
        return Entry.model_validate_json(read_small(folder / FILE))
    except (OSError, ValueError):
        return None
