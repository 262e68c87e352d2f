"""An audit's chunks in order of weight, and the choices on the validation rows: each contender's setting, the networks.

The largest samples come first, then the best network's own kernels, then the smaller samples of the learning curves.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kernelgap.audit.chunks import AuditChunk, Fitting, Judgement, Judging
from kernelgap.audit.contenders.registry import family
from kernelgap.audit.contenders.view import SearchBudget
from kernelgap.audit.cost import fitting_seconds, judging_seconds
from kernelgap.audit.dataset import FILE, Dataset
from kernelgap.audit.plan import FIRST_SEEDS, AuditPlan
from kernelgap.audit.store import FitKey


@dataclass(frozen=True)
class ChosenSetting:
    """The setting with the least validation error on average over the seeds, and its error with each seed."""

    setting: str
    errors: dict[int, float]

    @property
    def error(self) -> float:
        return float(np.mean(list(self.errors.values())))


Choices = Mapping[tuple[str, int], ChosenSetting]  # by contender and number of samples


def choose(judgements: Mapping[FitKey, Judgement]) -> dict[tuple[str, int], ChosenSetting]:
    """The best setting for each contender and number of samples; none where no error was finite."""
    groups: dict[tuple[str, int], dict[int, Judgement]] = {}
    for key, judgement in judgements.items():
        groups.setdefault((key.contender, key.samples), {})[key.seed] = judgement
    choices = {}
    for group, by_seed in groups.items():
        seeds = sorted(by_seed)
        judged = [by_seed[seed].read() for seed in seeds]
        shared = min(len(one.errors) for one in judged)  # an adaptive kernel may end its rounds early
        errors = np.array([one.errors[:shared] for one in judged])
        means = np.mean(errors, axis=0)
        best = int(np.argmin(means))
        if np.isfinite(means[best]):
            setting = {name: values[best] for name, values in judged[0].columns.items()}
            choices[group] = ChosenSetting(json.dumps(setting), dict(zip(seeds, errors[:, best].tolist(), strict=True)))
    return choices


def ranked_networks(choices: Choices, samples: int) -> list[str]:
    """The networks that were judged with this number of samples, by validation error."""
    errors = {n: choice.error for (n, count), choice in choices.items() if count == samples and family(n) == "network"}
    return sorted(errors, key=lambda name: errors[name])


@dataclass(frozen=True)
class Stages:
    """All chunks of a plan on a dataset, which is stored in ``folder``."""

    folder: Path
    dataset: Dataset
    plan: AuditPlan

    def judgings(self, names: Iterable[str], samples: int) -> list[AuditChunk]:
        """Seed by seed, in each the shortest of every family first, so that a short budget covers all families."""
        seeds = self.plan.seeds if samples in self.plan.sizes else min(FIRST_SEEDS, self.plan.seeds)
        chunks: list[AuditChunk] = []
        for name in names:
            cost = judging_seconds(name, samples, *self._shape, self._search_budget(samples))
            chunks += [Judging(**self._common(name, samples, seed), cost=cost) for seed in range(seeds)]
        place: dict[str, int] = {}
        known: Counter[tuple[str, int]] = Counter()
        for chunk in sorted(chunks, key=lambda chunk: chunk.cost):
            kind = family(chunk.contender), chunk.seed
            place[chunk.id] = known[kind]
            known[kind] += 1
        return sorted(chunks, key=lambda chunk: (chunk.seed, place[chunk.id], chunk.cost))

    def fittings(self, names: Iterable[str], samples: int, choices: Choices) -> list[AuditChunk]:
        """The chosen settings for the seeds that were judged, those with the least validation error first."""
        chunks: list[AuditChunk] = [
            Fitting(
                **self._common(name, samples, seed),
                cost=fitting_seconds(name, samples, *self._shape, self._search_budget(samples)),
                setting=choices[name, samples].setting,
                validation_error=error,
                metric=self.plan.metric,
                keep_model=samples in (self.plan.sizes[-1], self.plan.first_samples) and seed == 0,
            )
            for name in names
            if (name, samples) in choices
            for seed, error in choices[name, samples].errors.items()
        ]
        return sorted(chunks, key=lambda chunk: (chunk.seed, choices[chunk.contender, samples].error))

    def _common(self, name: str, samples: int, seed: int) -> dict[str, Any]:
        where = {"dataset": (self.folder / FILE).absolute(), "digest": self.dataset.digest}
        budget = self._search_budget(samples)
        return {
            **where,
            "contender": name,
            "samples": samples,
            "seed": seed,
            "search_budget": budget,
            "own": self.plan.own.get(name, ""),
        }

    def _search_budget(self, samples: int) -> SearchBudget:
        return self.plan.first_search_budget if samples == self.plan.first_samples else self.plan.search_budget(samples)

    @property
    def _shape(self) -> tuple[int, int]:
        return self.dataset.X.shape[1], self.dataset.Y.shape[1]
