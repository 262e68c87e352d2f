"""A run of an experiment, as its folder holds it."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import AfterValidator, Field, TypeAdapter
from typing_extensions import TypedDict

from kernelgap import problems
from kernelgap.curves.needed_samples import sentence_of_needs
from kernelgap.errors import InputError, check_printable
from kernelgap.number_text import finite_or_none
from kernelgap.paper.figures.gap import best_network, gap_of_run, needs_of_run
from kernelgap.paper.figures.grids import edges
from kernelgap.paper.figures.picks import judged_trials, search_trials
from kernelgap.paper.figures.reference import ReferenceComparison, compare_with_kept
from kernelgap.paper.figures.registry import EXPERIMENTS
from kernelgap.paper.figures.searches import with_stage
from kernelgap.paper.figures.signals import Signals, base_size, signals_of
from kernelgap.paper.figures.summary import sentence, summarise, under_threshold
from kernelgap.progress import Progress, silent
from kernelgap.runs import Trial, TrialStore
from kernelgap.runs.result import Run
from kernelgap.runs.store import as_stored


class _About(TypedDict, total=False):
    """What a start notes for the page."""

    title: Annotated[str, AfterValidator(check_printable)]
    problem: str
    samples: Annotated[int, Field(ge=1)]
    x: Literal["width", "beta", "norm"]


_ABOUT = TypeAdapter(_About)


@dataclass(frozen=True)
class Best:
    """The network with the least validation error, and how it learned."""

    row: pd.Series
    trial: Trial
    signals: Signals | None


@dataclass(frozen=True, kw_only=True, repr=False)
class FigureRun(Run):
    """Trials of networks and kernels on a problem: the errors against the width, beta or the norm of the weights.

    ``table`` has a row a trial. Where the run has searched for settings, its column ``stage`` is "search" for trials of
    the search, on seeds of their own, and "judged" for the others; what a run states rests on judged trials alone.

    Attributes
    ----------
    title, problem, samples, x
        What the experiment is about; ``x`` is what its errors are drawn against.
    gap : dict or None
        The kernel gap of the best network (``certificates.KernelGap.as_record``); None if it has none.
    concluded : bool
        Whether the gap has been computed from all that is finished; the run's last step does so.
    best : Best or None
        The network with the least validation error.
    """

    kind = "figure"

    title: str
    problem: str
    samples: int
    x: str = "width"
    gap: dict[str, Any] | None = None
    concluded: bool = True
    best: Best | None = field(default=None, repr=False)

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The trials that the results are stated from: all but those of a search."""
        return judged_trials(self.table)

    @property
    def seeds(self) -> list[int]:
        """The seeds of the judged trials."""
        return _seeds(self.judged)

    @property
    def search_seeds(self) -> list[int]:
        """The seeds of the search for settings; none where the judged trials are searched themselves."""
        trials = search_trials(self.table)
        return [] if trials is self.table else _seeds(trials)

    @property
    def axis(self) -> str:
        """What the errors are drawn against, as far as the table has it: width, beta or norm."""
        return self.x if self.x in self.judged and self.judged[self.x].notna().any() else "width"

    @property
    def threshold(self) -> float:
        """The risk that learning the base signal alone leaves."""
        return float(problems.get(self.problem).threshold)

    @property
    def has_base(self) -> bool:
        """Whether the target has a base signal beta F, so that learning F alone is something."""
        return problems.get(self.problem).beta > 0

    @cached_property
    def summary(self) -> pd.DataFrame:
        """A point for each method and width: the median over seeds with its range (``summarise``)."""
        return summarise(self.table)

    @cached_property
    def comparison(self) -> ReferenceComparison | None:
        """This run beside the kept reference of its experiment and scale; None where none is kept."""
        return compare_with_kept(self)

    @cached_property
    def warnings(self) -> list[str]:
        """The methods whose best rate or decay is the last of those that were tried."""
        return edges(self)

    @property
    def messages(self) -> list[str]:
        return [f"On the edge of its grid: {warning}" for warning in self.warnings]

    @property
    def sentence(self) -> str:
        return sentence(self.summary, self.threshold, self.samples, base=self.has_base)

    def as_record(self) -> dict[str, Any]:
        """The results as plain values for JSON; an infinite error (every trial diverged) becomes null."""
        return {
            "experiment": self.name,
            **{name: getattr(self, name) for name in ("scale", "seed", "problem", "samples", "threshold")},
            "folder": str(self.folder),
            "x": self.x,
            "seeds": self.seeds,
            "search_seeds": self.search_seeds,
            "rows": [_plain(row) for row in self.summary.to_dict("records")],
            "under_threshold": {
                f"picked_on_{sample}": under_threshold(self.summary, self.threshold, by=f"best_on_{sample}")
                for sample in ("test", "validation")
            },
            **{name: getattr(self, name) for name in ("sentence", "gap", "warnings")},
            "reference": None if self.comparison is None else self.comparison.as_record(),
        }


