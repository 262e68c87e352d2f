"""How the best network came to its error: out1 against F and out against H over the epochs, as the run stored them."""

from typing import Any, TypedDict

import numpy as np

from kernelgap import problems
from kernelgap.runs.trials.trial import Description


class Signals(TypedDict):
    """Mean squared distances on the test sample: of out1 from the base signal, of out from the target."""

    size: float  # of the base signal: its mean square
    epochs: list[int]
    base: list[float]
    target: list[float]


def base_size(trial: Description) -> float:
    """The mean square of the base signal on a trial's test sample."""
    problem = problems.get(trial.problem)
    X, _ = problem.sample(trial.test_samples, [trial.seed, 2])
    return float(np.mean(np.sum(problem.base(X) ** 2, axis=1)))


def signals_of(curves: dict[str, Any], size: float) -> Signals | None:
    """Both distances of a trial; None where its network has no first block, or the run did not store them."""
    if not curves.get("base"):
        return None
    epochs = [int(epoch) for epoch in curves["epochs"]]
    return Signals(size=size, epochs=epochs, base=curves["base"], target=curves["test"])


def learned_at(signals: Signals, threshold: float) -> tuple[int | None, int | None]:
    """The first epochs at which out1 has nine tenths of F, and out is under the threshold, as far as they were seen."""
    first = (e for e, v in zip(signals["epochs"], signals["base"], strict=False) if v < 0.1 * signals["size"])
    then = (e for e, v in zip(signals["epochs"], signals["target"], strict=False) if v < threshold)
    return next(first, None), next(then, None)
