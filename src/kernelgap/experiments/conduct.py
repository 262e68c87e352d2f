"""Run an experiment from its name to its table."""

from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from kernelgap import console, problems
from kernelgap.errors import InputError
from kernelgap.experiments.gap_of_run import gap_of_run
from kernelgap.experiments.registry import get
from kernelgap.sweeps import Progress, Store, plan_chunks, run_chunks


def run(
    name: str,
    scale: str = "quick",
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    seed: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> pd.DataFrame:
    """Run an experiment, by name or from a YAML or TOML file, and return its results table: one row a trial.

    Results are kept in ``out`` (default ``runs/NAME-SCALE``) as they finish; run again to go on after an interruption.
    Chunks run on ``workers`` processes here (default: one a core), or on the Dask cluster whose scheduler has the
    address ``cluster``. Those that fail are left out, named in ``attrs["failures"]``, and tried again by the next run.
    The table's ``attrs`` hold the experiment's name, scale, seed, problem, threshold, x axis and folder, and the
    kernel gap of its best network, if it has one (``certificates.KernelGap.as_record``). Progress is shown on
    standard error unless ``on_progress`` takes it.
    """
    experiment = get(name)
    name = experiment.name
    chunks = plan_chunks(experiment.trials(scale, seed))
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
        "title": experiment.title,
        "scale": scale,
        "seed": seed,
        "problem": experiment.problem,
        "samples": experiment.samples,
        "x": experiment.x,
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
