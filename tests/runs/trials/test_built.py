"""Trials whose solutions are built, not found."""

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.runs import make_built_trial, make_trials, plan_chunks, run_chunk
from kernelgap.training.built import RECIPES


@pytest.mark.parametrize("recipe", RECIPES)
def test_decay_trades_norm_against_error(recipe):
    """A larger decay gives a smaller norm and a larger error; without one, the error is a small part of the target."""
    common = {"problem": "parity(d=6, k=2)", "samples": 50, "seed": 0, "recipe": recipe, "width": 200}
    trials = list(make_trials(make_built_trial, {"decay": [0.0, 0.02]}, **common, test_samples=64))
    (chunk,) = plan_chunks(trials)
    exact, shrunk = run_chunk(chunk).results
    assert exact.status == shrunk.status == "done"
    assert shrunk.measures["norm"] < exact.measures["norm"]
    assert exact.test_error < shrunk.test_error
    problem = problems.get(common["problem"])
    constant = float(np.mean(np.sum(problem.target(problem.sample(64, [0, 2])[0]) ** 2, axis=1)))
    assert exact.test_error < 0.1 * constant
