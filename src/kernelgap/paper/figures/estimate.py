"""How long an experiment takes here: its multiplications over the speed of this machine's cores. A rough estimate."""

from dataclasses import replace
from math import prod

from kernelgap.machine import cores, speed
from kernelgap.paper.figures.experiment import Experiment, Scale

SHARE = 0.15  # of a core's speed at matrix products; measured over whole runs of fig2a and fig2b, 0.1 to 0.2
START = 5.0  # seconds to start workers
COMPILATION = 1.5  # seconds a chunk

SEARCHED = ("rates", "decays", "ridges", "kernels")  # what does not change the cost of a trial


def seconds(experiment: Experiment, scale: str, workers: int | None = None) -> float:
    """The estimated time of a run on ``workers`` cores of this machine (default all) that have nothing else to do."""
    chosen = experiment.scale(scale)
    chunks = _chunks(experiment, chosen)
    work = [COMPILATION + cost / (SHARE * speed()) for cost, _ in chunks]
    total = sum(one * count for one, (_, count) in zip(work, chunks, strict=True)) * chosen.seeds
    return START + max(total / (workers or cores()), max(work))


def _chunks(experiment: Experiment, scale: Scale) -> list[tuple[float, int]]:
    """Chunks of equal cost, as (cost of one, how many) for one seed."""
    chunks = []
    for grid in scale.grids:
        lists = {name: getattr(grid, name) for name in SEARCHED if hasattr(grid, name)}
        members = prod(len(values) for name, values in lists.items() if name != "kernels")
        thin = replace(grid, **{name: values[:1] for name, values in lists.items()})
        for trial in experiment.grid_trials(scale, thin, seed=0):
            chunks.append((trial.cost * members, len(lists.get("kernels", (None,)))))
    return chunks
