"""One given ridge by Cholesky, beside the factorisation that serves every ridge."""

import warnings

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.kernels import get as get_kernel
from kernelgap.regression import ConditionWarning, NotPositiveWarning, ridge_path, single, solve_with_spectrum


@pytest.fixture
def by_cholesky(monkeypatch):
    """Few samples are many, and the other way is barred."""
    monkeypatch.setattr(single, "FEW", 0)
    monkeypatch.setattr(single, "FEW_REFINED", 0)
    monkeypatch.setattr(single, "ridge_path", None)


def sample(n, d, rng):
    X = rng.standard_normal((n, d))
    return X, np.stack([np.sin(X[:, 0]), X[:, 1] ** 2], axis=1)


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "ntk3", "linear"])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_the_solution_is_that_of_a_path(kernel, ridge, rng, by_cholesky):
    X, Y = sample(300, 6, rng)
    gram = get_kernel(kernel).fit(X)(X)
    before = gram.copy()
    solution, path = solve_with_spectrum(gram, Y, ridge), ridge_path(gram, Y, ridge)
    np.testing.assert_array_equal(gram, before)
    exact = path.spectrum
    # each is solved to about sqrt(n) EPS times the condition number
    slack = 300**0.5 * single.EPS * exact.condition(ridge)
    expected = path.coefficients[0]
    assert np.linalg.norm(solution.coefficients - expected) <= 2 * slack * np.linalg.norm(expected)
    assert solution.spectrum.jitter == exact.jitter == 0
    assert solution.spectrum.positive
    assert solution.spectrum.largest == pytest.approx(exact.largest, rel=0.05)
    assert solution.spectrum.smallest == pytest.approx(
        exact.smallest, rel=0.05, abs=2 * exact.rounding + 1e-12 * exact.largest
    )


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "ntk3", "linear"])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_a_refined_solution_is_that_of_a_path(kernel, ridge, rng, by_cholesky, monkeypatch):
    """Of a matrix that is known to be positive, by a factor in float32."""
    monkeypatch.setattr(single, "_ends", None)
    X, Y = sample(300, 6, rng)
    gram = get_kernel(kernel).fit(X)(X)
    before = gram.copy()
    solution, path = solve_with_spectrum(gram, Y, ridge, positive=True), ridge_path(gram, Y, ridge)
    np.testing.assert_array_equal(gram, before)
    exact, expected = path.spectrum, path.coefficients[0]
    slack = 300**0.5 * single.EPS * exact.condition(ridge)
    assert np.linalg.norm(solution.coefficients - expected) <= 2 * slack * np.linalg.norm(expected)
    assert solution.spectrum.jitter == 0
    assert solution.spectrum.largest == pytest.approx(exact.largest, rel=0.05)
    # the least eigenvalue of K + ridge I, to some per cent and to the rounding of the factor
    assert solution.spectrum.smallest + ridge == pytest.approx(exact.smallest + ridge, rel=0.06)


def test_float32_is_left_where_it_does_not_lead_to_a_solution(rng, monkeypatch):
    monkeypatch.setattr(single, "FEW", 0)
    X, Y = sample(300, 3, rng)
    gram = get_kernel("gaussian(bandwidth=3.0)").fit(X)(X)
    ridge = 2 * single.safe_ridge(gram)  # a condition number of about 1e12
    assert single._refined(gram, Y, ridge) is None
    solution, expected = solve_with_spectrum(gram, Y, ridge, positive=True), solve_with_spectrum(gram, Y, ridge)
    np.testing.assert_array_equal(solution.coefficients, expected.coefficients)


def test_a_matrix_that_is_not_positive_is_said_even_where_the_ridge_outweighs_it(rng, monkeypatch):
    monkeypatch.setattr(single, "FEW", 0)
    X, Y = sample(60, 6, rng)
    gram = get_kernel("linear").fit(X)(X) - 1e-6 * np.eye(60)
    with pytest.warns(NotPositiveWarning, match="The ridge outweighs it"):
        solution = solve_with_spectrum(gram, Y, 0.5)
    assert not solution.spectrum.positive
    with pytest.warns(NotPositiveWarning):
        expected = ridge_path(gram, Y, 0.5).coefficients[0]
    np.testing.assert_array_equal(solution.coefficients, expected)


def test_an_ill_conditioned_matrix_is_said(rng, monkeypatch):
    monkeypatch.setattr(single, "FEW", 0)
    X, Y = sample(40, 3, rng)
    rows, targets = np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0)
    gram = get_kernel("gaussian(bandwidth=1.0)").fit(rows)(rows)
    largest = np.linalg.eigvalsh(gram)[-1]
    with pytest.warns(ConditionWarning, match="condition number"):
        solve_with_spectrum(gram, targets, single.EPS * largest / single.MOST_ROUNDING / 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve_with_spectrum(gram, targets, 2 * single.safe_ridge(gram))


def test_an_estimator_with_one_ridge_predicts_and_is_saved_as_ever(rng, by_cholesky, tmp_path):
    X, Y = sample(200, 6, rng)
    model = kg.KernelRegressor("gaussian(bandwidth=3.0)", ridge=0.1).fit(X, Y)
    gram = model.kernel_(X)
    expected = gram @ np.linalg.solve(gram + 0.1 * np.eye(200), Y)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9, atol=1e-11)
    again = kg.load(model.save(tmp_path / "model.safetensors"))
    assert (again.ridge_, again.spectrum_) == (0.1, model.spectrum_)


@pytest.mark.parametrize(("rank", "positive"), [(0, True), (1, True), (1, False), (3, True), (3, False)])
def test_a_matrix_of_low_rank_leaves_nothing_to_look_into(rank, positive, rng, by_cholesky, monkeypatch):
    monkeypatch.setattr(single, "NEAR", 0.0)  # looked into until nothing is left
    columns = rng.standard_normal((60, rank))
    gram, Y = columns @ columns.T, rng.standard_normal((60, 2))
    gram = (gram + gram.T) / 2
    solution = solve_with_spectrum(gram, Y, 0.5, positive=positive)
    np.testing.assert_allclose(
        solution.coefficients, np.linalg.solve(gram + 0.5 * np.eye(60), Y), rtol=1e-9, atol=1e-12
    )
    largest = np.linalg.eigvalsh(gram)[-1]
    assert solution.spectrum.largest == pytest.approx(largest, rel=1e-6, abs=1e-12)
    assert solution.spectrum.smallest <= min(largest, 1e-6)


def test_equal_eigenvalues_are_found_once(rng, by_cholesky):
    """The space that a block spans holds its image already: rounding is not taken for another direction."""
    solution = solve_with_spectrum(np.eye(300), rng.standard_normal((300, 2)), 0.5, positive=True)
    assert solution.spectrum.largest == pytest.approx(1.0, rel=1e-9)
    assert solution.spectrum.smallest == pytest.approx(1.0, rel=1e-5)
