"""How much of a cold run is compilation: by worker, by stage, by program.

The chunks of an experiment are run on local workers with an empty cache of programs. JAX tells when it traces a
function, lowers it and compiles it; a worker's share is the union of these times over what it spent on chunks. A
program that two workers compile at the same time counts twice in seconds and once among the distinct ones. With
``--warm`` the same run follows with the programs on the disk.
"""

import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import jax

import contest
from kernelgap import console
from kernelgap.cache_folder import VARIABLE
from kernelgap.machine import cores
from kernelgap.paper.figures.kind import plan_figure
from kernelgap.runs import Chunk, ChunkResult, TrialStore, run_chunk, run_chunks

STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
SHOWN = 15
_heard: list[dict] = []  # what JAX told in this worker since the last chunk


def _hear(event: str, seconds: float, **about: object) -> None:
    if event in STAGES:
        end = time.time()
        name = str(about.get("fun_name", "?"))
        _heard.append({"stage": STAGES[event], "name": name, "start": end - seconds, "end": end})


def run_and_listen(folder: str, chunk: Chunk, on_progress: Callable[[float], None]) -> ChunkResult:
    """Run a chunk in a worker, and leave what JAX told in a file of its own."""
    if not _listening:
        jax.monitoring.register_event_duration_secs_listener(_hear)
        _listening.append(True)
    _heard.clear()
    began, used = time.time(), time.process_time()
    result = run_chunk(chunk, on_progress)
    record = {"worker": os.getpid(), "chunk": chunk.label, "seconds": time.time() - began, "events": _heard}
    record["processor"] = time.process_time() - used
    (Path(folder) / f"{chunk.id}.json").write_text(json.dumps(record))
    return result


_listening: list[bool] = []


def union(spans: Iterable[tuple[float, float]]) -> float:
    """The length of a union of intervals: traces lie within traces."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def listened_run(experiment: str, scale: str, workers: int, cache: Path) -> dict:
    plan = plan_figure(experiment, scale, 0, None)
    os.environ[VARIABLE] = str(cache)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:
        with TrialStore.open(out) as store:
            failures = run_chunks(plan.chunks, store, work_function=partial(run_and_listen, folder), workers=workers)
        records = [json.loads(path.read_text()) for path in Path(folder).glob("*.json")]
    assert not failures
    return {
        "seconds": time.perf_counter() - began,
        "programs_on_disk": len(list(cache.rglob("*-cache"))),
        "chunks": len(records),
        **summary(records),
    }


def summary(records: list[dict]) -> dict:
    """Seconds of each worker and stage, and of each program by its name."""
    by_worker: dict[int, list[dict]] = defaultdict(list)
    for chunk in records:
        by_worker[chunk["worker"]].append(chunk)
    workers = []
    for chunks in by_worker.values():
        events = [event for chunk in chunks for event in chunk["events"]]
        stages = {
            stage: union((e["start"], e["end"]) for e in events if e["stage"] == stage) for stage in STAGES.values()
        }
        busy = sum(chunk["seconds"] for chunk in chunks)
        compiling = union((e["start"], e["end"]) for e in events)
        workers.append({"busy": busy, "compiling": compiling, "share": compiling / busy, "stages": stages})
    programs: dict[str, list[float]] = defaultdict(list)
    for chunk in records:
        for event in chunk["events"]:
            if event["stage"] == "compile":
                programs[event["name"]].append(event["end"] - event["start"])
    costs = [{"name": name, "compiled": len(times), "seconds": sum(times)} for name, times in programs.items()]
    return {
        "workers": workers,
        "share": sum(w["compiling"] for w in workers) / sum(w["busy"] for w in workers),
        "compilations": sum(c["compiled"] for c in costs),
        "programs": sorted(costs, key=lambda c: -c["seconds"]),
        "by_chunk": {
            chunk["chunk"]: {
                "seconds": chunk["seconds"],
                "compiling": union((e["start"], e["end"]) for e in chunk["events"]),
                "programs": sum(e["stage"] == "compile" for e in chunk["events"]),
            }
            for chunk in records
        },
    }


def rows(results: list[dict]) -> list[dict]:
    cold = results[0]
    return [
        contest.row("compilation, of a cold run", cold["share"], "share", higher_is_better=False),
        contest.row("distinct programs", cold["programs_on_disk"], "programs", higher_is_better=False),
    ]


def main() -> None:
    parser = contest.arguments(__doc__, "compilation", rounds=1)
    parser.add_argument("--experiment", default="fig2a")
    parser.add_argument("--scale", default="quick")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--warm", action="store_true", help="run once more, with the programs on the disk")
    options = parser.parse_args()
    if os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        sys.exit("JAX_COMPILATION_CACHE_DIR is set: programs would be found there.")
    with tempfile.TemporaryDirectory() as cache:
        run = partial(listened_run, options.experiment, options.scale, options.workers, Path(cache))
        jobs = {f"{options.experiment} {options.scale}, {when}": run for when in ("cold", "warm")[: 1 + options.warm]}
        results = contest.measure_all(jobs, options.out, rows=rows)
    for when, result in zip(jobs, results, strict=True):
        console.answer(
            f"{when}: {result['seconds']:.0f} s with {options.workers} workers, {result['compilations']} programs "
            f"compiled or read, {result['programs_on_disk']} distinct; {result['share']:.0%} of the workers' time."
        )
        table = [
            [str(i), *(f"{s:.1f}" for s in (w["busy"], *w["stages"].values())), f"{w['share']:.0%}"]
            for i, w in enumerate(result["workers"])
        ]
        console.table(["worker", "busy s", *(f"{stage} s" for stage in STAGES.values()), "of its time"], table)
        table = [[p["name"], str(p["compiled"]), f"{p['seconds']:.1f}"] for p in result["programs"][:SHOWN]]
        console.table(["program", "compiled", "seconds"], table)


if __name__ == "__main__":
    main()
