"""Run an experiment from its name to its table."""

from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from kernelgap import console, problems
from kernelgap.errors import InputError
from kernelgap.images.experiment import NAME as IMAGES
from kernelgap.images.experiment import run_images
from kernelgap.machine import require_memory
from kernelgap.paper.figures.gap import gap_of_run
from kernelgap.paper.figures.registry import get
from kernelgap.runs import Progress, Store, plan_chunks, run_chunks

ABOUT = ("title", "problem", "samples", "x")  # what a report says of an experiment


def run(
    name: str,
    scale: str = "quick",
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    seed: int = 0,
    data: str | Path | None = None,
    flips: bool = True,
    on_progress: Callable[[Progress], None] | None = None,
) -> pd.DataFrame:
    """Run an experiment and return its results table, as ``kernelgap.run`` does, but write no report."""
    if name == IMAGES:
        how = {"workers": workers, "cluster": cluster, "seed": seed, "flips": flips}
        return run_images(scale, out, data=data, on_progress=on_progress, **how).as_table()  # type: ignore[arg-type]
    if data is not None or not flips:
        raise InputError(f"Only the experiment {IMAGES} takes data of yours: '{name}' draws its own.")
    experiment = get(name)
    name = experiment.name
    chunks = plan_chunks(experiment.trials(scale, seed))
    largest = max((chunk.trials[0] for chunk in chunks), key=lambda trial: trial.memory)
    require_memory(largest.memory, f"'{largest.label}'", "Take fewer samples or a smaller width.")
    folder = Path(out) if out is not None else default_folder(name, scale, seed)
    with Store.open(folder) as store:
        store.describe(
            {
                "experiment": name,
                "scale": scale,
                "seed": seed,
                "kernelgap version": version("kernelgap"),
                "chunks": sorted(c.id for c in chunks),
            }
        )
        store.note({key: getattr(experiment, key) for key in ABOUT})
        if on_progress is not None:
            failures = run_chunks(chunks, store, workers=workers, cluster=cluster, on_progress=on_progress)
        else:
            with console.progress(f"{name} ({scale})") as show:
                failures = run_chunks(
                    chunks, store, workers=workers, cluster=cluster, on_progress=lambda p: show(p.share, str(p))
                )
        table = store.table()
    if table.empty and failures:
        raise InputError(f"All {len(chunks)} chunks failed; the first with: {failures[0].error}")
    table.attrs = {
        "experiment": name,
        "scale": scale,
        "seed": seed,
        **{key: getattr(experiment, key) for key in ABOUT},
        "threshold": problems.get(experiment.problem).threshold,
        "folder": str(folder),
        "failures": [asdict(failure) for failure in failures],
    }
    gap = gap_of_run(table)
    table.attrs["gap"] = None if gap is None else gap.as_record()
    return table


def default_folder(name: str, scale: str, seed: int) -> Path:
    """runs/NAME-SCALE, with the seed where it is not 0."""
    return Path("runs") / (f"{name}-{scale}" + (f"-seed{seed}" if seed else ""))
