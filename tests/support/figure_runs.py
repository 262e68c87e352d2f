"""Runs of invented results, stored as real ones are."""

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from kernelgap.paper.figures import FigureRun, read_figure
from kernelgap.paper.figures.result import conclude_figure
from kernelgap.runs import AnyTrial, ChunkResult, TrialResult, TrialStore, make_ridge_trial, make_trial, plan_chunks
from kernelgap.training import Schedule

PROBLEM = "hard(d=6, k=2, alpha=0.3)"
SCHEDULE = Schedule(epochs=8, batch=10)
COMMON = {"problem": PROBLEM, "samples": 20, "validation_samples": 20, "test_samples": 20}


@dataclass
class Invented:
    """Trials with their errors; an infinite one has diverged."""

    errors: dict[AnyTrial, tuple[float, float]] = field(default_factory=dict)

    def sgd(self, validation: float, test: float, **changes: object) -> "Invented":
        told = {"network": "3resnet", "mode": "all", "width": 4, "rate": 0.1, "decay": 0.0, "seed": 0, **changes}
        self.errors[make_trial(**COMMON, schedule=SCHEDULE, **told)] = (validation, test)
        return self

    def ridge(self, validation: float, test: float, **changes: object) -> "Invented":
        told = {"kernel": "ck2", "ridge": 0.1, "seed": 0, **changes}
        self.errors[make_ridge_trial(**COMMON, **told)] = (validation, test)
        return self

    def write(self, folder: Path) -> FigureRun:
        """Store them all; the run, as ``kernelgap.run`` returns it."""
        self.store(folder)
        about = {"name": "invented", "title": "invented results", "scale": "quick"}
        return replace(read_figure(folder), **about, gap=None)

    def store(self, folder: Path, *, concluded: bool = True) -> None:
        with TrialStore.open(folder) as store:
            for chunk in plan_chunks(self.errors):
                store.save(chunk, ChunkResult.of(chunk, 0.5, [self._result(t) for t in chunk.trials]))
            if concluded and self.errors:
                store.conclude(conclude_figure(store))

    def _result(self, trial: AnyTrial) -> TrialResult:
        validation, test = self.errors[trial]
        done = math.isfinite(test)
        curves = {
            "epochs": [0, 4, 8],
            "train": [2.0, 1.0, test],
            "validation": [2.0, 1.5, validation],
            "test": [2.0, 1.0, test],
            **({"base": [2.0, 0.1, 0.1]} if trial.kind == "sgd" and trial.network == "3resnet" else {}),
        }
        return TrialResult(
            trial.id,
            "done" if done else "diverged",
            test,
            validation,
            test,
            0.01 if done else math.inf,
            None if done else 3,
            curves if done and trial.kind == "sgd" else {},
        )
