"""A model of a run on 100 workers, from what a chunk costs the coordinator, checked against runs that fit here.

The coordinator is one server: it sends chunks while there is room (``LINE`` a worker), else stores the next result. The
network is another: bytes / bandwidth for each message, then a latency. A worker takes its chunks in order. Costs are
measured: planning and the final table a trial, sending and storing a chunk (by chunks that do nothing), bytes a chunk,
the start of a worker. Predicted and measured are compared for 1 and 2 local workers and for 2 processes of Dask.
"""

import heapq
import itertools
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import contest
import store as store_benchmark
from kernelgap import console
from kernelgap.machine import cores
from kernelgap.runs import Chunk, ChunkResult, TrialStore, plan_chunks, run_chunk, run_chunks
from kernelgap.runs.trials.chunk import TrialResult
from kernelgap.runs.workers.local import single_threaded

LINE = 2  # chunks that a worker of a cluster has: one that runs and one that waits
WORKERS = (1, 2, 10, 100)
LENGTHS = (0.1, 1.0, 10.0, 60.0)
CHUNKS = 2000
BUSY = 0.9
EMPTY = 300  # chunks that do nothing, to measure what one costs
GIGABIT, LATENCY = 1.25e8, 5e-4  # bytes a second, seconds


@dataclass(frozen=True)
class Costs:
    """Seconds of the coordinator a chunk; bytes of a chunk and of its result; the network; when workers begin."""

    send: float
    store: float
    out: float = 0.0
    back: float = 0.0
    bandwidth: float = GIGABIT
    latency: float = 0.0
    start: float = 0.0


def simulate(chunks: Sequence[float], workers: int, costs: Costs, line: int = LINE) -> float:
    """Seconds until the last of the chunks, given by their seconds in this order, is stored."""
    waiting = deque(chunks)
    free_at = [costs.start] * workers  # when each worker has done what it has
    under_way = [0] * workers
    arrivals: list[tuple[float, int, int]] = []  # when a result is at the coordinator, a number, whose it is
    number = itertools.count()
    now = link = 0.0
    while waiting or arrivals:
        if waiting and sum(under_way) < line * workers:
            worker = min(range(workers), key=under_way.__getitem__)
            under_way[worker] += 1
            now += costs.send
            link = max(link, now) + costs.out / costs.bandwidth
            done = max(free_at[worker], link + costs.latency) + waiting.popleft()
            free_at[worker] = done
            heapq.heappush(arrivals, (done + costs.latency + costs.back / costs.bandwidth, next(number), worker))
        else:
            arrived, _, worker = heapq.heappop(arrivals)
            under_way[worker] -= 1
            now = max(now, arrived) + costs.store
    return now


def busy(seconds: float, workers: int, costs: Costs, chunks: int = CHUNKS) -> float:
    """The share of their time that workers are busy with chunks of this length, the start left out."""
    wall = simulate([seconds] * chunks, workers, costs) - costs.start
    return seconds * chunks / workers / wall


def shortest(workers: int, costs: Costs, share: float = BUSY) -> float:
    """The chunk length from which on workers are busy for this share of the time."""
    low, high = 1e-4, 1e4
    while high / low > 1.01:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if busy(middle, workers, costs) >= share else (middle, high)
    return high


def do_nothing(chunk: Chunk, on_progress: Callable[[float], None]) -> ChunkResult:
    """Results with curves, at once."""
    curves = {name: [float(i) for i in range(12)] for name in ("epochs", "train", "validation", "test")}
    made = [TrialResult(i, "done", 1.0, 1.0, 1.0, 0.1, curves=curves) for i in chunk.trial_ids]
    return ChunkResult.of(chunk, 0.0, made)


@dataclass(frozen=True)
class Measured:
    """Seconds of a run, and of each chunk in the order in which they are begun."""

    wall: float
    chunks: list[float]


def measured_run(chunks: Sequence[Chunk], do: Callable[..., ChunkResult], **where: Any) -> Measured:
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as results:
        began = time.perf_counter()
        failures = run_chunks(chunks, results, work_function=do, **where)
        wall = time.perf_counter() - began
        times = results.times().set_index("chunk").seconds
    assert not failures
    return Measured(wall, [float(times[chunk.id]) for chunk in chunks])


def measured_costs(chunks: Sequence[Chunk], start: float, **where: Any) -> Costs:
    """By chunks that do nothing, so that the coordinator is never idle; ``start`` is when workers begin."""
    made = do_nothing(chunks[0], lambda share: None)
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as results:
        began = time.perf_counter()
        for chunk in chunks:
            results.save(chunk, do_nothing(chunk, lambda share: None))
        stored = (time.perf_counter() - began) / len(chunks)
    each = (measured_run(chunks, do_nothing, **where).wall - start) / len(chunks)
    sizes = (float(len(pickle.dumps(message))) for message in (chunks[0], made))
    return Costs(max(0.0, each - stored), stored, *sizes, start=start)


