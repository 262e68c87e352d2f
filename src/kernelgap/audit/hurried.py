"""Work that ends when its time is over: in workers that are killed then, or in a thread that is left behind."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from queue import Empty, SimpleQueue

from kernelgap.audit.cell import Cell, Done
from kernelgap.audit.store import AuditStore
from kernelgap.machine import one_blas_thread
from kernelgap.runs.work import Do
from kernelgap.runs.workers.local import LocalWorkers, Worker, check_interrupted, interruptible

PATIENCE = 3.0  # seconds for workers to end; they go on ending by themselves
POLL = 0.1


class HurriedWorkers(LocalWorkers):
    """Local workers whose end nobody waits for long: a machine without memory may take minutes to end a process."""

    def drop(self) -> None:
        busy = [number for number, worker in enumerate(self._workers) if worker.under_way()]
        _end([self._workers[number] for number in busy])
        for number in busy:
            self._workers[number] = Worker(self._do)

    def end(self) -> None:
        _end(self._workers)


def _end(workers: Sequence[Worker]) -> None:
    threads = [threading.Thread(target=worker.end, daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))


@contextmanager
def hurried_workers(count: int, do: Do) -> Iterator[HurriedWorkers]:
    """Start workers; kill them with the block, whatever they are doing."""
    workers = HurriedWorkers(count, do)
    try:
        with interruptible():
            yield workers
    finally:
        workers.end()


def run_here(
    cells: Sequence[Cell], store: AuditStore, do: Callable[[Cell, Callable[[float], None]], Done], until: float = inf
) -> None:
    """Do what the store does not hold yet in this process, where no worker has to start, as long as there is time."""
    finished = store.finished()
    left = [cell for cell in cells if cell.id not in finished]
    done: SimpleQueue[tuple[Cell, Done | Exception]] = SimpleQueue()
    thread = threading.Thread(target=_do_all, args=(left, do, done), daemon=True)
    thread.start()
    for _ in left:
        while True:
            check_interrupted()
            try:
                cell, found = done.get(timeout=POLL)
                break
            except Empty:
                if time.monotonic() >= until:
                    return
        if isinstance(found, Exception):
            store.fail(cell, 1, f"{type(found).__name__}: {found}")
        else:
            store.save(cell, found)


def _do_all(
    cells: Sequence[Cell],
    do: Callable[[Cell, Callable[[float], None]], Done],
    done: "SimpleQueue[tuple[Cell, Done | Exception]]",
) -> None:
    with one_blas_thread():
        for cell in cells:
            try:
                done.put((cell, do(cell, lambda share: None)))
            except Exception as error:  # the cell's own, whatever it is: the rest goes on
                done.put((cell, error))
