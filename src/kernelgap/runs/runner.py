"""Run the chunks that are not finished, store each as it arrives, and report progress."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager, nullcontext
from math import inf
from queue import Empty, SimpleQueue

from kernelgap.errors import InputError
from kernelgap.machine import available_memory, check_workers, cores, default_workers
from kernelgap.runs.meter import Meter, RunProgress
from kernelgap.runs.status import StatusWriter
from kernelgap.runs.store import Failure, KindStore
from kernelgap.runs.trials.execute import run_chunk
from kernelgap.runs.work import Work, WorkFunction, WorkResult, memory_of
from kernelgap.runs.workers.cluster import cluster_workers
from kernelgap.runs.workers.local import LocalWorkers, check_interrupted, local_workers
from kernelgap.runs.workers.pool import ExecutorWorkers, Workers

POLL = 0.2  # seconds between two reads of the workers' progress
RETRIES = 2  # how often a chunk is tried again after its worker died


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; what was finished is stored."""

    def __init__(self, done: int, chunks: int) -> None:
        super().__init__(f"{done} of {chunks} chunks were finished and are kept")


def run_chunks(
    chunks: Sequence[Work],
    store: KindStore,
    *,
    work_function: WorkFunction = run_chunk,
    workers: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    pool: Workers | None = None,
    last_start: float | None = None,
    until: float | None = None,
    forget_failures: bool = True,
    more: Callable[[], Sequence[Work]] = tuple,
    on_progress: Callable[[RunProgress], None] = lambda progress: None,
) -> list[Failure]:
    """Do the chunks that the store does not hold yet, and return those that failed.

    A chunk whose worker died is tried ``RETRIES`` times more, after the others; one that raises is not, as it would
    raise again. Either is then stored as failed with its error, and tried again by the next run.

    Parameters
    ----------
    chunks
        The work, in the order in which it is begun.
    store
        Keeps each result as it arrives.
    work_function
        What a worker does with a chunk; by default it fits the chunk's trials.
    workers
        The number of local workers, or of chunks that an executor has under way; by default one a core.
    cluster
        The address of a Dask scheduler, instead of local workers.
    executor
        An executor, instead of local workers.
    pool
        Workers that are there already, with a ``work_function`` of their own (``local_workers``): for a run in several
        stages.
    last_start, until
        Times on the clock ``time.monotonic``. After the first no chunk is begun any more; at the second the run ends,
        and what is not finished then is dropped, neither stored nor a failure.
    forget_failures
        Whether to forget the failures that are stored; later stages of a run keep those of the earlier ones.
    more
        What else is to be done, by what is stored: asked at first and after each chunk. What it names for the first
        time is begun before the chunks that wait. It may name chunks that are known or finished.
    on_progress
        Takes a ``RunProgress``.

    Returns
    -------
    The failures that the store holds at the end; none if there was nothing left to do.

    Raises
    ------
    InputError
        If the number of workers is less than 1 or given with a cluster, or if the workers are lost.
    Interrupted
        If the run is interrupted; what was finished is stored.
    """
    if executor is None or (workers is not None and workers < 1):
        check_workers(workers, "A run")
    if cluster is not None and workers is not None:
        raise InputError("Give either a number of workers or a cluster: a cluster has its own workers.")
    finished = store.finished()
    known = {chunk.id: chunk for chunk in (*more(), *chunks)}
    left = [chunk for chunk in known.values() if chunk.id not in finished]
    if forget_failures:
        store.forget_failures()
    meter = Meter(known.values(), finished)
    on_progress(meter.progress())
    if not left:
        return []
    most = cores() if more is not tuple else len(left)  # workers that may have something to do
    try:
        with (
            nullcontext(pool)
            if pool is not None
            else _workers(workers, cluster, executor, most, work_function) as active,
            StatusWriter.opened(store.folder, meter) as status,
        ):
            dispatcher = _Dispatcher(active, store, meter, status, on_progress, known, more)
            dispatcher.run(left, inf if last_start is None else last_start, inf if until is None else until)
    except KeyboardInterrupt:
        raise Interrupted(meter.done, meter.chunks) from None
    return store.failures()


@contextmanager
def _workers(
    count: int | None, cluster: str | None, executor: Executor | None, chunks: int, work_function: WorkFunction
) -> Iterator[Workers]:
    if executor is not None:
        yield ExecutorWorkers(executor, count or default_workers(), work_function)
    elif cluster is not None:
        with cluster_workers(cluster, work_function) as remote:
            yield remote
    else:
        with local_workers(min(count or default_workers(), chunks), work_function) as local:
            yield local