def conclude_figure(store: TrialStore, on_progress: Progress = silent) -> dict[str, Any]:
    """The kernel gap with the predicted needs, and the size of the base signal on the best network's test sample."""
    table = judged_trials(staged_table(store))
    gap, best = gap_of_run(table, on_progress), best_network(table)
    record = None
    if gap is not None:
        needs = needs_of_run(table, gap)
        record = gap.as_record() | {"needs": [each.as_record() for each in needs]}
        record["needs_sentence"] = sentence_of_needs(needs, gap.method, gap.samples)
    return {
        "gap": record,
        "base_size": None if best is None else base_size(store.trials()[best.trial]),
    }


def staged_table(store: TrialStore) -> pd.DataFrame:
    """The finished trials; ``stage`` says, if there are searches, which are theirs, and which are judged."""
    first = store.description().get("search_seeds_from")
    with as_stored(store.folder, "its description"):
        if first is not None and not isinstance(first, int):
            raise TypeError("the first seed of its searches is no whole number")
    return with_stage(store.table(), first)


def read_figure(folder: Path) -> FigureRun:
    """What is finished in the folder of a run.

    Parameters
    ----------
    folder
        Where the run is stored. An unfinished run has no conclusion, and no gap.

    Raises
    ------
    InputError
        If nothing is finished, or the folder is damaged.
    """
    with TrialStore.reading(folder) as store:
        table, about, common = staged_table(store), store.about(), store.common()
        if table.empty:
            raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
        if judged_trials(table).empty:
            raise InputError(f"Only trials of the search are finished in '{folder}': go on with the run.")
        trials = store.trials()
        conclusion = store.conclusion()
    with as_stored(folder, "what it says of itself", mistakes=True):
        _ABOUT.validate_python(about, strict=True)
        check_printable(common["scale"])
        first = trials[table.trial.iloc[0]]
        title = f"test error with {first.samples} samples"
        described = {"title": title, "problem": first.problem, "samples": first.samples, "x": _axis(table)}
        if common["name"] in EXPERIMENTS:
            described |= {key: getattr(EXPERIMENTS[common["name"]], key) for key in described}
        described |= {key: about[key] for key in described if key in about}
        row = best_network(table)
        best = None
        if row is not None:
            trial = trials[row.trial]
            assert isinstance(trial, Trial)
            size = base_size(trial) if conclusion is None else conclusion["base_size"]
            best = Best(row, trial, signals_of(row.curves, size))
        gap = None if conclusion is None else conclusion["gap"]
        concluded = conclusion is not None
        return FigureRun(**common, table=table, **described, gap=gap, concluded=concluded, best=best)  # type: ignore[arg-type]


def _seeds(table: pd.DataFrame) -> list[int]:
    return sorted(int(seed) for seed in table.seed.unique())


def _plain(row: dict[Any, Any]) -> dict[Any, Any]:
    return {name: None if value is pd.NA else finite_or_none(value) for name, value in row.items()}


def _axis(table: pd.DataFrame) -> str:
    """What a run varies, as its trials show."""
    if (table.kind == "built").any():
        return "norm"
    return "beta" if "beta" in table and table.beta.nunique() > 1 else "width"
