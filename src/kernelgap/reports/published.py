"""Run an experiment, and leave everything about it in its folder."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pandas as pd

from kernelgap import console
from kernelgap.images.experiment import NAME as IMAGES
from kernelgap.images.experiment import read_image_run
from kernelgap.paper import figures as experiments
from kernelgap.reports.common.environment import keep_environment
from kernelgap.reports.figure.page import write_report
from kernelgap.reports.figure.summary import write_results
from kernelgap.reports.images.page import write_images_page
from kernelgap.runs import Progress


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
    """Run an experiment, by name or from a YAML or TOML file, and return its results table: one row a trial.

    Results are kept in ``out`` (default ``runs/NAME-SCALE``) as they finish; run again to go on after an interruption.
    At the end the folder has the tables and the page, ``report.html``, too. Chunks run on ``workers`` processes here
    (default: one a core), or on the Dask cluster whose scheduler has the address ``cluster``. Those that fail are left
    out, named in ``attrs["failures"]``, and tried again by the next run. The table's ``attrs`` hold the experiment's
    name, scale, seed, problem, threshold, x axis and folder, and the kernel gap of its best network, if it has one
    (``certificates.KernelGap.as_record``). Progress is shown on standard error unless ``on_progress`` takes it.

    The experiment "images" learns from the images at ``data``, for networks mirrored half of the time unless ``flips``
    is False; its table has accuracies (``experiments.images``).
    """
    how = {
        "workers": workers,
        "cluster": cluster,
        "seed": seed,
        "data": data,
        "flips": flips,
        "on_progress": on_progress,
    }
    with nullcontext() if on_progress is None else console.silence():
        table = experiments.run(name, scale, out, **how)  # type: ignore[arg-type]
        publish(table)
    return table


def publish(table: pd.DataFrame) -> Path:
    """Write the tables and the page of a run that has just ended into its folder."""
    if table.attrs["experiment"] == IMAGES:
        keep_environment(Path(table.attrs["folder"]))
        return write_images_page(read_image_run(table.attrs["folder"]))
    write_results(table, table.attrs["folder"])
    return write_report(table.attrs["folder"], table).path
