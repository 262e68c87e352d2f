"""A search over rates and decays that finds its own edges.

Settings lie on a lattice of round numbers, twelve to a decade: 1, 1.2, 1.4, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8.5. The search
begins with a coarse grid. Then all eight neighbours of the best setting are tried, at a step of 4 places, which is the
paper's {1, 2, 5} x 10^k. Where one of them is better, it is the new best: so the search goes outwards while the best is
on an edge. Where none is better by more than ``TOLERANCE``, the step is halved: so it goes inwards, until the finest
step changes nothing.

The error of a setting is its mean over seeds, and errors are not negative. So a setting is given up, exactly, once
the sum over the seeds that it had, divided by the number of seeds, is above the least mean: no error on the other seeds
would make it the best. A member that diverged has an infinite error.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kernelgap.errors import InputError

PLACES = (1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5)
STEPS = (4, 2, 1)
TOLERANCE = 0.02  # a relative change of the error that is none
LEAST, MOST = 1e-9, 1e9

Setting = tuple[float, float]  # a rate and a decay
Errors = Mapping[Setting, Sequence[float]]  # on the first seeds, in their order
Place = tuple[int, int]  # of a rate and a decay on the lattice
Bound = Annotated[float, Field(ge=LEAST, le=MOST)]


class Space(BaseModel):
    """Where a search begins, and what it may not leave.

    Parameters
    ----------
    rates, decays
        The coarse grid, numbers of the lattice.
    seeds
        Over how many seeds a setting's error is the mean.
    least, most
        The least and the greatest rate and decay.
    starts
        Settings that are tried with the coarse grid, such as the best of a smaller width.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    rates: Annotated[tuple[Bound, ...], Field(min_length=1)]
    decays: Annotated[tuple[Bound, ...], Field(min_length=1)]
    seeds: Annotated[int, Field(ge=1, le=1000)] = 3
    least: tuple[Bound, Bound] = (1e-5, 1e-7)
    most: tuple[Bound, Bound] = (1e3, 1e2)
    starts: tuple[Setting, ...] = ()

    @model_validator(mode="after")
    def _possible(self) -> "Space":
        starting = [[start[i] for start in self.starts] for i in (0, 1)]
        for name, values, begins, low, high in zip(
            ("rate", "decay"), (self.rates, self.decays), starting, self.least, self.most, strict=True
        ):
            outside = [value for value in (*values, *begins) if not low <= value <= high]
            if outside:
                raise InputError(
                    f"The search would begin at the {name} {outside[0]:g}, outside of {low:g} to {high:g}."
                )
            for value in (*values, *begins, low, high):
                if not math.isclose(at(place_of(value)), value, rel_tol=1e-6):
                    near = at(place_of(value))
                    raise InputError(
                        f"A search cannot try the {name} {value:g}: the nearest that it knows is {near:g}."
                    )
        return self

    def with_start(self, setting: Setting) -> "Space":
        """The same search, which tries this setting with its coarse grid."""
        return self.model_copy(update={"starts": (setting,)})


@dataclass(frozen=True)
class SearchState:
    """What a search has come to.

    Attributes
    ----------
    best
        The setting with the least mean error; None if all that were tried diverged. At the end it is the one whose
        neighbours were all tried: another one may be better by up to ``TOLERANCE``.
    error
        Its mean error over the seeds.
    next_settings, seed_index
        The settings to be trained next, and with which of the seeds, counted from 0. There are none when the search
        is over.
    edges
        Where the best sits on a bound of the space, in words.
    tried
        How many settings were tried.
    """

    best: Setting | None
    error: float
    next_settings: tuple[Setting, ...]
    seed_index: int
    edges: tuple[str, ...]
    tried: int


@cache
def place_of(value: float) -> int:
    """The place on the lattice that is nearest to a number."""
    decade = math.floor(math.log10(value) + 1e-12)
    return min(range(12 * decade, 12 * decade + 13), key=lambda place: abs(math.log(at(place) / value)))


@cache
def at(place: int) -> float:
    """The number at a place of the lattice."""
    return float(f"{PLACES[place % 12]}e{place // 12}")


def advance(space: Space, errors: Errors) -> SearchState:
    """The state of a search, computed from the errors alone. A resumed search therefore takes the same steps.

    Parameters
    ----------
    space
        What is searched.
    errors
        The errors of each setting that was tried, on the first of the seeds, as many as it had.

    Returns
    -------
    SearchState
        With what is to be trained next, if the search is not over.
    """
    lattice = _Lattice(space, errors)
    grid = [(place_of(rate), place_of(decay)) for rate, decay in (*product(space.rates, space.decays), *space.starts)]
    left = lattice.missing(grid)
    if left:
        return lattice.state(left)
    centre = lattice.best(grid)
    if centre is None:  # all diverged: slower ones
        return _slower(lattice, grid)
    for step in STEPS:
        while True:
            square = lattice.neighbours(centre, step)
            left = lattice.missing(square)
            if left:
                return lattice.state(left)
            better = lattice.best(square)
            if better is None or not lattice.mean(better) < (1 - TOLERANCE) * lattice.mean(centre):
                break
            centre = better
    return lattice.state((), centre)


