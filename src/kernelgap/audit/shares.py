"""Outputs of contenders as a metric takes them: in the target's own units, and scores of classes as shares."""

import numpy as np
from jaxtyping import Float
from scipy.special import log_softmax, softmax

from kernelgap.audit.statistics.metrics import Predicted
from kernelgap.audit.tables.targets import Targets

SHARPNESS = np.geomspace(0.1, 100.0, 61)


def as_shares(outputs: Float[np.ndarray, "n k"], sharpness: float) -> Float[np.ndarray, "n k"]:
    """softmax(sharpness x outputs): shares of classes from least-squares outputs."""
    return np.asarray(softmax(sharpness * outputs, axis=1))


def best_sharpness(outputs: Float[np.ndarray, "n k"], Y: Float[np.ndarray, "n k"]) -> float:
    """The sharpness with the least log loss on rows that were not learned from."""
    losses = [-np.sum(log_softmax(sharpness * outputs, axis=1) * Y) for sharpness in SHARPNESS]
    return float(SHARPNESS[int(np.argmin(losses))])


def as_predicted(
    Y: Float[np.ndarray, "n k"], outputs: Float[np.ndarray, "n k"], targets: Targets
) -> tuple[np.ndarray, Predicted]:
    """(truth, predictions): places of classes with scores; one number in its own units; several ones scaled."""
    if targets.task == "classification":
        return Y.argmax(axis=1), Predicted(outputs.argmax(axis=1), outputs)
    if Y.shape[1] == 1:
        return targets.decode(Y)[:, 0], Predicted(targets.decode(outputs)[:, 0])
    return Y, Predicted(outputs)
