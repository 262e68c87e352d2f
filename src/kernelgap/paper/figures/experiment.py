"""An experiment as data: which methods, with what to search, on which problem, at which scale."""

import math
from collections.abc import Collection, Iterator
from dataclasses import KW_ONLY, field, replace
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)
from pydantic.dataclasses import dataclass

from kernelgap import kernels, networks, problems
from kernelgap.errors import InputError, check_printable, short, unknown
from kernelgap.machine import cores, speed
from kernelgap.runs import AnyTrial, make_built_trial, make_ridge_trial, make_trial, make_trials
from kernelgap.runs.trials.trial import LINEAR_MODES
from kernelgap.training import Schedule, built, get_model
from kernelgap.training.search import Space

SCHEDULE = Schedule()  # the paper's
CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False)


def _number(value: object) -> object:
    """true is no number, though Python would take it for 1."""
    if isinstance(value, bool):
        raise InputError(f"'{str(value).lower()}' is not a number.")
    return value


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            raise InputError(f"{short(str(value))} is listed twice.")
        seen.add(value)
    return values


def _one_of(kind: str, names: Collection[str]) -> AfterValidator:
    def check(name: str) -> str:
        if name not in names:
            raise unknown(kind, name, names)
        return name

    return AfterValidator(check)


def _known_kernels(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if not kernels.get(text).combines:
            raise InputError(f"A trial draws its inputs, so its kernel cannot be '{text}'.")
    return texts


def _known_problem(text: str) -> str:
    problems.get(text)
    return text


SHARE = 0.15  # of a core's speed at matrix products; measured over whole runs of fig2a and fig2b, 0.1 to 0.2
START = 5.0  # seconds to start workers
COMPILATION = 1.5  # seconds a chunk

SEARCH_SEEDS_FROM = 1000  # the seeds of a search, beyond those that are judged
MOST_TRIALS = 1_000_000  # of a scale
SEARCHED = ("widths", "rates", "decays", "ridges", "kernels", "betas")
DISTINCT = AfterValidator(_distinct)

Whole = Annotated[int, BeforeValidator(_number), Field(ge=1)]
Positive = Annotated[float, BeforeValidator(_number), Field(gt=0)]
NotNegative = Annotated[float, BeforeValidator(_number), Field(ge=0)]

Printable = Annotated[str, AfterValidator(lambda text: check_printable(text.strip()))]
NetworkName = Annotated[str, AfterValidator(lambda name: networks.get(name).name)]
Widths = Annotated[tuple[Whole, ...], Field(min_length=1), DISTINCT]
Ridges = Annotated[tuple[Positive, ...], Field(min_length=1), DISTINCT]
Decays = Annotated[tuple[NotNegative, ...], Field(min_length=1), DISTINCT]
Betas = Annotated[tuple[NotNegative, ...], DISTINCT]


@dataclass(frozen=True, config=CONFIG)
class Grid:
    """A network trained by SGD over widths.

    Parameters
    ----------
    network, mode
        The network's name, and which layers are trained: "all", "hidden", "last" or "ntk".
    widths
        Each is searched on its own.
    rates, decays
        What is searched at each width.
    betas
        Strengths of the base signal, one problem for each; without them the experiment's problem is as it is.
    """

    network: NetworkName
    mode: str
    widths: Widths
    rates: Ridges
    decays: Decays
    betas: Betas = ()

    @model_validator(mode="after")
    def _possible(self) -> "Grid":
        get_model(networks.get(self.network), self.mode)
        return self

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        what = {"network": self.network, "mode": self.mode, "schedule": schedule, **common}
        for width in self.widths:
            yield from make_trials(make_trial, {"rate": self.rates, "decay": self.decays}, width=width, **what)


@dataclass(frozen=True, config=CONFIG)
class Search:
    """A network trained by SGD over widths, at the rates and decays that a search finds.

    Each width begins with a coarse grid and with what the one before found; what it finds is trained from other seeds.

    Parameters
    ----------
    network, mode, widths, betas
        As in ``Grid``.
    search
        Where the search begins, over how many seeds, and what it may not leave (``training.search.Space``).
    also
        Widths that are not searched: they are trained with what was found at the last one that was.
    """

    network: NetworkName
    mode: str
    widths: Widths
    search: Space
    also: Annotated[tuple[Whole, ...], DISTINCT] = ()
    betas: Betas = ()

    @model_validator(mode="after")
    def _possible(self) -> "Search":
        get_model(networks.get(self.network), self.mode)
        both = set(self.widths) & set(self.also)
        if both:
            raise InputError(f"The width {min(both)} is searched, and listed under 'also'.")
        return self

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        """One for each width, with the first setting: what they cost."""
        setting = {"rate": self.search.rates[0], "decay": self.search.decays[0], "schedule": schedule}
        for width in (*self.widths, *self.also):
            yield make_trial(network=self.network, mode=self.mode, width=width, **setting, **common)

    def trainings(self, width: int, seeds: int) -> float:
        """About how many there are at a width: searches took some 20 settings beyond the grid, few with every seed."""
        if width in self.also:
            return seeds
        grid = len(self.search.rates) * len(self.search.decays)
        return seeds + (grid + 20) * (1 + 0.2 * (self.search.seeds - 1))


@dataclass(frozen=True, config=CONFIG)
class RidgePaths:
    """The conjugate (last) or tangent (ntk) kernel of a network over widths, solved exactly for each ridge.

    Parameters
    ----------
    ridges
        Relative to the mean of K(x,x).
    network, mode, widths, betas
        As in ``Grid``; the mode is "last" or "ntk".
    """

    network: NetworkName
    mode: Annotated[str, _one_of("mode for ridge regression", LINEAR_MODES)]
    widths: Widths
    ridges: Ridges
    betas: Betas = ()

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        what = {"network": self.network, "mode": self.mode, **common}
        for width in self.widths:
            yield from make_trials(make_ridge_trial, {"ridge": self.ridges}, width=width, **what)


@dataclass(frozen=True, config=CONFIG)
class KernelLines:
    """Kernels, solved exactly for each ridge. They have no width: flat lines in a figure over widths.

    Parameters
    ----------
    kernels
        Texts such as "gaussian(factor=2.0)".
    ridges, betas
        As in ``RidgePaths``.
    """

    kernels: Annotated[tuple[str, ...], Field(min_length=1), DISTINCT, AfterValidator(_known_kernels)]
    ridges: Ridges
    betas: Betas = ()

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        for kernel in self.kernels:
            yield from make_trials(make_ridge_trial, {"ridge": self.ridges}, kernel=kernel, **common)


@dataclass(frozen=True, config=CONFIG)
class Built:
    """Solutions that are built, not found (sec. 8.2), over widths.

    Parameters
    ----------
    recipe
        "trained" as the paper builds them, or "vertices".
    decays
        The larger the decay, the smaller the norm.
    widths, betas
        As in ``Grid``.
    """

    recipe: Annotated[str, _one_of("recipe", built.RECIPES)]
    widths: Widths
    decays: Decays
    betas: Betas = ()

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        for width in self.widths:
            yield from make_trials(make_built_trial, {"decay": self.decays}, recipe=self.recipe, width=width, **common)


KINDS = {
    "recipe": Built,
    "kernels": KernelLines,
    "ridges": RidgePaths,
    "search": Search,
    "rates": Grid,
}  # by a key that only they have


def _kind(grid: object) -> str:
    """Which kind of grid this is, by the keys that it has."""
    if not isinstance(grid, dict):
        return next((key for key, kind in KINDS.items() if isinstance(grid, kind)), "rates")
    return next((key for key in KINDS if key in grid), "rates")


AnyGrid = Annotated[
    Annotated[Grid, Tag("rates")]
    | Annotated[Search, Tag("search")]
    | Annotated[RidgePaths, Tag("ridges")]
    | Annotated[KernelLines, Tag("kernels")]
    | Annotated[Built, Tag("recipe")],
    Discriminator(_kind),
]


@dataclass(frozen=True, config=CONFIG)
class Scale:
    """How much of an experiment to run.

    Parameters
    ----------
    grids, seeds
        What is searched, and with how many seeds.
    expected_time
        How long it takes, for the list of experiments. Its name up to 0.2, ``effort``, works, too.
    schedule
        How long to train, and with which batches.
    validation_samples, test_samples
        Sizes of the other two samples of a trial.
    first_seed
        The first of the seeds, if the run's own seed is 0. A grid that was placed by hand has seeds that nobody saw.
    """

    grids: Annotated[tuple[AnyGrid, ...], Field(min_length=1)]
    seeds: Whole = 1
    expected_time: Annotated[Printable, Field(validation_alias=AliasChoices("expected_time", "effort"))] = "not known"
    schedule: Schedule = SCHEDULE
    validation_samples: Annotated[Whole, Field(ge=2)] = 1000
    test_samples: Annotated[Whole, Field(ge=2)] = 5000
    first_seed: Annotated[int, BeforeValidator(_number), Field(ge=0, le=1_000_000)] = 0

    @model_validator(mode="after")
    def _seeds_apart(self) -> "Scale":
        if self.seeds > SEARCH_SEEDS_FROM and any(isinstance(grid, Search) for grid in self.grids):
            raise InputError(f"A scale with a search has {SEARCH_SEEDS_FROM:,} seeds at most, not {self.seeds:,}.")
        return self

    @property
    def trials(self) -> int:
        """How many there are, over all seeds."""
        sizes = [[len(getattr(grid, name, ()) or (0,)) for name in SEARCHED] for grid in self.grids]
        return self.seeds * sum(math.prod(each) for each in sizes)  # of a search those that are judged


@dataclass(frozen=True, config=CONFIG)
class Experiment:
    """A comparison of methods at a fixed number of samples.

    Parameters
    ----------
    name, title, source
        For the list of experiments and the page.
    problem, samples
        What is learned, as text, and from how many samples.
    scales
        By name.
    x
        What its figure is drawn over: the width, beta where the grids have betas, or the Frobenius norm of W.
    aliases
        Other names.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    title: Printable
    source: Printable
    problem: Annotated[str, AfterValidator(_known_problem)]
    samples: Whole
    scales: Annotated[dict[Printable, Scale], Field(min_length=1)]
    _: KW_ONLY
    x: Literal["width", "beta", "norm"] = "width"
    aliases: tuple[str, ...] = field(default=())

    @model_validator(mode="after")
    def _possible(self) -> "Experiment":
        for name, scale in self.scales.items():
            count = scale.trials
            if count > MOST_TRIALS:
                raise InputError(f"Scale '{short(name)}' has {count:,} trials, and {MOST_TRIALS:,} are the most.")
            varied = [bool(grid.betas) for grid in scale.grids]
            if self.x == "beta" and not all(varied):
                raise InputError(f"x is beta, so every grid of scale '{name}' needs betas.")
            if self.x != "beta" and any(varied):
                raise InputError(f"A grid of scale '{name}' has betas, so x must be beta.")
            for grid in scale.grids:  # the first trial of each: what is wrong with it is wrong with all
                next(self.grid_trials(scale, grid, seed=0))
        return self

    def scale(self, name: str) -> Scale:
        if name not in self.scales:
            raise unknown("scale", name, self.scales)
        return self.scales[name]

    def trials(self, scale: str, seed: int) -> Iterator[AnyTrial]:
        """Every trial at this scale that is known beforehand, with seeds counted from the first one plus ``seed``."""
        chosen = self.scale(scale)
        grids = [grid for grid in chosen.grids if not isinstance(grid, Search)]
        first = chosen.first_seed + seed
        for grid, s in product(grids, range(first, first + chosen.seeds)):
            yield from self.grid_trials(chosen, grid, seed=s)

    def grid_trials(self, scale: Scale, grid: AnyGrid, *, seed: int) -> Iterator[AnyTrial]:
        """The trials of one grid with one seed."""
        for problem in self.problems_of(grid):
            yield from grid.trials(scale.schedule, self.common(scale, problem, seed))

    def problems_of(self, grid: AnyGrid) -> list[str]:
        """The problem, or one for each of the grid's betas."""
        return [problems.get(self.problem, beta=beta).spec for beta in grid.betas] or [self.problem]

    def common(self, scale: Scale, problem: str, seed: int) -> dict[str, object]:
        """What the trials with one problem and seed share."""
        return {
            "problem": problem,
            "samples": self.samples,
            "seed": seed,
            "validation_samples": scale.validation_samples,
            "test_samples": scale.test_samples,
        }


def seconds(experiment: Experiment, scale: str, workers: int | None = None) -> float:
    """A rough estimate of the time of a run on ``workers`` idle cores (default all): multiplications over speed."""
    costs, seeds = chunk_costs(experiment, experiment.scale(scale)), experiment.scale(scale).seeds
    work = [COMPILATION + cost / (SHARE * speed()) for cost, _ in costs]
    total = sum(one * count for one, (_, count) in zip(work, costs, strict=True)) * seeds
    return START + max(total / (workers or cores()), max(work))


def chunk_costs(experiment: Experiment, scale: Scale) -> list[tuple[float, float]]:
    """Chunks of equal cost, as (cost of one, how many) for one seed. Of a search a chunk is one training."""
    costs: list[tuple[float, float]] = []
    for grid in scale.grids:
        if isinstance(grid, Search):
            trials = experiment.grid_trials(scale, grid, seed=0)
            costs += [(trial.cost, grid.trainings(trial.width or 0, scale.seeds) / scale.seeds) for trial in trials]
            continue
        lists = {name: getattr(grid, name) for name in ("rates", "decays", "ridges", "kernels") if hasattr(grid, name)}
        members = math.prod(len(values) for name, values in lists.items() if name != "kernels")
        thin = replace(grid, **{name: values[:1] for name, values in lists.items()})
        for trial in experiment.grid_trials(scale, thin, seed=0):
            costs.append((trial.cost * members, len(lists.get("kernels", (None,)))))
    return costs


def one_two_five(low: float, high: float) -> tuple[float, ...]:
    """The paper's grid {1, 2, 5} x 10^k, from low to high."""
    values = [float(f"{digit}e{power}") for power in range(-9, 10) for digit in (1, 2, 5)]
    return tuple(v for v in values if low <= v <= high)
