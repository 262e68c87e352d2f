"""What holds for every problem that has a text."""

import json

import numpy as np

import kernelgap as kg


def check_spec_and_samples(problem):
    """The spec makes the problem again, with the same labels, and fewer samples are the first of more."""
    again = kg.problems.get(problem.spec)
    assert again.spec == problem.spec
    X, Y = problem.sample(20, seed=3)
    np.testing.assert_array_equal(again.sample(20, seed=3)[1], Y)
    fewer = problem.sample(8, seed=3)
    np.testing.assert_array_equal(fewer[0], X[:8])
    np.testing.assert_array_equal(fewer[1], Y[:8])
    assert "threshold" in repr(problem)
    assert json.dumps(problem.spec)
