"""Complexity measures against closed forms and plain sums; the polarisation identity."""

import math
from fractions import Fraction

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.paper.theory.complexity import (
    PLAIN,
    C_s,
    complexity,
    log_C_eps,
    log_C_eps_of,
    orders_sum,
    talk_complexity,
)
from kernelgap.paper.theory.polarise import (
    coordinates_function,
    largest_difference_on_grid,
    polarised,
    product_function,
)
from kernelgap.paper.theory.taylor import smooth

# (z M)'(1) for the series M of absolute values
CLOSED = {
    "exp(2z) - 1": 3 * math.exp(2) - 1,
    "sin(z)": math.sinh(1) + math.cosh(1),
    "cos(3z)": math.cosh(3) + 3 * math.sinh(3),
    "tanh(z)": math.tan(1) + 1 / math.cos(1) ** 2,
    "sigmoid(z)": 0.5 + 0.5 * (math.tan(0.5) + 0.5 / math.cos(0.5) ** 2),
    "z^3 - 2z": 4 + 2 * 2,
    "5": 5,
}


@pytest.mark.parametrize(("text", "expected"), CLOSED.items())
def test_c_s(text, expected):
    assert C_s(text, PLAIN) == pytest.approx(expected, rel=1e-12)
    assert C_s(text) == pytest.approx(1e4 * expected, rel=1e-12)
    plain = np.abs(smooth(text).coefficients(300)).sum()
    assert talk_complexity(text) == pytest.approx(expected - plain, rel=1e-10, abs=1e-12)


def test_a_small_radius_has_no_finite_complexity():
    assert math.isinf(orders_sum("tanh(2z)", 1))
    with pytest.raises(InputError, match="cut the series off"):
        log_C_eps("tanh(z)", 5.0)


@pytest.mark.parametrize("text", ["exp(2z) - 1", "sin(z)", "z^3 - 2z", "cos(z) + z"])
@pytest.mark.parametrize(("log_1_eps", "C_star"), [(3.0, 1.0), (50.0, 2.0), (1.0, 7.0)])
def test_c_eps_is_the_sum_written_out(text, log_1_eps, C_star):
    c = np.abs(smooth(text).coefficients(150))
    first = sum(C_star**i * value for i, value in enumerate(c))
    second = c[0] + sum((C_star * math.sqrt(log_1_eps / i)) ** i * c[i] for i in range(1, len(c)))
    sums = log_C_eps(text, log_1_eps, C_star)
    assert math.exp(sums.constant) == pytest.approx(first, rel=1e-10)
    assert math.exp(sums.growing) == pytest.approx(second, rel=1e-10)
    assert math.exp(sums.total) == pytest.approx(first + second, rel=1e-10)


def test_c_eps_at_the_paper_s_constant():
    # sum (10^4)^i / i! = exp(10^4), and the same less 1
    assert log_C_eps("exp(z) - 1", 1.0).constant == pytest.approx(1e4, rel=1e-12)
    # the largest order of the other term: i^3 = C*^2 L / e, with logarithm 3i/2
    L = 1e7
    peak = (1e8 * L / math.e) ** (1 / 3)
    assert log_C_eps("exp(z) - 1", L).growing == pytest.approx(1.5 * peak, rel=1e-3)


def test_cut_off_series():
    c = np.abs(smooth("tanh(z)").coefficients(9))
    expected = sum((100.0**i + (100 * math.sqrt(5.0 / max(i, 1))) ** i) * value for i, value in enumerate(c))
    assert math.exp(log_C_eps("tanh(z)", 5.0, 100.0, degree=9).total) == pytest.approx(expected, rel=1e-12)


def test_functions_take_the_largest_activation():
    problem = kg.problems.concept1(d=4, k=2, alpha=0.1, pF=3, F=["z", "sin(2z)"], size="none")
    found = complexity(problem.F, PLAIN)
    assert found.p == 3
    assert pytest.approx(C_s("sin(2z)", PLAIN)) == found.C_s
    flat = [
        (a, phi)
        for row, phis in zip(problem.F.a, problem.F.activations, strict=True)
        for a, phi in zip(row, phis, strict=True)
    ]
    assert found.talk == pytest.approx(sum(abs(a) * talk_complexity(phi) for a, phi in flat))
    assert log_C_eps_of(problem.F, 2.0, 3.0) == log_C_eps("sin(2z)", 2.0, 3.0).total


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_polarisation(k, rng):
    z = [Fraction(int(a), int(b)) for a, b in zip(rng.integers(-9, 10, k), rng.integers(1, 9, k), strict=True)]
    assert polarised(z) == math.prod(z)
    assert largest_difference_on_grid(k) == 0


def test_the_hard_instance_in_concept_1_form():
    problem = kg.problems.hard(d=12, k=3, alpha=0.3, seed=4)
    chosen = [s[0] for s in problem.base_sets]
    F, G = coordinates_function(12, chosen), product_function(3)
    X, _ = problem.sample(50, seed=0)
    np.testing.assert_allclose(F(X), problem.base(X) / math.sqrt(3), atol=1e-14)
    np.testing.assert_allclose(0.3 * G(F(X)), problem.composite(X) / math.sqrt(3), atol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(F(X), axis=1), 1.0)
    np.testing.assert_allclose(np.linalg.norm(G.w, axis=2), 1 / math.sqrt(2))
    assert G.p == 8
    assert complexity(F, PLAIN).C_s == pytest.approx(2 * math.sqrt(2 * 12 / 3))
