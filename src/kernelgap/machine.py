"""Cores, threads, speed and free memory of this machine."""

import ctypes
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from loky import cpu_count
from threadpoolctl import ThreadpoolController

from kernelgap.errors import InputError

GIB = 2**30
WORKERS_EACH, LEAST_LIMIT = 4, 8  # the most worker processes: for each core, and in any case


def cores() -> int:
    """The cores that this process may use, as far as the system tells (affinity, container quotas)."""
    return int(cpu_count())


def accelerator_asked() -> bool:
    """Whether JAX_PLATFORMS asks for a GPU or TPU, as "cuda" and "cuda,cpu" do."""
    return os.environ.get("JAX_PLATFORMS", "").split(",")[0].strip() not in ("", "cpu")


def default_workers() -> int:
    """Worker processes unless a number is given: one a core, or one where an accelerator does the work."""
    return 1 if accelerator_asked() else cores()


def check_workers(count: int | None, what: str) -> None:
    """Refuse a number of worker processes that is less than 1, or far beyond the cores."""
    if count is None:
        return
    if count < 1:
        raise InputError(f"{what} needs at least 1 worker, not {count}.")
    most = max(LEAST_LIMIT, WORKERS_EACH * cores())
    if count > most:
        raise InputError(f"{count:,} workers are too many for {cores()} cores: give at most {most}.")


def threads() -> int:
    """The threads that linear algebra uses here: OMP_NUM_THREADS where it is set (as in workers), else the cores."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores(), int(asked)) if asked.isdigit() and int(asked) > 0 else cores()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products on one thread each, where our own threads use the cores: theirs would wait busily for work.

    The setting belongs to the process: the first to enter saves it, the last to leave restores it.
    """
    with _entering:
        _inside.append(None if _inside else _blas().limit(limits=1))
    try:
        yield
    finally:
        with _entering:
            saved = _inside[0]
            _inside.pop()
            if not _inside:
                saved.restore_original_limits()


_entering = threading.Lock()
_inside: list[Any] = []  # what restores the setting, then a None for each further entry


@cache
def _blas() -> Any:
    return ThreadpoolController().select(user_api="blas")


@cache
def speed() -> float:
    """Multiplications a second that one core does in products of float32 matrices: the best of some short ones."""
    a = np.ones((384, 384), dtype=np.float32)
    best = float("inf")
    with one_blas_thread():
        for _ in range(20):
            began = time.perf_counter()
            a @ a
            best = min(best, time.perf_counter() - began)
    return a.shape[0] ** 3 / best


@contextmanager
def memory_kept() -> Iterator[None]:
    """Keep freed memory in this process while the block runs, for loops that allocate the same sizes at every step.

    glibc gives large arrays back to the system at once, which has to clear the pages of the next ones. Other libraries
    are left as they are.
    """
    global _keeping
    library = _glibc()
    with _entering:
        _keeping += 1
        if library is not None and _keeping == 1:
            library.mallopt(MMAP_MAX, 0)
            library.mallopt(TRIM_THRESHOLD, 2**31 - 1)
    try:
        yield
    finally:
        with _entering:
            _keeping -= 1
            if library is not None and _keeping == 0:
                library.mallopt(MMAP_MAX, 65_536)  # what both are where nobody has changed them
                library.mallopt(TRIM_THRESHOLD, 2**17)
                library.malloc_trim(0)


TRIM_THRESHOLD, MMAP_MAX = -1, -4  # of mallopt
_keeping = 0


def _glibc() -> ctypes.CDLL | None:
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None


def available_memory() -> int:
    """Bytes that can still be allocated without swapping: the system's count, or a container's limit if lower."""
    free = [os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")] or free
    except OSError:  # not Linux: the count of free pages has to do
        pass
    for limit, usage in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            free.append(int(Path(limit).read_text()) - int(Path(usage).read_text()))
        except (OSError, ValueError):  # no such limit here
            continue
    return max(0, min(free))


def require_memory(needed: int, what: str, instead: str) -> None:
    """Refuse before allocating what does not fit, with the numbers and what to do instead."""
    free = available_memory()
    if needed > free:
        raise InputError(f"{what} needs {needed / GIB:.3g} GiB, and {free / GIB:.3g} GiB are free. {instead}")
