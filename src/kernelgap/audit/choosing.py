"""What is chosen on the validation rows: each contender's setting, and the best network."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kernelgap.audit.cell import Judgement
from kernelgap.audit.contenders.registry import family
from kernelgap.audit.store import Named


@dataclass(frozen=True)
class Choice:
    """The setting with the least validation error on average over the seeds, and its error with each seed."""

    setting: str
    errors: dict[int, float]

    @property
    def error(self) -> float:
        return float(np.mean(list(self.errors.values())))


def choose(judgements: Mapping[Named, Judgement]) -> dict[tuple[str, int], Choice]:
    """For each contender and number of samples, as far as they were judged; none where nothing was finite."""
    groups: dict[tuple[str, int], dict[int, Judgement]] = {}
    for named, judgement in judgements.items():
        groups.setdefault((named.contender, named.samples), {})[named.seed] = judgement
    found = {}
    for key, by_seed in groups.items():
        seeds = sorted(by_seed)
        judged = [by_seed[seed].read() for seed in seeds]
        shared = min(len(one.errors) for one in judged)  # an adaptive kernel may end its rounds early
        errors = np.array([one.errors[:shared] for one in judged])
        means = np.mean(errors, axis=0)
        best = int(np.argmin(means))
        if np.isfinite(means[best]):
            setting = {name: values[best] for name, values in judged[0].columns.items()}
            found[key] = Choice(json.dumps(setting), dict(zip(seeds, errors[:, best].tolist(), strict=True)))
    return found


def ranked_networks(choices: Mapping[tuple[str, int], Choice], samples: int) -> list[str]:
    """The networks that were judged with so many samples, the one with the least validation error first."""
    found = {n: choice.error for (n, count), choice in choices.items() if count == samples and family(n) == "network"}
    return sorted(found, key=lambda name: found[name])
