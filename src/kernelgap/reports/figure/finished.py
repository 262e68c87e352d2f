"""A run, read back from its folder."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from kernelgap import problems
from kernelgap.errors import InputError
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.paper.figures.gap import gap_of_run
from kernelgap.runs import AnyTrial, Store
from kernelgap.runs.run_file import as_stored


class _About(TypedDict, total=False):
    """What a start notes for the page."""

    title: str
    problem: str
    samples: Annotated[int, Field(ge=1)]
    x: Literal["width", "beta", "norm"]


_ABOUT = TypeAdapter(_About)


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
        trials, times, description, about = store.trials(), store.times(), store.description(), store.about()
        failures = store.failures()
    if found.empty:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    if table is None:
        with as_stored(folder, "what it says of itself", mistakes=True):
            _ABOUT.validate_python(about, strict=True)
            found.attrs.update(_attrs(found, trials, description, about, Path(folder)))
        found.attrs["failures"] = [asdict(failure) for failure in failures]
        gap = gap_of_run(found)
        found.attrs["gap"] = None if gap is None else gap.as_record()
    return FinishedRun(Path(folder), found, trials, times, description)


def _attrs(
    table: pd.DataFrame,
    trials: dict[str, AnyTrial],
    description: dict[str, object],
    about: dict[str, Any],
    folder: Path,
) -> dict[str, object]:
    """What the run said of itself; if it did not, what the experiment of its name says, or what its trials show."""
    name = str(description.get("experiment", folder.name))
    first = trials[table.trial.iloc[0]]
    title = f"test error with {first.samples} samples"
    found: dict[str, Any] = {"title": title, "problem": first.problem, "samples": first.samples, "x": _axis(table)}
    if name in EXPERIMENTS:
        found |= {key: getattr(EXPERIMENTS[name], key) for key in found}
    found |= {key: about[key] for key in found if key in about}
    return {
        "experiment": name,
        "scale": description.get("scale", ""),
        "seed": description.get("seed", int(table.seed.min())),
        **found,
        "threshold": problems.get(found["problem"]).threshold,
        "folder": str(folder),
    }


def _axis(table: pd.DataFrame) -> str:
    """What a run varies, as its trials show."""
    if (table.kind == "built").any():
        return "norm"
    return "beta" if "beta" in table and table.beta.nunique() > 1 else "width"
