"""Worker processes on this machine: single-threaded, one a core.

Each worker has an executor and a queue of its own. If it dies, nothing that it held (a lock, half a message) can stop
the others, it is plain which chunk it died of, and it alone is replaced.
"""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import resource_tracker
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from loky import ProcessPoolExecutor
from loky.backend import get_context

from kernelgap.errors import InputError
from kernelgap.machine import accelerator_asked
from kernelgap.runs.work import Work, WorkFunction, WorkResult
from kernelgap.runs.workers.compiled import keep_programs
from kernelgap.runs.workers.pool import do_silently

# XLA reads its flags when it starts, so they must be in a worker's environment from the beginning.
SINGLE_THREADED = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "NPROC": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def single_threaded() -> dict[str, str]:
    """The environment of a single-threaded worker, which keeps what else XLA_FLAGS asks for."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} {SINGLE_THREADED['XLA_FLAGS']}".strip()
    return {**SINGLE_THREADED, "XLA_FLAGS": flags}


# Where psutil is installed, loky ends a worker that has grown by 300 MB: a large network is no leak.
NEVER_RENEWED = {"LOKY_MAX_MEMORY_LEAK_SIZE": "1e15"}


def worker_environment() -> dict[str, str]:
    """Workers take the CPU, unless JAX_PLATFORMS asks for a GPU, whose memory several of them then share."""
    platform = os.environ.get("JAX_PLATFORMS") or "cpu"  # as many processes as cores would not share one GPU well
    environment = {**single_threaded(), "JAX_PLATFORMS": platform, **NEVER_RENEWED}
    if accelerator_asked():
        environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    return environment


SHORT = 0.5  # seconds; chunks that take less wait in line at a worker, so that it need not wait for the coordinator
LINE = 8  # how many short chunks a worker has before it
REPORT_INTERVAL = 0.2  # seconds between two progress reports of a worker
PARENT_INTERVAL = 1.0  # seconds between a worker's checks that its coordinator lives


class Worker:
    """One process, behind an executor that starts it with its first chunk."""

    def __init__(self, work_function: WorkFunction) -> None:
        self._work_function = work_function
        context = get_context("loky")
        self.reports = context.SimpleQueue()  # of (chunk id, share done)
        self._futures: list[Future[WorkResult]] = []
        self.blamed = False  # whether the chunk that it died of is known
        environment = worker_environment()
        begin = {"initializer": _begin, "initargs": (self.reports, os.getpid())}
        self._executor = ProcessPoolExecutor(1, context=context, env=environment, **begin)

    def under_way(self) -> int:
        """How many chunks it has before it."""
        self._futures = [future for future in self._futures if not future.done()]
        return len(self._futures)

    def submit(self, chunk: Work) -> "Future[WorkResult]":
        future: Future[WorkResult] = self._executor.submit(_work, self._work_function, chunk)
        self._futures.append(future)
        return future

    def end(self) -> None:
        self._executor.shutdown(wait=True, kill_workers=True)


class LocalWorkers:
    """The workers of a run, each replaced when it dies."""

    def __init__(self, count: int, work_function: WorkFunction) -> None:
        self._work_function = work_function
        self._workers = [Worker(work_function) for _ in range(count)]
        self._at: WeakKeyDictionary[Future[WorkResult], Worker] = WeakKeyDictionary()

    def room(self, seconds: float | None) -> int:
        return len(self._workers) * (LINE if seconds is not None and seconds < SHORT else 1)

    def submit(self, chunk: Work) -> "Future[WorkResult]":
        # Workers start with the first chunk and inherit the mask: Ctrl-C is the coordinator's alone to take. The
        # resource tracker, which would lift the mask, is started before.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        try:
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            return self._submit(chunk)
        except OSError as error:
            raise InputError(f"A worker process could not be started: {error.strerror}. Try fewer workers.") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _submit(self, chunk: Work) -> "Future[WorkResult]":
        number, worker = min(enumerate(self._workers), key=lambda entry: entry[1].under_way())
        try:
            future = worker.submit(chunk)
        except BrokenExecutor:  # it has died
            worker.end()
            worker = self._workers[number] = Worker(self._work_function)
            future = worker.submit(chunk)
        self._at[future] = worker
        return future

    def progress(self) -> list[tuple[str, float]]:
        reports = []
        for worker in self._workers:
            while not worker.reports.empty():
                reports.append(worker.reports.get())
        return reports

    def died(self, future: "Future[WorkResult]", error: BrokenExecutor) -> str | None:
        """A worker takes its chunks in order: it died of the first that it has not finished."""
        worker = self._at[future]
        if worker.blamed:
            return None
        worker.blamed = True
        codes = re.search(r"\{(.*)\}", str(error))
        how = f" ({codes[1]})" if codes else ""
        return f"the worker process died{how}, perhaps for lack of memory"

    def drop(self) -> None:
        """End those that are busy; others take their places."""
        for number, worker in enumerate(self._workers):
            if worker.under_way():
                worker.end()
                self._workers[number] = Worker(self._work_function)

    def end(self) -> None:
        for worker in self._workers:
            worker.end()


def local_workers(count: int, work_function: WorkFunction) -> AbstractContextManager[LocalWorkers]:
    """Start workers; end them with the block, whatever they are doing."""
    return ended(LocalWorkers(count, work_function))


class _Ends(Protocol):
    def end(self) -> None: ...


W = TypeVar("W", bound=_Ends)


@contextmanager
def ended(workers: W) -> Iterator[W]:
    """Workers that end with the block, also where it is interrupted."""
    try:
        with interruptible():
            yield workers
    finally:
        workers.end()


@contextmanager
def interruptible() -> Iterator[None]:
    """While workers run, SIGTERM is taken as Ctrl-C and both raise, so that the workers end with this process.

    An exception that is raised amid a library's callback may be swallowed there: ``check_interrupted`` raises it again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = (signal.SIGINT, signal.SIGTERM)
    _asked.clear()
    before = [signal.signal(number, _interrupt) for number in taken]
    try:
        yield
    finally:
        for number, handler in zip(taken, before, strict=True):
            signal.signal(number, handler)
        _asked.clear()


_asked = threading.Event()  # set by SIGINT and SIGTERM


def _interrupt(number: int, frame: object) -> None:
    _asked.set()
    raise KeyboardInterrupt


def check_interrupted() -> None:
    """Raise a KeyboardInterrupt that a library has swallowed."""
    if _asked.is_set():
        raise KeyboardInterrupt


_report: Callable[[tuple[str, float]], None] | None = None  # a worker's end of the queue


def _begin(reports: Any, coordinator: int) -> None:
    global _report
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(coordinator,), daemon=True).start()
    keep_programs()
    _report = reports.put


def _end_with(coordinator: int) -> None:
    """End this process when its coordinator has been killed."""
    while os.getppid() == coordinator:
        time.sleep(PARENT_INTERVAL)
    os._exit(1)


def _work(work_function: WorkFunction, chunk: Work) -> WorkResult:
    report = throttled(lambda share: None if _report is None else _report((chunk.id, share)))
    done: WorkResult = do_silently(work_function, chunk, report)
    return done


def throttled(report: Callable[[float], None]) -> Callable[[float], None]:
    """Report 0 at once, then a share at most every ``REPORT_INTERVAL`` seconds."""
    report(0.0)
    last = time.monotonic()

    def on_progress(share: float) -> None:
        nonlocal last
        if time.monotonic() - last >= REPORT_INTERVAL:
            last = time.monotonic()
            report(share)

    return on_progress
