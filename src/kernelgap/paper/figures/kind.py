"""Figures as a kind of run: an experiment's trials, and what is concluded from them."""

from pathlib import Path

from kernelgap.fingerprint import fingerprint
from kernelgap.machine import require_memory
from kernelgap.paper.figures.experiment import Experiment
from kernelgap.paper.figures.registry import get
from kernelgap.paper.figures.result import conclude_figure, read_figure
from kernelgap.paper.figures.searches import FIRST_SEED, width_searches
from kernelgap.runs import Chunk, TrialStore, plan_chunks, run_chunk
from kernelgap.runs.kind import SHARED_CODE, Kind, Plan
from kernelgap.runs.start import default_folder

ABOUT = ("title", "problem", "samples", "x")  # what a report says of an experiment


def plan_figure(name: str | Experiment, scale: str, seed: int, out: Path | None) -> Plan:
    """The trials of an experiment at a scale."""
    experiment = get(name)
    chosen = experiment.scale(scale)
    chunks = plan_chunks(experiment.trials(scale, seed))
    for grid in chosen.grids:
        for trial in experiment.grid_trials(chosen, grid, seed=seed):
            require_memory(trial.memory, f"'{trial.label}'", "Take fewer samples or a smaller width.")
    about = {"experiment": experiment.name, "scale": scale, "seed": seed}
    ids, searches = sorted(chunk.id for chunk in chunks), width_searches(experiment, chosen, chosen.first_seed + seed)

    def more(store: TrialStore) -> list[Chunk]:
        errors = store.validation_errors()
        return [chunk for chain in searches for chunk in chain.next(errors)]

    from_seed = chosen.first_seed + seed + FIRST_SEED
    first = [chunk.id for chain in searches for chunk in chain.next({})]
    searched = [repr(chain.search) for chain in searches]
    grown = {"plan": fingerprint(*ids, *first, *searched, str(chosen.seeds)), "search_seeds_from": from_seed}
    return Plan(
        folder=out or default_folder(experiment.name, scale, seed),
        description={**about, **(grown if searches else {"chunks": ids})},
        notes={key: getattr(experiment, key) for key in ABOUT},
        chunks=chunks,
        title=f"{experiment.name} ({scale})",
        more=more if searches else None,
    )


KIND = Kind(
    store=TrialStore,
    work=run_chunk,
    read=read_figure,
    conclude=conclude_figure,
    page="kernelgap.reports.figure.page:write_figure_page",
    code=(*SHARED_CODE, "problems", "networks", "training", "kernels", "regression", "runs/trials"),
    plan=plan_figure,
)
