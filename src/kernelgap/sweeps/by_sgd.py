"""Train a chunk's grid of rates and decays by SGD."""

from collections.abc import Callable, Sequence

import jax
import numpy as np

from kernelgap import networks
from kernelgap.sweeps.chunk import TrialResult
from kernelgap.sweeps.samples import draw_samples
from kernelgap.sweeps.trial import Trial
from kernelgap.training import GridResult, Predictor, get_model, train_grid


def train_again(trial: Trial) -> Predictor:
    """The network of one trial, trained by itself: the same start, samples and order of the data."""
    return _train([trial], None).predictor(0)


def train_watched(trial: Trial, epochs: Sequence[int], watch: Callable[[int, Predictor], None]) -> None:
    """Train one trial by itself, as ``train_again`` does; ``watch`` sees it after each of the epochs."""
    _train([trial], None, epochs, lambda epoch, member: watch(epoch, member(0)))


def run_by_sgd(trials: Sequence[Trial], on_progress: Callable[[float], None] | None) -> list[TrialResult]:
    """Train the grid and report each trial. The order of the data has the seed [seed, 3]."""
    grid = _train(trials, on_progress)
    results = []
    for i, t in enumerate(trials):
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
                measures={} if grid.diverged[i] else _measures(t, grid, i),
            )
        )
    return results


def _train(
    trials: Sequence[Trial],
    on_progress: Callable[[float], None] | None,
    epochs: Sequence[int] | None = None,
    watch: Callable[[int, Callable[[int], Predictor]], None] | None = None,
) -> GridResult:
    trial = trials[0]
    samples = draw_samples(trial)
    network = networks.get(trial.network)
    inputs, outputs = samples.train[0].shape[1], samples.train[1].shape[1]
    params = network.init(jax.random.key(trial.seed), inputs=inputs, outputs=outputs, width=trial.width)
    return train_grid(
        get_model(network, trial.mode),
        params,
        [t.rate for t in trials],
        [t.decay for t in trials],
        samples.train,
        schedule=trial.schedule,
        seed=[trial.seed, 3],
        evaluate={"validation": samples.validation, "test": samples.test},
        epochs=epochs,
        watch=watch,
        on_progress=on_progress,
    )


def _measures(trial: Trial, grid: GridResult, member: int) -> dict[str, float]:
    """The Frobenius norm of W, where W is trained as it is."""
    if trial.mode not in ("all", "hidden"):
        return {}
    return {"norm": float(np.linalg.norm(np.asarray(grid.trained["W"][member], float)))}


def _finite(curve: np.ndarray) -> list[float]:
    """A curve as far as it is finite: a diverged member's ends early."""
    return [float(v) for v in curve if np.isfinite(v)]
