"""Distances of out1 and of the rest, at networks whose split is known, and when they cross a level."""

from typing import Any

import jax
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.networks import Network
from kernelgap.paper.theory.hierarchy import Course, Distances, distances, follow_passes
from kernelgap.training import Schedule

PROBLEM = problems.hard(d=6, k=2, alpha=0.4)
X = PROBLEM.sample(3000, 0)[0]


def made_of(scale: float, learned: float) -> Network:
    """out1 = scale F + 0.1, and out = F + learned alpha G(F)."""

    def split(_: object, x: jax.Array) -> tuple[Any, Any]:
        rows = np.asarray(x, float)
        base = PROBLEM.base(rows)
        return scale * base + 0.1, base + learned * PROBLEM.composite(rows)

    empty = networks.resnet.weights
    return Network("made", "", empty, lambda p, x: x, lambda p, x: split(p, x)[1], lambda p, x: split(p, x)[0])


def test_a_linear_part_may_change_hands() -> None:
    found = distances(made_of(0.5, 1.0), {}, PROBLEM, X)
    assert found.base == pytest.approx(2 * (0.25 + 0.01), rel=0.05)
    assert found.base_up_to < 1e-10
    assert found.composite == pytest.approx(2 * (0.25 + 0.01), rel=0.05)
    assert found.composite_up_to < 1e-10
    assert found.risk < 1e-10


def test_what_is_not_learned_shows() -> None:
    found = distances(made_of(1.0, 0.5), {}, PROBLEM, X)
    assert found.base_up_to < 1e-10
    assert found.composite_up_to == pytest.approx(PROBLEM.threshold / 4, rel=0.02)
    assert found.risk == pytest.approx(PROBLEM.threshold / 4, rel=1e-6)


def test_crossings_lie_between_the_times() -> None:
    seen = [(t, Distances(v, v, v, v, v)) for t, v in ((0, 4.0), (10, 2.0), (20, 1.0))]
    course = Course.of(seen)
    assert course.falls_below("base", 3.0) == pytest.approx(5.0)
    assert course.falls_below("risk", 1.5) == pytest.approx(15.0)
    assert course.falls_below("risk", 0.5) is None
    assert course.falls_below("risk", 5.0) == 0.0


def test_following_sees_what_training_ends_with() -> None:
    course = follow_passes(
        networks.resnet,
        PROBLEM,
        width=20,
        samples=100,
        rates=[1e-5, 0.2],
        decay=0.0,
        schedule=Schedule(epochs=20, batch=20),
        epochs=[5],
        seed=0,
        held_out=500,
    )
    assert course.times == (0, 5, 20)
    assert course.values["risk"][-1] < 0.5 * course.values["risk"][0]  # not the rate that does nothing