@contextmanager
def dask_cluster(workers: int) -> Iterator[str]:
    """The address of a scheduler, in a process of its own as the workers are."""
    os.environ.update(single_threaded(), JAX_PLATFORMS="cpu")
    address = "tcp://127.0.0.1:18786"
    kinds = [["scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard"]]
    kinds += [["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]] * workers
    with tempfile.TemporaryDirectory() as folder:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        running = [subprocess.Popen([sys.executable, "-m", "dask", *kind], **quiet) for kind in kinds]
        try:
            from distributed import Client

            with Client(address, timeout="60s", set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=60)
            yield address
        finally:
            for process in running:
                process.kill()  # they hold nothing
                process.wait()


def check(place: str, chunks: Sequence[Chunk], nothing: Sequence[Chunk], count: int, **where: Any) -> dict:
    """Costs at this place, a real run there, and what the model makes of the chunks' own seconds."""
    start = [measured_run(nothing[:count], do_nothing, **where).wall for _ in range(2)][
        -1
    ]  # a cluster's are there then
    costs = measured_costs(nothing, start, **where)
    real = measured_run(chunks, run_chunk, **where)
    line = LINE if "cluster" in where else 1
    return {
        "place": place,
        "workers": count,
        "costs": asdict(costs),
        "chunk_seconds": statistics.median(real.chunks),
        "measured": real.wall,
        "predicted": simulate(real.chunks, count, costs, line),
    }


def check_dask(chunks: Sequence[Chunk], nothing: Sequence[Chunk], workers: int) -> dict:
    with dask_cluster(workers) as address:
        return check(f"Dask, {workers} processes", chunks, nothing, workers, cluster=address)


def plan(trials: int) -> dict:
    began = time.perf_counter()
    plan_chunks(store_benchmark.trials(trials))
    return {"plan": (time.perf_counter() - began) / trials}


def predict(checked: dict) -> list[dict]:
    """For a cluster with the costs that were measured, over a gigabit network of half a millisecond."""
    costs = replace(Costs(**checked["costs"]), start=0.0, latency=LATENCY)
    return [
        {"workers": n, "shortest": shortest(n, costs), "busy": {c: busy(c, n, costs) for c in LENGTHS}} for n in WORKERS
    ]


def rows(results: list[dict]) -> list[dict]:
    checks = [r for r in results if "predicted" in r]
    made = [contest.row(f"{r['place']}, measured to predicted", r["measured"] / r["predicted"], "x") for r in checks]
    last = predict(checks[-1])[-1]
    made.append(contest.row(f"{last['workers']} workers, chunks of 10 s, busy", last["busy"][10.0], "share"))
    return [*made, contest.row("shortest chunk for 90% busy", last["shortest"], "s", higher_is_better=False)]


def main() -> None:
    parser = contest.arguments(__doc__, "cluster_model", rounds=1)
    parser.add_argument("--chunks", type=int, default=24, help="chunks of real fits in each run")
    options = parser.parse_args()
    chunks = plan_chunks(store_benchmark.trials(100 * options.chunks))
    nothing = plan_chunks(store_benchmark.trials(100 * EMPTY))
    jobs: dict[str, Callable[[], dict]] = {"plan": partial(plan, 10_000)}
    jobs |= {
        f"{n} local": partial(check, f"{n} local", chunks, nothing, n, workers=n) for n in range(1, min(2, cores()) + 1)
    }
    jobs["Dask"] = partial(check_dask, chunks, nothing, 2)
    planned, *checks = contest.measure_all(jobs, options.out, rows=rows)
    table = [
        [
            r["place"],
            *(f"{1e3 * r['costs'][name]:.1f}" for name in ("send", "store")),
            *(f"{r['costs'][name] / 1e3:.0f}" for name in ("out", "back")),
            f"{r['costs']['start']:.1f}",
            f"{r['chunk_seconds']:.2f}",
            f"{r['predicted']:.1f}",
            f"{r['measured']:.1f}",
            f"{r['measured'] / r['predicted'] - 1:+.0%}",
        ]
        for r in checks
    ]
    columns = [
        "workers",
        "send ms",
        "store ms",
        "kB out",
        "kB back",
        "start s",
        "chunk s",
        "predicted s",
        "measured s",
        "",
    ]
    title = f"{options.chunks} chunks of 100 trials; planning takes {1e6 * planned['plan']:.0f} us a trial"
    console.table(columns, table, title=title)
    table = [
        [str(p["workers"]), *(f"{share:.1%}" for share in p["busy"].values()), f"{p['shortest']:.2f}"]
        for p in predict(checks[-1])
    ]
    title = f"How busy workers are in a run of {CHUNKS} chunks, predicted from Dask's costs"
    console.table(["workers", *(f"{c:g} s chunks" for c in LENGTHS), "90% from s"], table, title=title)


if __name__ == "__main__":
    main()
