"""Work with a deadline: in workers that are killed at it, or in a thread that is left behind."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import inf
from queue import Empty, SimpleQueue

from kernelgap.audit.chunks import AuditChunk, Done
from kernelgap.audit.store import AuditStore
from kernelgap.machine import one_blas_thread
from kernelgap.runs.work import WorkFunction
from kernelgap.runs.workers.local import LocalWorkers, Worker, check_interrupted, ended

PATIENCE = 3.0  # seconds to wait for workers to end; after that they end by themselves
POLL = 0.1

DoChunk = Callable[[AuditChunk, Callable[[float], None]], Done]


class DeadlineWorkers(LocalWorkers):
    """Local workers that are ended within seconds: a machine without memory may take minutes to end a process."""

    def drop(self) -> None:
        busy = [number for number, worker in enumerate(self._workers) if worker.under_way()]
        _end([self._workers[number] for number in busy])
        for number in busy:
            self._workers[number] = Worker(self._work_function)

    def end(self) -> None:
        _end(self._workers)


def _end(workers: Sequence[Worker]) -> None:
    threads = [threading.Thread(target=worker.end, daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))


def deadline_workers(count: int, work_function: WorkFunction) -> AbstractContextManager[DeadlineWorkers]:
    """Start workers; kill them at the end of the block."""
    return ended(DeadlineWorkers(count, work_function))


def run_here(chunks: Sequence[AuditChunk], store: AuditStore, work_function: DoChunk, until: float = inf) -> None:
    """Do the chunks that are not stored yet in this process, where no worker has to start, until the deadline."""
    finished = store.finished()
    left = [chunk for chunk in chunks if chunk.id not in finished]
    done: SimpleQueue[tuple[AuditChunk, Done | Exception]] = SimpleQueue()

    def do_all() -> None:
        with one_blas_thread():
            for chunk in left:
                try:
                    done.put((chunk, work_function(chunk, lambda share: None)))
                except Exception as error:  # of this chunk alone: the others go on
                    done.put((chunk, error))

    threading.Thread(target=do_all, daemon=True).start()
    for _ in left:
        while True:
            check_interrupted()
            try:
                chunk, result = done.get(timeout=POLL)
                break
            except Empty:
                if time.monotonic() >= until:
                    return
        if isinstance(result, Exception):
            store.fail(chunk, 1, f"{type(result).__name__}: {result}")
        else:
            store.save(chunk, result)
