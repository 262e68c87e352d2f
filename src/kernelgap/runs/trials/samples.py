"""The samples of a trial: for training, for validation, and for the test."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from kernelgap import problems
from kernelgap.runs.trials.trial import Description
from kernelgap.training.grid import standard_error

Sample = tuple[Float[np.ndarray, "n d"], Float[np.ndarray, "n k"]]


class Samples(NamedTuple):
    train: Sample
    validation: Sample
    test: Sample


def mean_errors(predictions: Iterable[np.ndarray], samples: Samples) -> tuple[float, float, float, float]:
    """Mean squared errors on the three samples, and the standard error of the last, the test error."""
    squared = [np.sum((p - Y) ** 2, axis=1) for p, (_, Y) in zip(predictions, samples, strict=True)]
    train, validation, test = (float(np.mean(errors)) for errors in squared)
    return train, validation, test, float(standard_error(squared[2][None])[0])


def draw_samples(trial: Description) -> Samples:
    """Training samples have the trial's seed, validation and test samples the seeds [seed, 1] and [seed, 2].

    Test errors are against the target H itself: label noise is in the training and validation labels only, so that the
    threshold keeps its meaning.
    """
    problem = problems.get(trial.problem)
    test_inputs, _ = problem.sample(trial.test_samples, [trial.seed, 2])
    return Samples(
        problem.sample(trial.samples, trial.seed),
        problem.sample(trial.validation_samples, [trial.seed, 1]),
        (test_inputs, problem.target(test_inputs)),
    )
