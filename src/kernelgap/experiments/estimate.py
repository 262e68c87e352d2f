"""How long an experiment takes here: its multiplications over the speed of this machine's cores. A rough estimate."""

import time
from dataclasses import replace
from functools import cache
from math import prod

import numpy as np

from kernelgap.experiments.experiment import Experiment, Scale
from kernelgap.machine import cores, one_blas_thread

SHARE = 0.15  # of a core's speed at matrix products; measured over whole runs of fig2a and fig2b, 0.1 to 0.2
START = 5.0  # seconds to start workers
COMPILATION = 1.5  # seconds a chunk

SEARCHED = ("rates", "decays", "ridges", "kernels")  # what does not change the cost of a trial


@cache
def speed() -> float:
    """Multiplications a second that one core does in products of float32 matrices: the best of some short ones."""
    a = np.ones((384, 384), dtype=np.float32)
    best = float("inf")
    with one_blas_thread():
        for _ in range(20):
            began = time.perf_counter()
            a @ a
            best = min(best, time.perf_counter() - began)
    return a.shape[0] ** 3 / best


def seconds(experiment: Experiment, scale: str, workers: int | None = None) -> float:
    """The estimated time of a run on ``workers`` cores of this machine (default all) that have nothing else to do."""
    chosen = experiment.scale(scale)
    chunks = _chunks(experiment, chosen)
    work = [COMPILATION + cost / (SHARE * speed()) for cost, _ in chunks]
    total = sum(one * count for one, (_, count) in zip(work, chunks, strict=True)) * chosen.seeds
    return START + max(total / (workers or cores()), max(work))


def _chunks(experiment: Experiment, scale: Scale) -> list[tuple[float, int]]:
    """Chunks of equal cost, as (cost of one, how many) for one seed."""
    found = []
    for grid in scale.grids:
        lists = {name: getattr(grid, name) for name in SEARCHED if hasattr(grid, name)}
        members = prod(len(values) for name, values in lists.items() if name != "kernels")
        thin = replace(grid, **{name: values[:1] for name, values in lists.items()})
        for trial in experiment.grid_trials(scale, thin, seed=0):
            found.append((trial.cost * members, len(lists.get("kernels", (None,)))))
    return found


def words(seconds: float) -> str:
    """A duration in the unit that suits it: '4 minutes'."""
    for unit, size in (("year", 365.25 * 86_400.0), ("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 0.95 * size:
            count = max(1, round(seconds / size))
            return f"{count:,} {unit}{'s' if count != 1 else ''}"
    return "under a minute"
