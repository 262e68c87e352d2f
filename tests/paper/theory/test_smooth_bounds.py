"""Steepness by ascent and rounding bounds, beside what can be said exactly."""

import math

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.paper.theory.smooth_bounds import plain_bound, rounding_bound, size_ratios, slope_ratios, steepest
from kernelgap.problems.activation import Activation
from kernelgap.problems.smooth import GeneralFunction


def test_ratios_by_hand():
    # F(x) = <w2, (x,1)> with w2 = (1, 0): |F(x)| = |x_1|, slope 1, and the bound is 1
    e = np.array([[[1.0, 0.0, 0.0]]])
    function = GeneralFunction(np.ones((1, 1)), e, e, ((Activation.parse("1"),),))
    X = np.array([[2.0, 0.0], [0.0, 5.0]])
    assert plain_bound(function) == 1.0
    np.testing.assert_allclose(size_ratios(function, X), [2 / math.sqrt(5), 0.0])
    np.testing.assert_allclose(slope_ratios(function, X, X + np.array([3.0, 0.0])), [1.0, 1.0])


@pytest.mark.slow
def test_the_ascent_reaches_the_steepest_constant_and_its_places_are_steep():
    rows = np.zeros((4, 2, 3))
    rows[:, :, 0] = 1.0
    reached, places = steepest(rows, k=2, d=3, seed=0)
    assert reached.max() == pytest.approx(1.0, abs=1e-4)
    best = int(np.argmax(reached))
    one = Activation.parse("1")
    function = GeneralFunction(places["a"][best], places["w1"][best], places["w2"][best], ((one, one),) * 2)
    x, v = places["x"][best][None], places["v"][best][None]
    assert slope_ratios(function, x, x + v)[0] == pytest.approx(reached[best], abs=1e-4)


def test_rounding_bounds_hold_and_see_a_wrong_factor():
    problem = kg.problems.concept1(d=20, k=2, alpha=0.1, pF=3, F="exp(2z)", seed=1)
    X, _ = problem.sample(300, seed=0)
    exact = (np.exp(np.longdouble(2) * (X.astype(np.longdouble) @ problem.F.w.reshape(-1, 20).T)).reshape(-1, 2, 3)) * (
        problem.F.a * problem.F.distinct[0].terms[0].weight
    )
    error = np.abs(problem.F(X) - exact.sum(axis=2)).astype(float)
    assert (error <= rounding_bound(problem.F, 1.0)).all()
    assert (np.abs(problem.F(X) * (1 + 1e-11) - exact.sum(axis=2)) > rounding_bound(problem.F, 1.0)).any()
