"""A run, read back from its folder."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from kernelgap import problems
from kernelgap.errors import InputError
from kernelgap.experiments import EXPERIMENTS
from kernelgap.experiments.gap_of_run import gap_of_run
from kernelgap.sweeps import AnyTrial, Store


@dataclass(frozen=True)
class FinishedRun:
    """The results table with its ``attrs``, as ``kernelgap.run`` returns it, and what else the folder holds."""

    folder: Path
    table: pd.DataFrame
    trials: dict[str, AnyTrial]
    times: pd.DataFrame
    description: dict[str, object]

    @property
    def planned(self) -> int:
        """How many chunks the run has in all, finished or not."""
        chunks = self.description.get("chunks")
        return len(chunks) if isinstance(chunks, list) else len(self.times)


def read_run(folder: str | Path, table: pd.DataFrame | None = None) -> FinishedRun:
    """What is finished in a folder; ``table`` is the results table where it is at hand already."""
    with Store.reading(folder) as store:
        found = store.table() if table is None else table
        trials, times, description = store.trials(), store.times(), store.description()
    if found.empty:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    if table is None:
        found.attrs = _attrs(found, trials, description, Path(folder))
        gap = gap_of_run(found)
        found.attrs["gap"] = None if gap is None else gap.as_record()
    return FinishedRun(Path(folder), found, trials, times, description)


def _attrs(
    table: pd.DataFrame, trials: dict[str, AnyTrial], description: dict[str, object], folder: Path
) -> dict[str, object]:
    """What the run said of itself; of an experiment that is not known here, what its trials say."""
    name = str(description.get("experiment", folder.name))
    experiment = EXPERIMENTS.get(name)
    first = trials[table.trial.iloc[0]]
    problem = first.problem if experiment is None else experiment.problem
    return {
        "experiment": name,
        "title": f"test error with {first.samples} samples" if experiment is None else experiment.title,
        "scale": description.get("scale", ""),
        "seed": description.get("seed", int(table.seed.min())),
        "problem": problem,
        "samples": first.samples,
        "threshold": problems.get(problem).threshold,
        "folder": str(folder),
        "x": getattr(experiment, "x", _axis(table)),
    }


def _axis(table: pd.DataFrame) -> str:
    """What a run varies, as its trials show."""
    if (table.kind == "built").any():
        return "norm"
    return "beta" if "beta" in table and table.beta.nunique() > 1 else "width"
