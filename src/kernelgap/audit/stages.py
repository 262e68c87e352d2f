"""An audit's cells in the order in which they matter: the largest samples, the best network's own kernels, curves."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kernelgap.audit.cell import Cell, Fitting, Judging
from kernelgap.audit.choosing import Choice
from kernelgap.audit.contenders.registry import family
from kernelgap.audit.cost import fitting_seconds, judging_seconds
from kernelgap.audit.dataset import FILE, Dataset
from kernelgap.audit.plan import Plan
from kernelgap.audit.search_budget import SearchBudget

FIRST_SEEDS = 2  # for who comes before all others


class Stages:
    """All cells of a plan on some dataset."""

    def __init__(self, folder: Path, dataset: Dataset, plan: Plan) -> None:
        self._path, self._material, self._plan = (folder / FILE).absolute(), dataset, plan

    def judgings(self, names: Iterable[str], samples: int) -> list[Cell]:
        """A seed after the other, in each the shortest of every family first: if time runs out, somebody was judged."""
        cells: list[Cell] = [
            Judging(
                **self._named(name, samples, seed),
                cost=judging_seconds(name, samples, *self._shape, self._effort(samples)),
            )
            for name in names
            for seed in range(self._plan.seeds if samples in self._plan.sizes else min(FIRST_SEEDS, self._plan.seeds))
        ]
        place: dict[str, int] = {}
        known: Counter[tuple[str, int]] = Counter()
        for cell in sorted(cells, key=lambda cell: cell.cost):
            kind = family(cell.contender), cell.seed
            place[cell.id] = known[kind]
            known[kind] += 1
        return sorted(cells, key=lambda cell: (cell.seed, place[cell.id], cell.cost))

    def fittings(self, names: Iterable[str], samples: int, choices: Mapping[tuple[str, int], Choice]) -> list[Cell]:
        """With the settings that were chosen, for the seeds that were judged; those first that did best."""
        cells: list[Cell] = [
            Fitting(
                **self._named(name, samples, seed),
                cost=fitting_seconds(name, samples, *self._shape, self._effort(samples)),
                setting=choices[name, samples].setting,
                validation_error=error,
                keep_model=samples in (self._plan.sizes[-1], self._plan.first) and seed == 0,
            )
            for name in names
            if (name, samples) in choices
            for seed, error in choices[name, samples].errors.items()
        ]
        return sorted(cells, key=lambda cell: (cell.seed, choices[cell.contender, samples].error))

    def _named(self, name: str, samples: int, seed: int) -> dict[str, Any]:
        return {
            "dataset": self._path,
            "digest": self._material.digest,
            "contender": name,
            "samples": samples,
            "seed": seed,
            "search_budget": self._effort(samples),
        }

    def _effort(self, samples: int) -> SearchBudget:
        return self._plan.first_effort if samples == self._plan.first else self._plan.search_budget(samples)

    @property
    def _shape(self) -> tuple[int, int]:
        return self._material.X.shape[1], self._material.Y.shape[1]
