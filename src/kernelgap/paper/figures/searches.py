"""Searches of a figure as they go on: from the errors that are stored to the trials that come next.

Each network, layers and problem is a chain of searches over its widths. Each begins with a coarse grid and the best
setting of the width before. What a search finds is then trained from other seeds, those that are judged. A step of a
search begins when all of the one before is stored: so its trials are the same whenever it is asked for them, and they
fall into the same chunks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from kernelgap.paper.figures.experiment import Experiment, Scale, Search
from kernelgap.runs import Chunk, Trial, make_trial
from kernelgap.training.search import Found, Setting, Space, advance

FIRST_SEED = 1000  # of a search, beyond that of the run: no seed that is judged
COSTLY = 1e11  # multiplications from which a training is a chunk of its own: some seconds


def with_stage(table: pd.DataFrame, search_seeds_from: int | None) -> pd.DataFrame:
    """The table of a run that searches, with ``stage``: "search" for trials on the seeds of searches, else "judged"."""
    if search_seeds_from is None:
        return table
    searched = table.seed >= search_seeds_from
    return table.assign(stage=searched.map({True: "search", False: "judged"}))


@dataclass
class Chain:
    """The searches of one network over its widths, on one problem."""

    experiment: Experiment
    scale: Scale
    search: Search
    problem: str
    seed: int

    def __post_init__(self) -> None:
        self._made: dict[tuple[int, int, Setting], Trial] = {}
        self._known: dict[int, dict[Setting, list[float]]] = {width: {} for width in self.search.widths}

    def trial(self, width: int, seed: int, setting: Setting) -> Trial:
        key = (width, seed, setting)
        if key not in self._made:
            common = self.experiment.common(self.scale, self.problem, seed)
            what = {"network": self.search.network, "mode": self.search.mode, "schedule": self.scale.schedule}
            rate, decay = setting
            self._made[key] = make_trial(**what, width=width, rate=rate, decay=decay, **common)
        return self._made[key]

    def found(self, errors: Mapping[str, float]) -> Iterator[tuple[int, Found]]:
        """Each width with what its search has come to; the last one of these may be under way."""
        start = None
        for width in self.search.widths:
            space = self.search.search if start is None else self.search.search.with_start(start)
            found = self._advance(width, space, errors)
            yield width, found
            if found.left:
                return
            start = found.best or start

    def next(self, errors: Mapping[str, float]) -> Iterator[Chunk]:
        """What is to be trained next, finished or not: the search's next step, and what is judged so far."""
        last, over = None, False
        for width, found in self.found(errors):
            over = not found.left and width == self.search.widths[-1]
            if found.left:
                trials = [self.trial(width, self.search_seed(found.seed), setting) for setting in found.left]
                together = [trials] if trials[0].cost < COSTLY else [[trial] for trial in trials]
                yield from (Chunk(tuple(part), keep_weights=False) for part in together)
            elif found.best is not None:
                last = found.best
                yield from self._judged(width, last)
        if over and last is not None:
            for width in self.search.also:
                yield from self._judged(width, last)

    def search_seed(self, index: int) -> int:
        return self.seed + FIRST_SEED + index

    def _judged(self, width: int, setting: Setting) -> Iterator[Chunk]:
        for seed in range(self.seed, self.seed + self.scale.seeds):
            yield Chunk((self.trial(width, seed, setting),))

    def _advance(self, width: int, space: Space, errors: Mapping[str, float]) -> Found:
        """As far as the errors lead. What they have led to is kept: an error that is stored does not change."""
        known = self._known[width]
        while True:
            found = advance(space, known)
            seed = self.search_seed(found.seed)
            fresh = {setting: errors.get(self.trial(width, seed, setting).id) for setting in found.left}
            if not fresh or None in fresh.values():
                return found
            for setting, error in fresh.items():
                assert error is not None
                known.setdefault(setting, []).append(error)


def chains(experiment: Experiment, scale: Scale, seed: int) -> list[Chain]:
    """The searches of a scale: a chain for each network, layers and beta."""
    return [
        Chain(experiment, scale, grid, problem, seed)
        for grid in scale.grids
        if isinstance(grid, Search)
        for problem in experiment.problems_of(grid)
    ]
