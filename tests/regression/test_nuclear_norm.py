"""Regression with a nuclear norm: the optimality conditions, a known solution, and what is refused."""

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.regression.nuclear_norm import nuclear_norm_path, quadratic_forms


def test_a_solution_meets_the_conditions_of_its_optimum() -> None:
    """The gradient of the loss is -penalty times a subgradient: sign on the range of M, at most 1 elsewhere."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((80, 8))
    y = Z[:, 0] * Z[:, 1] + 0.1 * rng.standard_normal(80)
    penalties, path = nuclear_norm_path(Z, y, [0.3], steps=3000)
    (M,) = path
    gradient = (Z * (quadratic_forms(Z, path)[0] - y)[:, None]).T @ Z / 80
    values, vectors = np.linalg.eigh(M)
    rotated = vectors.T @ gradient @ vectors / penalties[0]
    large = np.abs(values) > 1e-6
    assert large.any()
    assert not large.all()
    assert np.allclose(np.diag(rotated)[large], -np.sign(values[large]), atol=1e-4)
    assert np.linalg.norm(rotated, 2) <= 1 + 1e-4
    assert np.allclose(M, M.T)


def test_the_path_begins_near_nothing_and_the_strongest_penalty_allows_nothing() -> None:
    rng = np.random.default_rng(1)
    Z, y = rng.standard_normal((40, 5)), rng.standard_normal((40, 1))
    penalties, path = nuclear_norm_path(Z, y)
    assert np.all(np.diff(penalties) < 0)
    norms = [np.abs(np.linalg.eigvalsh(M)).sum() for M in path]
    assert norms[0] < norms[-1]
    assert np.all(nuclear_norm_path(Z, y, [2.001 * penalties[0]])[1] == 0)


def test_forms_are_those_of_a_loop() -> None:
    rng = np.random.default_rng(2)
    Z, M = rng.standard_normal((6, 3)), rng.standard_normal((2, 3, 3))
    assert quadratic_forms(Z, M) == pytest.approx(np.array([[z @ each @ z for z in Z] for each in M]))


def test_what_is_no_problem_is_refused() -> None:
    Z = np.eye(3)
    with pytest.raises(InputError, match="one output"):
        nuclear_norm_path(Z, np.ones((3, 2)))
    with pytest.raises(InputError, match="3 samples"):
        nuclear_norm_path(Z, np.ones(4))
    with pytest.raises(InputError, match="no scale"):
        nuclear_norm_path(Z, np.zeros(3))
    with pytest.raises(InputError):
        nuclear_norm_path(Z, np.ones(3), [-1.0])
    with pytest.raises(InputError, match="steps"):
        nuclear_norm_path(Z, np.ones(3), steps=0)