def _slower(lattice: "_Lattice", grid: list[Place]) -> SearchState:
    """Below the least rate, a decade at a time, until something does not diverge."""
    decays = sorted({decay for _, decay in grid})
    rate = min(rate for rate, _ in grid)
    while rate > place_of(lattice.space.least[0]):
        rate = max(rate - 12, place_of(lattice.space.least[0]))
        grid = [*grid, *((rate, decay) for decay in decays)]
        left = lattice.missing(grid)
        if left:
            return lattice.state(left)
        if lattice.best(grid) is not None:
            slower = lattice.space.model_copy(update={"rates": tuple(at(r) for r in sorted({r for r, _ in grid}))})
            return advance(slower, lattice.errors)
    return lattice.state(())


class _Lattice:
    """The errors so far, by places."""

    def __init__(self, space: Space, errors: Errors) -> None:
        self.space, self.errors = space, errors
        self.known = {(place_of(rate), place_of(decay)): list(values) for (rate, decay), values in errors.items()}
        complete = [math.fsum(v) / space.seeds for v in self.known.values() if len(v) >= space.seeds]
        self.least = min(complete, default=math.inf)

    def mean(self, place: Place) -> float:
        """The mean error over all seeds; infinite for a setting that was given up."""
        errors = self.known.get(place, ())
        return math.fsum(errors) / self.space.seeds if len(errors) >= self.space.seeds else math.inf

    def best(self, places: Sequence[Place]) -> Place | None:
        """The place with the least mean; of equal ones that of the smaller rate and decay."""
        least = min(places, key=lambda place: (self.mean(place), place))
        return least if math.isfinite(self.mean(least)) else None

    def missing(self, places: Sequence[Place]) -> list[Place]:
        """The next seed of those that have not had all, and were not given up; of those with the fewest seeds.

        While no setting has had all seeds, the one that is best so far goes first, so that the others can be given up.
        """
        started = {place: self.known.get(place, []) for place in dict.fromkeys(places)}
        left = [p for p, errors in started.items() if len(errors) < self.space.seeds and not self._given_up(errors)]
        fewest = min((len(started[place]) for place in left), default=0)
        if fewest and not math.isfinite(self.least):
            return [min(left, key=lambda place: (math.fsum(started[place]) / len(started[place]), place))]
        return [place for place in left if len(started[place]) == fewest]

    def neighbours(self, centre: Place, step: int) -> list[Place]:
        """The centre and its eight neighbours, as far as they are within the bounds."""
        (low_rate, low_decay), (high_rate, high_decay) = self._bounds()
        return [
            (rate, decay)
            for rate, decay in product(*((c - step, c, c + step) for c in centre))
            if low_rate <= rate <= high_rate and low_decay <= decay <= high_decay
        ]

    def state(self, left: Sequence[Place], centre: Place | None = None) -> SearchState:
        """With the least mean of all, or at the end with the centre: all of its neighbours were tried."""
        best = centre if centre is not None or not self.known else self.best(list(self.known))
        setting, error = (None, math.inf) if best is None else (self._setting(best), self.mean(best))
        return SearchState(
            best=setting,
            error=error,
            next_settings=tuple(self._setting(place) for place in left),
            seed_index=len(self.known.get(left[0], ())) if left else 0,
            edges=() if left or best is None else self._edges(best),
            tried=len(self.known),
        )

    def _edges(self, best: Place) -> tuple[str, ...]:
        low, high = self._bounds()
        ends = ((low, "least"), (high, "greatest"))
        return tuple(
            f"the {which} {name} that may be tried ({at(best[i]):g})"
            for i, name in enumerate(("rate", "decay"))
            for end, which in ends
            if best[i] == end[i]
        )

    def _given_up(self, errors: Sequence[float]) -> bool:
        return math.fsum(errors) / self.space.seeds > self.least or not all(map(math.isfinite, errors))

    def _bounds(self) -> tuple[Place, Place]:
        least, most = self.space.least, self.space.most
        return (place_of(least[0]), place_of(least[1])), (place_of(most[0]), place_of(most[1]))

    def _setting(self, place: Place) -> Setting:
        return at(place[0]), at(place[1])
