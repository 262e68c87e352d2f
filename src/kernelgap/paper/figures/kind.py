"""Figures as a kind of run: an experiment's trials, and what is concluded from them."""

from pathlib import Path

from kernelgap.machine import require_memory
from kernelgap.paper.figures.registry import get
from kernelgap.paper.figures.result import conclude_figure, read_figure
from kernelgap.runs import TrialStore, plan_chunks, run_chunk
from kernelgap.runs.kind import Kind, Plan
from kernelgap.runs.start import default_folder

ABOUT = ("title", "problem", "samples", "x")  # what a report says of an experiment


def plan_figure(name: str, scale: str, seed: int, out: Path | None) -> Plan:
    """The trials of an experiment at a scale."""
    experiment = get(name)
    chunks = plan_chunks(experiment.trials(scale, seed))
    largest = max((chunk.trials[0] for chunk in chunks), key=lambda trial: trial.memory)
    require_memory(largest.memory, f"'{largest.label}'", "Take fewer samples or a smaller width.")
    about = {"experiment": experiment.name, "scale": scale, "seed": seed}
    return Plan(
        folder=out or default_folder(experiment.name, scale, seed),
        description={**about, "chunks": sorted(chunk.id for chunk in chunks)},
        notes={key: getattr(experiment, key) for key in ABOUT},
        chunks=chunks,
        title=f"{experiment.name} ({scale})",
    )


KIND = Kind(
    name="figure",
    command="run",
    store=TrialStore,
    work=run_chunk,
    read=read_figure,
    conclude=conclude_figure,
    page="kernelgap.reports.figure.page:write_figure_page",
    code=("seeds.py", "problems", "networks", "training", "kernels", "regression", "runs/trials"),
    plan=plan_figure,
)
