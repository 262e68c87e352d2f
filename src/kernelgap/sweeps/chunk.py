"""A chunk: the rates x decays grid of one network, width and seed. The unit of work and of storage."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import jax
import numpy as np

from kernelgap import networks, problems
from kernelgap.sweeps.trial import Trial, digest
from kernelgap.training import get_model, train_grid


@dataclass(frozen=True)
class Chunk:
    """Trials that are trained together, in the order of their rates and decays."""

    trials: tuple[Trial, ...]

    @property
    def id(self) -> str:
        return digest([trial.id for trial in self.trials])

    @property
    def label(self) -> str:
        first = self.trials[0]
        return f"{first.method} width {first.width} seed {first.seed}"

    @property
    def cost(self) -> float:
        """Multiplications, roughly: weights x visits of samples x members. For the order of work and progress."""
        trial = self.trials[0]
        problem = problems.get(trial.problem)
        size = networks.get(trial.network).size(inputs=problem.d, outputs=problem.outputs, width=trial.width)
        overhead = 2000  # what a step costs besides its multiplications, felt at small widths
        return float((size + overhead) * trial.samples * trial.schedule.epochs * len(self.trials))


@dataclass(frozen=True)
class TrialResult:
    """What came of one trial. ``status`` is "done" or "diverged"; a diverged trial's errors are infinite."""

    trial_id: str
    status: str
    train_error: float
    validation_error: float
    test_error: float
    test_standard_error: float
    diverged_at: int | None
    curves: dict[str, list[float]] = field(repr=False)


@dataclass(frozen=True)
class ChunkResult:
    chunk_id: str
    seconds: float
    results: tuple[TrialResult, ...]


def plan_chunks(trials: Iterable[Trial]) -> list[Chunk]:
    """Trials into chunks, by their descriptions alone; costly chunks first, so that the last ones are short."""
    together: dict[str, dict[str, Trial]] = {}
    for trial in trials:
        together.setdefault(digest(trial.chunk_description), {})[trial.id] = trial
    chunks = [Chunk(tuple(sorted(t.values(), key=lambda t: (t.rate, t.decay)))) for t in together.values()]
    return sorted(chunks, key=lambda chunk: (-chunk.cost, chunk.id))


def run_chunk(chunk: Chunk, on_progress: Callable[[float], None] | None = None) -> ChunkResult:
    """Draw the samples, train the chunk's grid, and report each trial. Depends on the chunk alone.

    The training sample is ``problem.sample(samples, seed)``; validation and test samples and the order of the data
    have the seeds [seed, 1], [seed, 2] and [seed, 3]. Test errors are against the target H itself: label noise is in
    the training and validation labels only, so that the threshold keeps its meaning.
    """
    began = time.perf_counter()
    trial = chunk.trials[0]
    problem = problems.get(trial.problem)
    network = networks.get(trial.network)
    params = network.init(jax.random.key(trial.seed), inputs=problem.d, outputs=problem.outputs, width=trial.width)
    test_inputs, _ = problem.sample(trial.test_samples, [trial.seed, 2])
    grid = train_grid(
        get_model(network, trial.mode),
        params,
        [t.rate for t in chunk.trials],
        [t.decay for t in chunk.trials],
        problem.sample(trial.samples, trial.seed),
        schedule=trial.schedule,
        seed=[trial.seed, 3],
        evaluate={
            "validation": problem.sample(trial.validation_samples, [trial.seed, 1]),
            "test": (test_inputs, problem.target(test_inputs)),
        },
        on_progress=on_progress,
    )
    results = []
    for i, t in enumerate(chunk.trials):
        curves = {"epochs": grid.epochs.tolist(), **{n: _finite(c[i]) for n, c in grid.curves.items()}}
        results.append(
            TrialResult(
                trial_id=t.id,
                status="diverged" if grid.diverged[i] else "done",
                train_error=float(grid.final("train")[i]),
                validation_error=float(grid.final("validation")[i]),
                test_error=float(grid.final("test")[i]),
                test_standard_error=float(grid.standard_errors["test"][i]),
                diverged_at=int(grid.diverged_at[i]) if grid.diverged[i] else None,
                curves=curves,
            )
        )
    return ChunkResult(chunk.id, time.perf_counter() - began, tuple(results))


def _finite(curve: np.ndarray) -> list[float]:
    """A curve as far as it is finite: a diverged member's ends early."""
    return [float(v) for v in curve if np.isfinite(v)]
