"""Who holds a folder: one process at a time, and anyone can see who without asking for the lock."""

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from kernelgap.atomic_file import read_small
from kernelgap.errors import InputError

FILE = "run.lock"


@dataclass(frozen=True)
class Holder:
    """The process that holds a folder. ``started`` tells it from a later process with the same number."""

    pid: Annotated[int, Field(gt=0, lt=2**31)]
    host: str
    started: str

    @property
    def here(self) -> bool:
        """Whether it is a process of this machine, so that one can see whether it lives."""
        return self.host == socket.gethostname()

    @property
    def alive(self) -> bool:
        """Whether it still runs, as far as this machine can tell."""
        if not self.here:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # somebody else's, and alive
        return _started(self.pid) == self.started


@contextmanager
def holding(folder: Path, wait: str = "wait for it") -> Iterator[None]:
    """Hold the folder, making it if it is not there; refuse it if another process does. Ends with the process.

    ``wait`` is what one may do meanwhile, other than choosing another folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / FILE, "a+")  # noqa: SIM115 (held until the block ends)
    except OSError as error:
        raise InputError(f"The output folder '{folder}' cannot be written: {error.strerror}. Choose another.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = last_holder(folder)
            named = "" if who is None else f" ({who.pid} on {who.host})"
            raise InputError(
                f"Another process{named} is running in '{folder}': {wait}, or choose another folder."
            ) from None
        except OSError as error:
            raise InputError(
                f"'{folder}' cannot be locked: {error.strerror}. Choose a folder on a local disk."
            ) from None
        me = Holder(os.getpid(), socket.gethostname(), _started(os.getpid()))
        with suppress(OSError):  # a full disk: the lock holds all the same
            _write(lock.fileno(), json.dumps(asdict(me)))
        try:
            yield
        finally:
            with suppress(OSError):
                _write(lock.fileno(), "")


def last_holder(folder: Path) -> Holder | None:
    """Who holds the folder, or held it when killed."""
    try:
        return _HOLDER.validate_json(read_small(folder / FILE))
    except (OSError, ValueError):
        return None


_HOLDER = TypeAdapter(Holder)


def _write(file: int, text: str) -> None:
    os.ftruncate(file, 0)
    os.write(file, text.encode())


def _started(pid: int) -> str:
    """When a process started, in the system's ticks; empty where the system does not say."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
