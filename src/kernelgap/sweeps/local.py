"""Worker processes on this machine: single-threaded, one a core."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from loky import ProcessPoolExecutor
from loky.backend import get_context

from kernelgap.errors import InputError
from kernelgap.sweeps.chunk import Chunk, ChunkResult, run_chunk

# XLA reads its flags when it starts, so they must be in a worker's environment from the beginning.
SINGLE_THREADED = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "NPROC": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class LocalWorkers:
    """An executor of chunks, and what its workers have told about their progress."""

    executor: ProcessPoolExecutor
    _told: Any

    def submit(self, chunk: Chunk) -> Any:
        return self.executor.submit(_work, chunk)

    def progress(self) -> list[tuple[str, float]]:
        """(chunk id, share done) as told since the last call."""
        news = []
        while not self._told.empty():
            news.append(self._told.get())
        return news


@contextmanager
def local_workers(count: int | None = None) -> Iterator[LocalWorkers]:
    """Start workers, one a core by default; end them with the block, whatever they are doing."""
    count = cores() if count is None else count
    if count < 1:
        raise InputError(f"A run needs at least 1 worker, not {count}.")
    context = get_context("loky")
    told = context.SimpleQueue()
    flags = f"{os.environ.get('XLA_FLAGS', '')} {SINGLE_THREADED['XLA_FLAGS']}".strip()
    platform = os.environ.get("JAX_PLATFORMS", "cpu")  # as many processes as cores would not share one GPU well
    environment = {**SINGLE_THREADED, "XLA_FLAGS": flags, "JAX_PLATFORMS": platform}
    executor = ProcessPoolExecutor(count, context=context, env=environment, initializer=_begin, initargs=(told,))
    try:
        yield LocalWorkers(executor, told)
    finally:
        executor.shutdown(wait=True, kill_workers=True)


_tell: Callable[[tuple[str, float]], None] | None = None  # a worker's end of the queue


def _begin(told: Any) -> None:
    global _tell
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator decides when work ends
    _tell = told.put


def _work(chunk: Chunk) -> ChunkResult:
    def on_progress(share: float) -> None:
        if _tell is not None:
            _tell((chunk.id, share))

    return run_chunk(chunk, on_progress)
