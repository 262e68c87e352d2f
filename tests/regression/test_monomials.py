"""Lasso over all monomials: against scikit-learn on a table of them, and against all correlations one by one."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from kernelgap.errors import InputError
from kernelgap.regression.monomials import (
    _Monomials,
    count_monomials,
    evaluate_monomials,
    monomial_lasso,
)


def signs(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).choice([-1.0, 1.0], (n, d))


def all_monomials(d: int, degree: int) -> tuple[tuple[int, ...], ...]:
    return tuple(S for size in range(degree + 1) for S in combinations(range(d), size))


@pytest.mark.parametrize("degree", [1, 3, 4, 5, 7, 8])
def test_every_monomial_is_found_with_its_correlation(degree: int) -> None:
    X, residual = signs(40, 9, 1), np.random.default_rng(2).standard_normal(40)
    sets = all_monomials(9, degree)
    found = {S: size for size, S in _Monomials(X, degree).exceeding(residual, 0.0, most=10_000)}
    assert set(found) == set(sets)
    assert len(sets) == count_monomials(9, degree)
    exact = np.abs(residual @ evaluate_monomials(X, sets)) / 40
    assert np.allclose([found[S] for S in sets], exact, atol=1e-5)


def test_the_largest_come_first_and_no_more_than_asked() -> None:
    X, residual = signs(30, 8, 3), np.random.default_rng(4).standard_normal(30)
    exact = np.sort(np.abs(residual @ evaluate_monomials(X, all_monomials(8, 6))) / 30)[::-1]
    found = [size for size, _ in _Monomials(X, 6).exceeding(residual, 0.1, most=7)]
    assert np.allclose(found, exact[:7], atol=1e-5)
    assert [size for size, _ in _Monomials(X, 6).exceeding(residual, exact[3] + 1e-4, most=7)] == found[:3]


@pytest.mark.parametrize("degree", [3, 6])
def test_solutions_are_those_over_the_table_of_all_monomials(degree: int) -> None:
    X = signs(60, 9, 5)
    y = X[:, 0] * X[:, 1] + 0.3 * X[:, :degree].prod(axis=1) + 0.2 * np.random.default_rng(6).standard_normal(60)
    sets = all_monomials(9, degree)
    table = evaluate_monomials(X, sets)

    def objective(prediction: np.ndarray, weights: np.ndarray, penalty: float) -> float:
        return float(np.mean((prediction - y) ** 2) / 2 + penalty * np.abs(weights).sum())

    for fit in monomial_lasso(X, y, degree):
        exact = Lasso(alpha=fit.penalty, fit_intercept=False, max_iter=100_000, tol=1e-10).fit(table, y)
        least = objective(table @ exact.coef_, exact.coef_, fit.penalty)
        assert objective(fit.predict(X), fit.weights, fit.penalty) == pytest.approx(least, rel=1e-3)


def test_a_sparse_target_is_found_among_many_monomials() -> None:
    X = signs(80, 16, 7)
    y = X[:, 2] * X[:, 3] - 0.3 * X[:, :8].prod(axis=1)
    *_, last = monomial_lasso(X, y, 8)
    assert {S for S, weight in zip(last.monomials, last.weights, strict=True) if abs(weight) > 0.1} == {
        (2, 3),
        tuple(range(8)),
    }
    new = signs(500, 16, 8)
    assert np.mean((last.predict(new) - new[:, 2] * new[:, 3] + 0.3 * new[:, :8].prod(axis=1)) ** 2) < 0.01


def test_nothing_to_learn_gives_no_path() -> None:
    assert list(monomial_lasso(signs(10, 5, 9), np.zeros(10), 3)) == []


@pytest.mark.parametrize("degree", [0, 9, 20])
def test_degrees_out_of_reach_are_refused(degree: int) -> None:
    with pytest.raises(InputError, match="degree of monomials"):
        next(monomial_lasso(signs(10, 12, 0), np.ones(10), degree))


def test_inputs_that_are_no_signs_are_refused() -> None:
    with pytest.raises(InputError, match="signs"):
        next(monomial_lasso(0.5 * signs(10, 5, 0), np.ones(10), 2))