class _Dispatcher:
    """Sends chunks to workers and results to the store."""

    def __init__(
        self,
        pool: Workers,
        store: KindStore,
        meter: Meter,
        status: StatusWriter,
        on_progress: Callable[[RunProgress], None],
        known: Iterable[str] = (),
        more: Callable[[], Sequence[Work]] = tuple,
    ) -> None:
        self.pool, self.store, self.meter, self.status, self.on_progress = pool, store, meter, status, on_progress
        self.known, self.more = set(known), more
        self.waiting: deque[Work] = deque()
        self.under_way: dict[Future[WorkResult], Work] = {}
        self.by_id: dict[str, Work] = {}
        self.arrived: SimpleQueue[Future[WorkResult]] = SimpleQueue()
        self.deaths: Counter[str] = Counter()
        self.seconds: float | None = None  # what the last chunk took
        self.memory = available_memory() if isinstance(pool, LocalWorkers) else inf  # others have memory of their own

    def run(self, chunks: Sequence[Work], last_start: float, until: float) -> None:
        self.waiting.extend(chunks)
        while (self.waiting or self.under_way) and time.monotonic() < until:
            check_interrupted()
            if time.monotonic() >= last_start:
                self.waiting.clear()
            self._send()
            ready = self._ready()
            reports = self.pool.progress()
            for chunk_id, share in reports:
                if chunk_id in self.by_id:  # a finished chunk may still have reports in the queue
                    self.meter.update(self.by_id[chunk_id], share)
            for future in ready:
                self._handle(future)
            if ready or reports:
                self.on_progress(self.meter.progress())
            self.status.write()
        if self.under_way:  # ``until`` has passed
            self.pool.drop()

    def _send(self) -> None:
        while self.waiting and len(self.under_way) < self.pool.room(self.seconds):
            chunk = self._next()
            if chunk is None:
                return
            future = self.pool.submit(chunk)
            self.under_way[future] = self.by_id[chunk.id] = chunk
            future.add_done_callback(self.arrived.put)

    def _next(self) -> Work | None:
        """The first that fits in memory beside what is under way. One that is alone may begin: it refuses itself."""
        taken = sum(map(memory_of, self.under_way.values()))
        for place, chunk in enumerate(self.waiting):
            needed = memory_of(chunk)
            if not needed or not taken or taken + needed <= self.memory:
                del self.waiting[place]
                return chunk
        return None

    def _ready(self) -> list[Future[WorkResult]]:
        """The futures that are done; waits up to ``POLL`` seconds for the first."""
        ready = []
        try:
            ready.append(self.arrived.get(timeout=POLL))
            while len(ready) < len(self.under_way):
                ready.append(self.arrived.get_nowait())
        except Empty:
            return ready
        return ready

    def _handle(self, future: Future[WorkResult]) -> None:
        chunk = self.under_way.pop(future)
        del self.by_id[chunk.id]
        try:
            result = future.result()
        except BrokenExecutor as error:
            self.meter.stop(chunk)
            self._retry(chunk, self.pool.died(future, error))
        except CancelledError:
            kept = f"{self.meter.done} of {self.meter.chunks} chunks were finished and are kept"
            raise InputError(f"The workers were lost; {kept}. The same command goes on from there.") from None
        except Exception as error:  # the chunk's own, whatever it is: the rest goes on
            self._fail(chunk, 1 + self.deaths[chunk.id], f"{type(error).__name__}: {error}")
        else:
            self.store.save(chunk, result)
            self.meter.finish(chunk)
            self.seconds = result.seconds
            self._grow()

    def _grow(self) -> None:
        """What comes next by what is stored now."""
        fresh = [chunk for chunk in self.more() if chunk.id not in self.known]
        for chunk in fresh:
            self.meter.add(chunk)
        self.known.update(chunk.id for chunk in fresh)
        self.waiting.extendleft(reversed(fresh))

    def _retry(self, chunk: Work, death: str | None) -> None:
        """Back into the line: at its head if another chunk was to blame, at its end if it may be itself."""
        if death is None:
            self.waiting.appendleft(chunk)
            return
        self.deaths[chunk.id] += 1
        if self.deaths[chunk.id] <= RETRIES:
            self.waiting.append(chunk)
        else:
            self._fail(chunk, self.deaths[chunk.id], f"{death} ({self.deaths[chunk.id]} times)")

    def _fail(self, chunk: Work, attempts: int, error: str) -> None:
        self.store.fail(chunk, attempts, error)
        self.meter.fail(chunk)
