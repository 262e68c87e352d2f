"""The iterative solver: against the direct one, and what it says where it cannot reach it."""

from itertools import pairwise

import numpy as np
import pytest

import kernelgap as kg
from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.regression import (
    IterativeSolver,
    KernelGram,
    MatrixGram,
    NotConvergedWarning,
    RecomputedWarning,
    iterative,
    iterative_memory,
    judge_ridges,
    solve_ridge,
)

X, Y = kg.problems.get("sec8").sample(700, seed=0)
KERNELS = ["ntk3", "laplace", "gaussian", "ck2"]


def solver_of(gram, ridges=None, **options):
    return IterativeSolver(gram, ridges, rng=np.random.default_rng(0), **options)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("by_kernel", [True, False])
def test_the_direct_solution(kernel, by_kernel):
    fitted = kernels.get(kernel).fit(X)
    K = fitted(X)
    ridges = np.array([1e-6, 1e-3, 1e-1]) * np.mean(np.diagonal(K))
    path = solver_of(KernelGram(fitted, X) if by_kernel else MatrixGram(K), ridges).solve(Y)
    assert path.convergence.converged
    for ridge, found in zip(ridges, path.coefficients, strict=True):
        apart = np.linalg.norm(K @ (found - solve_ridge(K, Y, ridge)), axis=0)
        assert (apart <= 1.01e-5 * np.linalg.norm(Y, axis=0)).all()  # |K (K + ridge I)^-1 R| <= |R|


@pytest.mark.parametrize("kernel", KERNELS)
def test_ridges_are_judged_as_by_the_direct_solver(kernel):
    fitted = kernels.get(kernel).fit(X)
    solver = solver_of(KernelGram(fitted, X))
    found = solver.judge(Y, rng=np.random.default_rng(5))
    exact = judge_ridges(fitted(X), Y, solver.ridges, rng=np.random.default_rng(5))
    assert found.ridge == exact.ridge
    np.testing.assert_allclose(found.errors, exact.errors, rtol=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_direct_solution_of_many_tiles(kernel):
    """2,500 samples: more than one computed tile, and the share done only grows."""
    rows, targets = kg.problems.get("sec8").sample(2500, seed=1)
    fitted = kernels.get(kernel).fit(rows)
    K, shares = fitted(rows), []
    ridge = 1e-2 * float(np.mean(np.diagonal(K)))
    solver = solver_of(KernelGram(fitted, rows), ridge, on_progress=lambda share, activity: shares.append(share))
    path = solver.solve(targets)
    apart = np.linalg.norm(K @ (path.coefficients[0] - solve_ridge(K, targets, ridge)), axis=0)
    assert (apart <= 1.01e-5 * np.linalg.norm(targets, axis=0)).all()
    assert all(a <= b + 1e-12 for a, b in pairwise(shares))
    assert shares[-1] == 1


def test_the_memory_of_a_solver_is_known_before():
    solver = solver_of(KernelGram(kernels.get("ntk3"), X), 1.0)
    assert solver.precision is np.float32
    assert solver.memory(15) == iterative_memory(len(X), 15)
    assert 7.2e9 < iterative_memory(60_000, 10) < 10 * 2**30


def test_small_ridges_get_float64():
    gram = KernelGram(kernels.get("ntk3"), X)
    limit = solver_of(gram).rounding / iterative.OUTWEIGHED
    assert solver_of(gram, 1.01 * limit).precision is np.float32
    assert solver_of(gram, 0.99 * limit).precision is np.float64


def test_repeated_rows():
    rows, targets = np.repeat(X[:200], 3, axis=0), np.repeat(Y[:200], 3, axis=0)
    K = kernels.get("ntk3")(rows)
    path = solver_of(MatrixGram(K), 1e-2).solve(targets)
    exact = np.linalg.solve(K + 1e-2 * np.eye(len(K)), targets)
    apart = np.linalg.norm(K @ (path.coefficients[0] - exact), axis=0)
    assert (apart <= 1.01e-5 * np.linalg.norm(targets, axis=0)).all()


def test_too_few_iterations_are_reported():
    with pytest.warns(NotConvergedWarning, match="did not converge: 2 iterations"):
        path = solver_of(KernelGram(kernels.get("laplace"), X), 1e-3, most=2).solve(Y)
    assert not path.convergence.converged


def test_a_matrix_that_is_not_positive_is_reported():
    K = kernels.get("ntk3")(X)
    K -= np.median(np.linalg.eigvalsh(K)) * np.eye(len(K))  # half of its eigenvalues are below 0
    with pytest.warns(NotConvergedWarning):
        solver_of(MatrixGram(K), 1e-3, most=50).solve(Y)


def test_the_preconditioner_saves_iterations():
    gram = KernelGram(kernels.get("ntk3"), X)
    plain, less, more = (
        solver_of(gram, 1e-2, landmarks=count).solve(Y).convergence.iterations[0] for count in (0, 50, 400)
    )
    assert more < less < plain


def test_memory_is_asked_for_first(monkeypatch):
    solver = solver_of(KernelGram(kernels.get("ntk3"), X), 1e-2)
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 10**6)
    with pytest.raises(InputError, match="columns"):
        solver.solve(Y)


def test_without_room_for_tiles_they_are_computed_again(monkeypatch):
    monkeypatch.setattr(iterative, "available_memory", lambda: 10**6)
    solver = solver_of(KernelGram(kernels.get("ntk3"), X), 1.0)
    with pytest.warns(RecomputedWarning, match="in every iteration"):
        assert solver.solve(Y).convergence.converged


def test_a_ridge_of_0_is_refused():
    with pytest.raises(InputError, match="above 0"):
        solver_of(KernelGram(kernels.get("ntk3"), X), 0.0)
