"""A finished run of a figure, kept as a reference: the points of its table, how it was made, and its chart."""

from pathlib import Path

from kernelgap.atomic_file import atomically
from kernelgap.errors import InputError, validated
from kernelgap.fingerprint import fingerprint
from kernelgap.paper.figures.reference import (
    CHART,
    SEEDS_NEEDED,
    TABLE,
    Reference,
    fits_of,
    folder_of,
    points_of,
)
from kernelgap.paper.figures.result import FigureRun
from kernelgap.paper.kept_file import LARGEST
from kernelgap.reports.common.charts import as_svg
from kernelgap.reports.figure.error_chart import error_chart
from kernelgap.reports.figure.norm_chart import norm_chart
from kernelgap.runs.result import Run


def keep_reference(run: Run, root: str | Path) -> Path:
    """Write the reference of a run; the same run gives the same bytes.

    Parameters
    ----------
    run
        A finished run of a figure, of which each point has at least five seeds.
    root
        The folder of references; the run's own becomes ``root/NAME-SCALE``.

    Returns
    -------
    Path
        That folder: ``summary.csv``, ``reference.json`` and ``errors.svg``, of 200 kB at most.

    Raises
    ------
    InputError
        If the run is no figure's, is not finished, has fewer seeds than that, or does not say what made it; if the
        files would be larger, or cannot be written.
    """
    if not isinstance(run, FigureRun):
        raise InputError(
            f"'{run.folder}' holds a run of the kind '{run.kind}': only a figure's is kept as a reference."
        )
    folder = folder_of(run.name, run.scale, Path(root))
    _check(run)
    files = {TABLE: run.summary.to_csv(index=False, float_format="%.6g", lineterminator="\n"), CHART: _chart(run)}
    files[Reference.FILE] = _reference(run, {name: fingerprint(content) for name, content in files.items()}).as_text()
    size = sum(len(content.encode()) for content in files.values())
    if size > LARGEST:
        raise InputError(f"A reference of '{run.folder}' would take {size:,} bytes, and {LARGEST:,} are the most.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder '{folder}' cannot be made: {error.strerror}.") from None
    for name, content in files.items():
        with atomically(folder / name) as partial:
            partial.write_bytes(content.encode())
    return folder


def _check(run: FigureRun) -> None:
    """Refuse what is no reference."""
    finished = len(run.times)
    if run.failures or finished < run.planned:
        raise InputError(
            f"'{run.folder}' is not finished ({finished} of {run.planned} chunks): a reference needs all of it. "
            "Go on with the run first."
        )
    if run.version is None or run.code is None or not run.environment:
        raise InputError(f"'{run.folder}' does not say with which version and code it was made: run it anew.")
    fewest = run.summary.sort_values("seeds", kind="stable").iloc[0]
    if fewest.seeds < SEEDS_NEEDED:
        raise InputError(
            f"'{run.folder}' has fewer seeds than a reference needs: {fewest.method} has {fewest.seeds}, "
            f"and {SEEDS_NEEDED} are the least."
        )


def _reference(run: FigureRun, files: dict[str, str]) -> Reference:
    same = ("scale", "title", "problem", "samples", "x", "threshold", "seeds", "search_seeds", "version", "code")
    about = {
        "experiment": run.name,
        **{name: getattr(run, name) for name in (*same, "environment", "sentence", "gap")},
        "date": run.times.finished.max().date().isoformat(),
        "points": points_of(run.summary),
        "fits": fits_of(run.table) if run.axis == "norm" else [],
        "files": files,
    }
    return validated(Reference, about)  # what a folder says of itself may be anything


def _chart(run: FigureRun) -> str:
    chart = norm_chart(run, on_page=False) if run.axis == "norm" else error_chart(run, on_page=False)
    if chart is None:
        raise InputError(f"'{run.folder}' has no finite error: nothing can be kept of it.")
    return as_svg(chart)
