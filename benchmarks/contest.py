"""Contestants as processes: started together, let go together, and what they tell; what benchmarks share in a run."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from kernelgap import console
from kernelgap.machine import cores
from kernelgap.runs.environment import environment
from kernelgap.runs.workers.local import SINGLE_THREADED

HERE = Path(__file__).parent
SGEMM_REPEATS = 30


class NotReadyError(SystemExit):
    """A contestant ended before it was ready."""


def run(program: str, python: str, task: dict, processes: int, threads: int) -> list[dict]:
    """What each copy of a contestant tells: seconds of work and of warming up, peak memory, seconds until it began."""
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    environment = os.environ | quiet | SINGLE_THREADED
    if threads > 1:
        environment = {k: v for k, v in (os.environ | quiet).items() if k not in SINGLE_THREADED}
    command = [python, str(HERE / "contestants" / program), json.dumps(task | {"threads": threads})]
    began = time.perf_counter()
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(processes)
    ]
    if not all(process.stdout.readline().strip() == "ready" for process in running):
        for process in running:
            process.kill()
            process.communicate()
        raise NotReadyError(f"{program} did not get ready: see its message above.")
    ready = time.perf_counter() - began
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [json.loads(process.communicate()[0]) for process in running]
    return [result | {"start": ready - result["warm_up"]} for result in results]


def slowest(program: str, python: str, task: dict, processes: int, threads: int = 1) -> float:
    """Seconds of the slowest copy."""
    return max(result["seconds"] for result in run(program, python, task, processes, threads))


def sgemm_peak() -> float:
    """Float32 operations a second of NumPy's matrix products, as a single-threaded process a core."""
    seconds = slowest("sgemm.py", sys.executable, {"repeats": SGEMM_REPEATS}, cores())
    return cores() * SGEMM_REPEATS * 2 * 1024**3 / seconds


def alternate(contestants: dict[str, tuple[str, str, dict]], rounds: int, folder: Path, suffix: str) -> dict:
    """What each contestant (its program, Python and task) tells in each round, as one process with all cores.

    In the first round it saves what it computed, in the folder under its name.
    """
    by_contestant: dict[str, list[dict]] = {name: [] for name in contestants}
    for i in range(rounds):
        for name, (program, python, task) in contestants.items():
            save = str(folder / f"{name}{suffix}") if i == 0 else ""
            by_contestant[name] += run(program, python, task | {"save": save}, 1, cores())
    return by_contestant


def arguments(description: str, name: str, rounds: int) -> argparse.ArgumentParser:
    """The options that every benchmark has; ``name`` is that of its file of results."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--out", type=Path, default=HERE / "results" / f"{name}.json")
    return parser


def row(name: str, value: float, unit: str, *, higher_is_better: bool = True) -> dict:
    """One number of a benchmark. Those of the units "ratio" and "share" are compared between runs (``compare.py``)."""
    return {"name": name, "value": value, "unit": unit, "higher_is_better": higher_is_better}


def measure_all(
    jobs: Mapping[str, Callable[[], dict]],
    out: Path,
    *,
    rows: Callable[[list[dict]], Sequence[dict]] = lambda results: (),
    **about: object,
) -> list[dict]:
    """The results of all jobs, with progress under their names, kept in a file too: ``rows`` are for ``make bench``."""
    results = []
    with console.progress("benchmark") as show:
        for i, (name, job) in enumerate(jobs.items()):
            show(i / len(jobs), name)
            results.append(job())
        show(1.0, "done")
    kept = {"date": now(), "machine": environment(), **about, "rows": list(rows(results)), "results": results}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(kept, indent=2) + "\n")
    return results


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
