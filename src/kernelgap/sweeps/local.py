"""Worker processes on this machine: single-threaded, one a core."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

from loky import ProcessPoolExecutor
from loky.backend import get_context

from kernelgap.sweeps.chunk import Chunk, ChunkResult
from kernelgap.sweeps.execute import run_chunk

# XLA reads its flags when it starts, so they must be in a worker's environment from the beginning.
SINGLE_THREADED = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "NPROC": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class LocalWorkers:
    """An executor of chunks, and what its workers have told about their progress."""

    executor: ProcessPoolExecutor
    _told: Any

    def submit(self, chunk: Chunk) -> Any:
        # Workers start with the first chunk and inherit the mask: Ctrl-C is the coordinator's alone to take. The
        # resource tracker, which would lift the mask, is started before.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self.executor.submit(_work, chunk)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def progress(self) -> list[tuple[str, float]]:
        """(chunk id, share done) as told since the last call."""
        news = []
        while not self._told.empty():
            news.append(self._told.get())
        return news


@contextmanager
def local_workers(count: int) -> Iterator[LocalWorkers]:
    """Start workers; end them with the block, whatever they are doing."""
    context = get_context("loky")
    told = context.SimpleQueue()
    flags = f"{os.environ.get('XLA_FLAGS', '')} {SINGLE_THREADED['XLA_FLAGS']}".strip()
    platform = os.environ.get("JAX_PLATFORMS", "cpu")  # as many processes as cores would not share one GPU well
    environment = {**SINGLE_THREADED, "XLA_FLAGS": flags, "JAX_PLATFORMS": platform}
    executor = ProcessPoolExecutor(count, context=context, env=environment, initializer=_begin, initargs=(told,))
    try:
        with _terminated_like_interrupted():
            yield LocalWorkers(executor, told)
    finally:
        executor.shutdown(wait=True, kill_workers=True)


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """While workers run, SIGTERM is taken as Ctrl-C and both raise, so that the workers end with this process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, signal.default_int_handler) for number in taken]
    try:
        yield
    finally:
        for number, handler in zip(taken, before, strict=True):
            signal.signal(number, handler)


_tell: Callable[[tuple[str, float]], None] | None = None  # a worker's end of the queue


def _begin(told: Any) -> None:
    global _tell
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _tell = told.put


def _work(chunk: Chunk) -> ChunkResult:
    parent = os.getppid()

    def on_progress(share: float) -> None:
        if os.getppid() != parent:  # the coordinator is gone, killed: nobody waits for the result
            os._exit(1)
        if _tell is not None:
            _tell((chunk.id, share))

    return run_chunk(chunk, on_progress)
