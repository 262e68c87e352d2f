"""The samples of a trial: for training, for validation, and for the test."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from kernelgap import problems
from kernelgap.runs.trials.trial import Description

Sample = tuple[Float[np.ndarray, "n d"], Float[np.ndarray, "n k"]]


class Samples(NamedTuple):
    train: Sample
    validation: Sample
    test: Sample


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
