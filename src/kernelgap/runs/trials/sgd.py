"""Train a chunk's grid of rates and decays by SGD, and keep the weights of its members, or of the best one."""

from collections.abc import Callable, Sequence

import jax
import numpy as np
from safetensors.numpy import save

from kernelgap import networks, problems
from kernelgap.runs.trials.chunk import TrialResult
from kernelgap.runs.trials.samples import draw_samples
from kernelgap.runs.trials.trial import Trial
from kernelgap.training import GridResult, Predictor, get_model, train_grid
from kernelgap.training.grid import records_first_output

MOST_KEPT = 2**26  # bytes of a network's weights that a run keeps
ALL_KEPT = 2**21  # bytes of all networks of a chunk, up to which each is kept: over seeds another one may be the best


def run_by_sgd(
    trials: Sequence[Trial], on_progress: Callable[[float], None] | None, *, keep_weights: bool = True
) -> list[TrialResult]:
    """Train the grid and report each trial. The order of the data has the seed [seed, 3]."""
    grid = _train(trials, on_progress)
    kept = _kept(grid) if keep_weights and trials[0].mode in ("all", "hidden") else set()
    results = []
    for i, t in enumerate(trials):
        curves = {"epochs": grid.epochs.tolist(), **{n: _finite_start(c[i]) for n, c in grid.curves.items()}}
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
                weights=_weights(grid.predictor(i)) if i in kept else None,
            )
        )
    return results


def _train(
    trials: Sequence[Trial],
    on_progress: Callable[[float], None] | None,
) -> GridResult:
    trial = trials[0]
    samples = draw_samples(trial)
    network = networks.get(trial.network)
    model = get_model(network, trial.mode)
    X = samples.test[0]
    inputs, outputs = samples.train[0].shape[1], samples.train[1].shape[1]
    params = network.init(jax.random.key(trial.seed), inputs=inputs, outputs=outputs, width=trial.width)
    return train_grid(
        model,
        params,
        [t.rate for t in trials],
        [t.decay for t in trials],
        samples.train,
        schedule=trial.schedule,
        seed=[trial.seed, 3],
        evaluate={"validation": samples.validation, "test": samples.test},
        base=(X, problems.get(trial.problem).base(X)) if records_first_output(model) else None,
        on_progress=on_progress,
    )


def _kept(grid: GridResult) -> set[int]:
    """The members whose weights are kept: all that did not diverge if they are small, else the best on validation."""
    if grid.diverged.all():
        return set()
    best = int(np.argmin(grid.final("validation")))
    network = grid.predictor(best)
    size = sum(np.asarray(w).nbytes for w in {**network.trained, **network.frozen}.values())
    whole = np.flatnonzero(~grid.diverged) if size * len(grid.diverged) <= ALL_KEPT else [best]
    return {int(i) for i in whole}


def _weights(network: Predictor) -> bytes | None:
    """All weights of a network as a safetensors file; None if they are too large to keep."""
    weights = {name: np.ascontiguousarray(w) for name, w in {**network.trained, **network.frozen}.items()}
    return save(weights) if sum(w.nbytes for w in weights.values()) <= MOST_KEPT else None


def _measures(trial: Trial, grid: GridResult, member: int) -> dict[str, float]:
    """The Frobenius norm of W, where W is trained as it is."""
    if trial.mode not in ("all", "hidden"):
        return {}
    return {"norm": float(np.linalg.norm(np.asarray(grid.trained["W"][member], float)))}


def _finite_start(curve: np.ndarray) -> list[float]:
    """A curve as far as it is finite: a diverged member's ends early."""
    return [float(v) for v in curve if np.isfinite(v)]
