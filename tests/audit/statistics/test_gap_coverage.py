"""How often the stated number of samples holds the true one, for learning curves with and without a floor."""

import math

import numpy as np
import pytest

from kernelgap.audit.statistics.gap import reach
from support.learning_curves import Truth, coverage

STATED = 0.95
QUICK = [
    Truth(0.0, 0.5, 3.0),
    Truth(1.0, 0.7, 4.0),
    Truth(0.3, 0.7, math.inf),
    Truth(0.5, 1.0, 2.0, rows=500, noise=0.02),
    Truth(1.0, 0.5, 3.0, sizes=(400, 800), seeds=2),
    Truth(1.0, 0.5, 0.6),
]
MORE = [
    *(Truth(floor, a, times) for floor in (0.0, 0.3, 1.0, 5.0) for a in (0.3, 0.7) for times in (1.5, 4.0)),
    *(Truth(floor, a, math.inf) for floor in (0.3, 1.0, 5.0) for a in (0.3, 0.7)),
    *(Truth(floor, 0.5, 3.0, sizes=(50, 100, 200, 400, 800), seeds=5, rows=400) for floor in (0.0, 1.0)),
    Truth(0.0, 1.0, 2.0, sizes=(50, 100, 200, 400, 800), seeds=5, rows=2000, noise=0.02),
    Truth(0.0, 0.5, 3.0, sizes=(200, 400, 800), seeds=2),
    Truth(0.0, 0.5, 3.0, rows=30, noise=0.3),
    Truth(0.0, 0.5, 0.6),
    Truth(1.0, 0.5, 0.6, rows=1000, noise=0.03),
]


def least(repetitions: int) -> float:
    """What a coverage of 95% has at least, but for once in 700 times."""
    return STATED - 3 * math.sqrt(STATED * (1 - STATED) / repetitions)


@pytest.mark.parametrize("truth", QUICK)
def test_what_is_stated_holds_as_often_as_it_says(truth):
    assert coverage(truth, 100) >= least(100)


@pytest.mark.slow
@pytest.mark.parametrize("truth", MORE)
def test_what_is_stated_holds_for_many_curves(truth):
    assert coverage(truth, 400, seed=1) >= least(400)


@pytest.mark.parametrize("truth", [QUICK[1], QUICK[3]])
def test_these_curves_tell_a_bound_from_an_estimate(truth):
    """Without any noise the power law gets to the target long before the curve does."""
    errors = np.array([[truth.error(n) for n in truth.sizes]])
    assert reach(truth.sizes, errors, np.array([truth.error(truth.samples)]))[0] < 0.9 * truth.samples
