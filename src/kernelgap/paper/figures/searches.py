"""Searches of a figure as they go on: from the errors that are stored to the trials that come next.

Each network, layers and problem is a chain of searches over its widths. Each begins with a coarse grid and the best
setting of the width before. What a search finds is then trained from other seeds, those that are judged. A step of a
search begins when all of the one before is stored: so its trials are the same whenever it is asked for them, and they
fall into the same chunks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from kernelgap.paper.figures.experiment import SEARCH_SEEDS_FROM, Experiment, Scale, Search
from kernelgap.runs import Chunk, Trial, make_trial
from kernelgap.training.search import SearchState, Setting, Space, advance

FIRST_SEED = SEARCH_SEEDS_FROM  # of a search, beyond that of the run: no seed that is judged
COSTLY = 1e11  # multiplications from which a training is a chunk of its own: some seconds


def with_stage(table: pd.DataFrame, search_seeds_from: int | None) -> pd.DataFrame:
    """The table of a run that searches, with ``stage``: "search" for trials on the seeds of searches, else "judged"."""
    if search_seeds_from is None:
        return table
    searched = table.seed >= search_seeds_from
    return table.assign(stage=searched.map({True: "search", False: "judged"}))


@dataclass
class WidthSearches:
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

    def states(self, errors: Mapping[str, float]) -> Iterator[tuple[int, SearchState]]:
        """Each width with what its search has come to; the last one of these may be under way."""
        start = None
        for width in self.search.widths:
            space = self.search.search if start is None else self.search.search.with_start(start)
            state = self._advance(width, space, errors)
            yield width, state
            if state.next_settings:
                return
            start = state.best or start

    def next(self, errors: Mapping[str, float]) -> Iterator[Chunk]:
        """What is to be trained next, finished or not: the search's next step, and what is judged so far."""
        last, over = None, False
        for width, state in self.states(errors):
            over = not state.next_settings and width == self.search.widths[-1]
            if state.next_settings:
                trials = [
                    self.trial(width, self.search_seed(state.seed_index), setting) for setting in state.next_settings
                ]
                together = [trials] if trials[0].cost < COSTLY else [[trial] for trial in trials]
                yield from (Chunk(tuple(part), keep_weights=False) for part in together)
            elif state.best is not None:
                last = state.best
                yield from self._judged(width, last)
        if over and last is not None:
            for width in self.search.also:
                yield from self._judged(width, last)

    def search_seed(self, index: int) -> int:
        return self.seed + FIRST_SEED + index

    def _judged(self, width: int, setting: Setting) -> Iterator[Chunk]:
        for seed in range(self.seed, self.seed + self.scale.seeds):
            yield Chunk((self.trial(width, seed, setting),))

    def _advance(self, width: int, space: Space, errors: Mapping[str, float]) -> SearchState:
        """As far as the errors lead. What they have led to is kept: an error that is stored does not change."""
        known = self._known[width]
        while True:
            state = advance(space, known)
            seed = self.search_seed(state.seed_index)
            fresh = {setting: errors.get(self.trial(width, seed, setting).id) for setting in state.next_settings}
            if not fresh or None in fresh.values():
                return state
            for setting, error in fresh.items():
                assert error is not None
                known.setdefault(setting, []).append(error)


def width_searches(experiment: Experiment, scale: Scale, seed: int) -> list[WidthSearches]:
    """The searches of a scale: one series for each network, layers and beta."""
    return [
        WidthSearches(experiment, scale, grid, problem, seed)
        for grid in scale.grids
        if isinstance(grid, Search)
        for problem in experiment.problems_of(grid)
    ]
