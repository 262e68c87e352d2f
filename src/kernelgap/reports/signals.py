"""How the best network came to its error: out1 against F and out against H over the epochs."""

import json
from pathlib import Path
from typing import TypedDict

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from kernelgap import networks, problems
from kernelgap.console import progress
from kernelgap.sweeps import Trial, train_watched
from kernelgap.training import Predictor
from kernelgap.whole_file import read_small

FILE = "signals.json"
PATIENCE = 180.0  # seconds of training, as far as the run tells, that a report takes
MOMENTS = 48


class Signals(TypedDict):
    """Mean squared distances on the test sample: of out1 from the base signal, of out from the target."""

    trial: str
    size: float  # of the base signal: its mean square
    epochs: list[int]
    base: list[float]
    target: list[float]


def has_signals(trial: Trial) -> bool:
    """Whether the network has a first residual block whose output can be looked at."""
    return trial.mode in ("all", "hidden") and networks.get(trial.network).first_output is not None


def signals_of(trial: Trial, folder: Path, seconds: float) -> Signals | None:
    """Both distances of a trial: as kept in the folder, else by training it once more, if its ``seconds`` allow."""
    kept = _kept(folder / FILE)
    if kept is not None and kept["trial"] == trial.id:
        return kept
    if not has_signals(trial) or seconds > PATIENCE:
        return None
    with progress("learning curves") as show:
        show(0.0, f"training {trial.label} once more")
        found = watch_signals(trial)
    (folder / FILE).write_text(json.dumps(found) + "\n")
    return found


def watch_signals(trial: Trial) -> Signals:
    """Train a trial by itself and measure it on its test inputs as it goes."""
    problem = problems.get(trial.problem)
    X, _ = problem.sample(trial.test_samples, [trial.seed, 2])
    base, target = problem.base(X), problem.target(X)
    first_output = networks.get(trial.network).first_output
    assert first_output is not None
    inputs = jnp.asarray(X, dtype=jnp.float32)
    size = float(np.mean(np.sum(base**2, axis=1)))
    found = Signals(trial=trial.id, size=size, epochs=[], base=[], target=[])

    def watch(epoch: int, network: Predictor) -> None:
        first = np.asarray(first_output({**network.trained, **network.frozen}, inputs), dtype=float)
        distances = (_distance(first, base), _distance(network(X), target))
        if np.isfinite(distances).all():
            found["epochs"].append(epoch)
            found["base"].append(distances[0])
            found["target"].append(distances[1])

    train_watched(trial, moments(trial.schedule.epochs), watch)
    return found


def learned_at(signals: Signals, threshold: float) -> tuple[int | None, int | None]:
    """The first epochs at which out1 has nine tenths of F, and out is under the threshold, as far as they were seen."""
    first = (e for e, v in zip(signals["epochs"], signals["base"], strict=True) if v < 0.1 * signals["size"])
    then = (e for e, v in zip(signals["epochs"], signals["target"], strict=True) if v < threshold)
    return next(first, None), next(then, None)


def moments(epochs: int) -> list[int]:
    """Epochs to look at: every one at first, then at equal ratios."""
    return sorted({0, *(int(e) for e in np.round(np.geomspace(1, epochs, MOMENTS)))})


def _distance(a: Float[np.ndarray, "n k"], b: Float[np.ndarray, "n k"]) -> float:
    return float(np.mean(np.sum((a - b) ** 2, axis=1)))


def _kept(path: Path) -> Signals | None:
    """What an earlier report kept; None if there is none that can be read."""
    try:
        found = json.loads(read_small(path))
        columns = [[float(v) for v in found[key]] for key in ("epochs", "base", "target")]
        epochs = [int(e) for e in columns[0]]
        size = float(found["size"])
        kept = Signals(trial=str(found["trial"]), size=size, epochs=epochs, base=columns[1], target=columns[2])
        return kept if len({len(c) for c in columns}) == 1 and columns[0] else None
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
