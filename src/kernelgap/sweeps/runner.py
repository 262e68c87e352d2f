"""Run what is not finished yet, store each chunk as it comes, and say how far it is."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass

from kernelgap.errors import InputError
from kernelgap.machine import cores
from kernelgap.sweeps.chunk import Chunk, ChunkResult
from kernelgap.sweeps.local import LocalWorkers, local_workers
from kernelgap.sweeps.store import Store

POLL = 0.2  # seconds between looks at the workers' progress


@dataclass(frozen=True)
class Progress:
    """``share`` of the whole cost that is done, and the number of finished chunks."""

    share: float
    chunks_done: int
    chunks: int

    def __str__(self) -> str:
        return f"{self.chunks_done} of {self.chunks} chunks"


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; what was finished is stored."""

    def __init__(self, done: int, chunks: int) -> None:
        super().__init__(f"{done} of {chunks} chunks were finished and are kept")


def run_chunks(
    chunks: Sequence[Chunk],
    store: Store,
    *,
    workers: int | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> None:
    """Train the chunks that the store does not hold yet, on local workers: one a core, if their number is not given."""
    workers = cores() if workers is None else workers
    if workers < 1:
        raise InputError(f"A run needs at least 1 worker, not {workers}.")
    finished = store.finished()
    left = [chunk for chunk in chunks if chunk.id not in finished]
    meter = _Meter(chunks, {c.id for c in chunks} & finished)
    on_progress(meter.progress())
    if not left:
        return
    try:
        with local_workers(min(workers, len(left))) as pool:
            _drain(pool, {pool.submit(chunk): chunk for chunk in left}, store, meter, on_progress)
    except KeyboardInterrupt:
        raise Interrupted(len(meter.done), len(chunks)) from None
    except BrokenExecutor:
        kept = f"{len(meter.done)} of {len(chunks)} chunks were finished and are kept"
        raise InputError(
            f"A worker process died, perhaps for lack of memory; {kept}. Go on with the same command and fewer workers."
        ) from None


def _drain(
    pool: LocalWorkers,
    futures: dict[Future[ChunkResult], Chunk],
    store: Store,
    meter: "_Meter",
    on_progress: Callable[[Progress], None],
) -> None:
    waiting = set(futures)
    while waiting:
        ready, waiting = wait(waiting, timeout=POLL, return_when=FIRST_COMPLETED)
        news = pool.progress()
        for chunk_id, share in news:
            meter.shares[chunk_id] = share
        if news and not ready:
            on_progress(meter.progress())
        for future in ready:
            chunk = futures[future]
            store.save(chunk, future.result())
            meter.done.add(chunk.id)
            on_progress(meter.progress())


class _Meter:
    """How much of the cost is done, over finished and running chunks."""

    def __init__(self, chunks: Sequence[Chunk], done: set[str]) -> None:
        self.costs = {chunk.id: chunk.cost for chunk in chunks}
        self.done = done
        self.shares: dict[str, float] = {}

    def progress(self) -> Progress:
        done = sum(c * (1.0 if i in self.done else self.shares.get(i, 0.0)) for i, c in self.costs.items())
        return Progress(done / sum(self.costs.values()), len(self.done), len(self.costs))
