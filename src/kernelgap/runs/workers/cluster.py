"""Workers on other machines: a Dask cluster, by the address of its scheduler."""

import asyncio
import gc
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.metadata import version
from queue import Empty, SimpleQueue
from typing import Any
from uuid import uuid4

from kernelgap.errors import InputError
from kernelgap.runs.work import Work, WorkFunction, WorkResult
from kernelgap.runs.workers.compiled import keep_programs
from kernelgap.runs.workers.local import SINGLE_THREADED, ended, throttled
from kernelgap.runs.workers.pool import do_silently

ANSWER = "10s"  # how long a scheduler may take to answer
COUNT = 5.0  # seconds between counts of the workers, which come and go
SAME = ("kernelgap", "jax", "jaxlib", "numpy")  # what must have the same version everywhere


class ClusterWorkers:
    """Chunks to a Dask cluster. Dask itself runs a chunk again whose worker died, a bounded number of times."""

    def __init__(self, client: Any, work_function: WorkFunction) -> None:
        self._client, self._work_function = client, work_function
        self._executor = client.get_executor(pure=False)
        self._topic = f"kernelgap-{uuid4().hex}"
        self._reports: SimpleQueue[tuple[str, float]] = SimpleQueue()
        self._room, self._counted = 2, 0.0
        self._versions = _versions()
        client.subscribe_topic(self._topic, lambda event: self._reports.put(tuple(event[1])))

    def room(self, seconds: float | None) -> int:
        """Two chunks a worker, one that runs and one that waits, so that a death is not blamed on many."""
        now = time.monotonic()
        if now - self._counted > COUNT:
            self._counted = now
            with suppress(OSError, TimeoutError):  # the scheduler is busy, or gone: then the chunks will say so
                self._room = 2 * max(1, sum(self._client.nthreads().values()))
        return self._room

    def submit(self, chunk: Work) -> "Future[WorkResult]":
        future: Future[WorkResult] = self._executor.submit(
            _work, self._work_function, chunk, self._topic, self._versions
        )
        return future

    def progress(self) -> Sequence[tuple[str, float]]:
        reports = []
        with suppress(Empty):
            while True:
                reports.append(self._reports.get_nowait())
        return reports

    def died(self, future: "Future[WorkResult]", error: BrokenExecutor) -> str | None:
        return str(error)

    def drop(self) -> None:
        """What is under way is cancelled with the run's end."""

    def end(self) -> None:
        with suppress(Exception):  # a scheduler that is gone has nothing left to cancel
            self._executor.shutdown(wait=False)


@contextmanager
def cluster_workers(address: str, work_function: WorkFunction) -> Iterator[ClusterWorkers]:
    """Connect to the scheduler at an address such as tcp://10.0.0.1:8786, and look at its workers."""
    client = _connected(address)
    try:
        _check_workers(client)
        with ended(ClusterWorkers(client, work_function)) as workers:
            yield workers
    finally:
        with suppress(Exception):
            client.close(timeout=5)


def _connected(address: str) -> Any:
    try:
        from distributed import Client
        from distributed.comm import connect
    except ImportError:
        raise InputError("A cluster needs Dask, which is not installed: pip install 'kernelgap[cluster]'.") from None

    async def greet() -> None:
        await (await connect(address, timeout=float(ANSWER.removesuffix("s")))).close()

    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own here
            thread.submit(lambda: asyncio.run(greet())).result()
        return Client(address, timeout=ANSWER, set_as_default=False)
    except MemoryError:  # what is no length was read as one
        lines = ["what answers there is something else"]
    except Exception as error:  # of whatever listens there
        lines = str(error).strip().splitlines()
    # A client that came to nothing is closed when it is collected. Were that while the next one starts, both would wait
    # for one lock of Dask's for ever: so it is collected now.
    gc.collect()
    why = f" ({lines[0]})" if lines else ""
    advice = "start one with 'dask scheduler', and give the address that it prints."
    raise InputError(f"No Dask scheduler answers at '{address}'{why}: {advice}")


def _check_workers(client: Any) -> None:
    """Refuse workers that would not compute the same, or get in each other's way. Later ones are checked by chunk."""
    threads = client.nthreads()
    for worker, number in threads.items():
        if number != 1:
            raise InputError(f"Dask worker {worker} has {number} threads: start it with --nthreads 1, one a core.")
    try:
        answers = client.run(unfit, _versions(), on_error="return")
    except Exception as error:  # whatever a foreign environment raises
        answers = {"at the cluster": error}
    for worker, trouble in answers.items():
        if isinstance(trouble, Exception):
            install = "install the same kernelgap there, with 'pip install kernelgap[cluster]'."
            raise InputError(f"Dask worker {worker} cannot run kernelgap ({trouble}): {install}")
        if trouble:
            raise InputError(f"Dask worker {worker} {trouble}")


def unfit(versions: dict[str, str]) -> str:
    """What is wrong with this process as a worker; nothing if it is fit."""
    different = [f"{name} {_versions()[name]}" for name, number in versions.items() if _versions()[name] != number]
    if different:
        needed = ", ".join(f"{name} {number}" for name, number in versions.items())
        return f"has {', '.join(different)}: install {needed}."
    for name, value in SINGLE_THREADED.items():
        missing = [word for word in value.split() if word not in os.environ.get(name, "").split()]
        if missing:
            return f"is not single-threaded: before starting it, export {name}='{value}' (see docs/runs.md)."
    return ""


def _versions() -> dict[str, str]:
    return {name: version(name) for name in SAME}


_begun = False  # whether this process has been a worker before


def _work(work_function: WorkFunction, chunk: Work, topic: str, versions: dict[str, str]) -> WorkResult:
    global _begun
    from distributed import get_worker

    trouble = unfit(versions)
    if trouble:
        raise RuntimeError(f"Dask worker {get_worker().address} {trouble}")
    if not _begun:
        keep_programs()
        _begun = True
    report = throttled(lambda share: get_worker().log_event(topic, [chunk.id, share]))
    done: WorkResult = do_silently(work_function, chunk, report)
    return done
