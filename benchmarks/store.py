"""What a run costs besides its fits: the coordinator's share, trials a second into the store, the time to resume.

A run of tiny trials (width 20, 100 samples, 40 epochs; 100 trials a chunk) on one worker a core. The coordinator's time
is its processor seconds for all of it, from descriptions to the final table; its share is of the workers' processor
seconds divided by their number, which is how long the run would take on an idle machine. Then chunks of several sizes
into a store, and how long the same run takes to find that everything is finished.
"""

import dataclasses
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import contest
from kernelgap import console
from kernelgap.machine import cores
from kernelgap.runs import (
    AnyTrial,
    Chunk,
    ChunkResult,
    TrialStore,
    make_trial,
    make_trials,
    plan_chunks,
    run_chunk,
    run_chunks,
)
from kernelgap.training import Schedule

TRIALS = 100_000
SCHEDULE = Schedule(epochs=40, batch=50)
RATES = [0.001 * (i + 1) for i in range(10)]
DECAYS = [0.0001 * i for i in range(10)]
IN_A_CHUNK = (1, 10, 100)
FINISHED = (1_000, 10_000, 100_000)


def trials(number: int) -> Iterator[AnyTrial]:
    common = {"problem": "hard(d=10, k=3, alpha=0.3)", "network": "3resnet", "mode": "all", "width": 20}
    sizes = {"samples": 100, "validation_samples": 50, "test_samples": 100, "schedule": SCHEDULE}
    for seed in range(-(-number // (len(RATES) * len(DECAYS)))):
        yield from make_trials(make_trial, {"rate": RATES, "decay": DECAYS}, **common, **sizes, seed=seed)


def whole_run(number: int) -> dict:
    began, used, before = time.perf_counter(), time.process_time(), _children()
    chunks = plan_chunks(trials(number))
    planned = time.process_time() - used
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as store:
        failures = run_chunks(chunks, store)
        ran = time.process_time() - used - planned
        rows = len(store.table())
    assert not failures
    coordinator, workers = time.process_time() - used, _children() - before
    return {
        "trials": rows,
        "seconds": time.perf_counter() - began,
        "workers": cores(),
        "worker_seconds": workers,
        "coordinator_seconds": {"plan": planned, "run": ran, "table": coordinator - planned - ran},
        "coordinator_share": coordinator / (workers / cores()),
    }


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def results(chunks: Sequence[Chunk]) -> list[ChunkResult]:
    """Results like those of the first chunk, for all."""
    made = run_chunk(chunks[0])
    return [
        ChunkResult.of(
            chunk,
            made.seconds,
            [dataclasses.replace(made.results[0], trial_id=identity) for identity in chunk.trial_ids],
        )
        for chunk in chunks
    ]


def into_the_store(size: int, number: int) -> dict:
    """Each chunk in a transaction of its own, on the disk before the next."""
    whole = plan_chunks(trials(max(100, number * size)))
    chunks = [Chunk(c.trials[i : i + size]) for c in whole for i in range(0, len(c.trials), size)][:number]
    made = results(chunks)
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as store:
        began = time.perf_counter()
        for chunk, result in zip(chunks, made, strict=True):
            store.save(chunk, result)
        seconds = time.perf_counter() - began
    return {"in_a_chunk": size, "chunks": number, "trials_per_second": size * number / seconds}


def resume(number: int) -> dict:
    """From the descriptions to the moment at which nothing is left to do."""
    chunks = plan_chunks(trials(number))
    with tempfile.TemporaryDirectory() as folder:
        with TrialStore.open(folder) as store:
            for chunk, result in zip(chunks, results(chunks), strict=True):
                store.save(chunk, result)
        size = (Path(folder) / TrialStore.FILE).stat().st_size
        began = time.perf_counter()
        chunks = plan_chunks(trials(number))
        planned = time.perf_counter() - began
        with TrialStore.open(folder) as store:
            run_chunks(chunks, store)
        seconds = time.perf_counter() - began
    return {"finished": number, "seconds": seconds, "of_which_planning": planned, "bytes": size}


def rows(results: list[dict]) -> list[dict]:
    run, *others = results
    share = contest.row("coordinator, of the time", run["coordinator_share"], "share", higher_is_better=False)
    speeds = {f"{r['in_a_chunk']} in a chunk": r["trials_per_second"] for r in others if "in_a_chunk" in r}
    resumed = {f"to resume {r['finished']:,} trials": r["seconds"] for r in others if "finished" in r}
    return [
        share,
        *(contest.row(name, value, "trials/s") for name, value in speeds.items()),
        *(contest.row(name, value, "s", higher_is_better=False) for name, value in resumed.items()),
    ]


def main() -> None:
    parser = contest.arguments(__doc__, "store", rounds=1)
    parser.add_argument("--trials", type=int, default=TRIALS)
    options = parser.parse_args()
    jobs = {f"{options.trials:,} trials": partial(whole_run, options.trials)}
    jobs |= {f"{size} trials in a chunk": partial(into_the_store, size, 500) for size in IN_A_CHUNK}
    jobs |= {f"{n:,} finished trials": partial(resume, n) for n in FINISHED if n <= options.trials}
    run, *others = contest.measure_all(jobs, options.out, rows=rows)
    stored, resumed = others[: len(IN_A_CHUNK)], others[len(IN_A_CHUNK) :]
    parts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in run["coordinator_seconds"].items())
    console.answer(
        f"{run['trials']:,} trials: {run['worker_seconds']:.0f} processor seconds in {run['workers']} workers, "
        f"coordinator {run['coordinator_share']:.1%} of the time ({parts}); {run['seconds']:.0f} s on the clock."
    )
    table = [[str(s["in_a_chunk"]), f"{s['trials_per_second']:,.0f}"] for s in stored]
    console.table(["trials in a chunk", "trials/s into the store"], table, left=0)
    table = [
        [f"{r['finished']:,}", f"{r['seconds']:.2f}", f"{r['of_which_planning']:.2f}", f"{r['bytes'] / 2**20:.1f}"]
        for r in resumed
    ]
    console.table(["finished trials", "s to resume", "of which planning", "MiB"], table, left=0)


if __name__ == "__main__":
    main()
