"""Build a chunk's solutions, and measure them as what SGD finds is measured."""

from collections.abc import Sequence

import numpy as np

from kernelgap import networks, problems
from kernelgap.runs.trials.chunk import TrialResult
from kernelgap.runs.trials.samples import draw_samples, mean_errors
from kernelgap.runs.trials.trial import BuiltTrial
from kernelgap.training import Predictor, built, get_model


def run_by_construction(trials: Sequence[BuiltTrial]) -> list[TrialResult]:
    """Build a solution for each decay and report each trial."""
    trial = trials[0]
    samples = draw_samples(trial)
    solutions = built.built(
        trial.recipe,
        [t.decay for t in trials],
        width=trial.width,
        d=problems.get(trial.problem).d,
        k=trial.degree,
        seed=trial.seed,
    )
    model = get_model(networks.two_layer_signs, "hidden")
    results = []
    for t, solution in zip(trials, solutions, strict=True):
        W, A = (weight.astype(np.float32) for weight in (solution.W, solution.a[None]))
        predictor = Predictor(model, {"W": W}, {"A": A})
        errors = mean_errors([predictor(X) for X, _ in samples], samples)
        results.append(TrialResult(t.id, "done", *errors, measures={"norm": solution.norm}))
    return results
