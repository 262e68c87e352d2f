"""The equations of the predicted risk, against their own statement in rational arithmetic and against known limits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelgap.curves.theory import Groups, solve, solve_best


def groups_of(sizes, eigenvalues, energies, noise=0.0):
    with np.errstate(divide="ignore"):
        return Groups(np.log(sizes), np.log(eigenvalues), np.array(energies, dtype=float), noise)


SMALL = groups_of([1.0, 6.0, 15.0, 20.0], [1.0, 0.1, 0.01, 0.003], [0.0, 1.0, 0.5, 0.2], noise=0.1)


@pytest.mark.parametrize("ridge", [1e-6, 1e-2, 1.0])
@pytest.mark.parametrize("n", [1.0, 5.0, 30.0, 500.0])
def test_the_equations_hold_as_written(n, ridge):
    """kappa, E0 and the errors from the formulas, in rational numbers at the kappa that was found."""
    found = solve(SMALL, np.array([n]), np.array([ridge]))
    kappa, delta = Fraction(float(np.exp(found.log_kappa[0]))), Fraction(ridge)
    sizes = [Fraction(float(np.exp(s))) for s in SMALL.log_sizes]
    learned = [e / (e + kappa) for e in (Fraction(float(np.exp(v))) for v in SMALL.log_eigenvalues)]
    total = sum(m * L for m, L in zip(sizes, learned, strict=True)) + delta / kappa
    assert float(total) == pytest.approx(n, rel=1e-10)
    overfitting = Fraction(n) / (Fraction(n) - sum(m * L * L for m, L in zip(sizes, learned, strict=True)))
    left = sum((1 - L) ** 2 * Fraction(v) for L, v in zip(learned, SMALL.energies.tolist(), strict=True))
    test_error = overfitting * (left + Fraction(SMALL.noise))
    assert found.overfitting[0] == pytest.approx(float(overfitting), rel=1e-8)
    assert found.test_error[0] == pytest.approx(float(test_error), rel=1e-8)
    assert found.risk[0] == pytest.approx(float(test_error) - SMALL.noise, rel=1e-7)
    assert found.train_error[0] == pytest.approx(float((delta / (Fraction(n) * kappa)) ** 2 * test_error), rel=1e-8)


def test_beyond_the_rank_everything_is_learned_without_noise():
    clean = groups_of([1.0, 6.0], [1.0, 0.1], [1.0, 1.0])
    found = solve(clean, np.array([100.0]), np.zeros(1))
    assert found.risk[0] == pytest.approx(0.0, abs=1e-30)
    assert found.overfitting[0] == pytest.approx(100 / 93)


def test_noise_beyond_the_rank_is_that_of_least_squares():
    """n / (n - p) times the noise: the known test error of regression on p functions."""
    noisy = groups_of([1.0, 6.0], [1.0, 0.1], [1.0, 1.0], noise=0.5)
    found = solve(noisy, np.array([70.0]), np.zeros(1))
    assert found.test_error[0] == pytest.approx(0.5 * 70 / 63)
    assert found.train_error[0] == pytest.approx(0.5 * 63 / 70)


def test_a_huge_ridge_learns_nothing():
    found = solve(SMALL, np.array([50.0]), np.array([1e12]))
    assert found.risk[0] == pytest.approx(float(SMALL.energies.sum()), rel=1e-8)


@settings(max_examples=50, deadline=None)
@given(
    n=st.floats(1, 1e12),
    ridge=st.sampled_from([0.0, 1e-300, 1e-12, 1e-3, 1.0, 1e6]),
    spread=st.floats(0, 900),
)
def test_nothing_overflows(n, ridge, spread):
    """Eigenvalues down to e^-900, and up to 10^12 samples."""
    sizes, eigenvalues = np.array([0.0, 3.0, 20.0, 60.0]), -np.linspace(0, spread, 4)
    found = solve(Groups(sizes, eigenvalues, np.ones(4)), np.array([n]), np.array([ridge]))
    for values in (found.risk, found.train_error, found.effective_dimension):
        assert np.isfinite(values).all()
        assert (values >= 0).all()
    assert found.effective_dimension[0] <= n * (1 + 1e-9)
    assert found.train_error[0] <= found.test_error[0] * (1 + 1e-9)


@pytest.mark.parametrize("n", [3.0, 20.0, 45.0, 300.0])
def test_the_best_ridge_is_the_best_of_a_fine_grid(n):
    ridges = np.concatenate([[0.0], np.geomspace(1e-8, 1e3, 4000)])
    tried = solve(SMALL, np.full(len(ridges), n), ridges).test_error
    best = solve_best(SMALL, np.array([n]))
    assert best.test_error[0] <= tried.min() * (1 + 1e-9)
    again = solve(SMALL, np.array([n]), best.ridge)
    assert again.test_error[0] == pytest.approx(best.test_error[0], rel=1e-6)


def test_without_noise_ridge_0_may_be_best():
    """A target within the first group only: what a ridge would suppress is not there."""
    clean = groups_of([5.0, 1000.0], [1.0, 1e-9], [1.0, 0.0])
    best = solve_best(clean, np.array([20.0]))
    fixed = solve(clean, np.array([20.0]), np.zeros(1))
    assert best.risk[0] <= fixed.risk[0] * (1 + 1e-9)
