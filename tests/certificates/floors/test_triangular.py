"""The risks of many targets in triangular form, beside brute force on a small cube and the eigendecomposition."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from kernelgap.certificates.floors import triangular
from kernelgap.certificates.floors.oracle import prepare_on_cube
from kernelgap.certificates.floors.rigorous import enclose
from kernelgap.certificates.floors.spectral import independent, spectral_span, triangular_span
from kernelgap.certificates.floors.targets import _unique_rows, all_targets, own_target
from kernelgap.certificates.floors.triangular import ParityRows, triangular_factor
from kernelgap.kernels import get as get_kernel
from kernelgap.problems import hard


def prepared(d, n, kernel):
    problem = hard(d=d, k=4, alpha=0.5)
    on_cube = prepare_on_cube(problem, kernel, problem.sample(n, 0)[0])
    spectrum = on_cube.spectrum()
    return problem, on_cube, spectrum, independent(spectrum, on_cube.signs)


@pytest.mark.parametrize("apart", [-1, 1])
def test_risks_are_those_of_least_squares_at_every_point_of_the_cube(apart):
    problem, _, spectrum, signs = prepared(8, 20, "laplace")
    low, high = triangular_span(spectrum, signs, apart=apart).risks(all_targets(problem))
    points = np.array(list(product([1.0, -1.0], repeat=8)))
    values = get_kernel("laplace").fit(points / 8**0.5)(points / 8**0.5, signs / 8**0.5)
    expected = []
    for chosen in combinations(range(8), 4):
        target = points[:, chosen] + 0.5 * points[:, chosen].prod(axis=1, keepdims=True)
        weights = np.linalg.lstsq(values, target, rcond=None)[0]
        expected.append(((target - values @ weights) ** 2).sum(axis=1).mean())
    # the brute force itself is good to about EPS times the condition number of the values
    slack = triangular.EPS * np.linalg.cond(values) * np.mean(expected)
    assert np.all(low - slack <= expected)
    assert np.all(expected <= high + slack)
    assert np.max(high - low) < 1e-9


@pytest.mark.parametrize(("kernel", "apart"), [("ck2", -1), ("ck2", 2), ("ntk3", 1), ("gaussian", 2)])
def test_brackets_overlap_those_of_the_eigendecomposition(kernel, apart, monkeypatch):
    monkeypatch.setattr(triangular, "ENTRIES", 1)
    monkeypatch.setattr(triangular, "ROWS", 97)  # blocks that do not divide the targets
    problem, _, spectrum, signs = prepared(14, 150, kernel)
    targets = all_targets(problem)
    low, high = triangular_span(spectrum, signs, apart=apart).risks(targets)
    other_low, other_high = spectral_span(spectrum, signs, apart=apart).risks(targets)
    assert np.all(low <= other_high)
    assert np.all(other_low <= high)
    assert np.max(high - low) < 10 * np.max(other_high - other_low)


def test_what_is_given_away_is_given_away():
    problem, _, spectrum, signs = prepared(14, 150, "ntk3")
    targets = all_targets(problem)
    low, high = triangular_span(spectrum, signs, given_away=1).risks(targets)
    other_low, other_high = spectral_span(spectrum, signs, given_away=1).risks(targets)
    assert np.all(low <= other_high)
    assert np.all(other_low <= high)
    assert np.all(high <= triangular_span(spectrum, signs).risks(targets)[1] + 1e-9)


@pytest.mark.parametrize("kernel", ["ck2", "ntk3", "laplace"])
def test_a_proof_lies_in_the_bracket(kernel):
    problem, on_cube, spectrum, signs = prepared(30, 120, kernel)
    low, high = triangular_span(spectrum, signs, apart=1).risks(own_target(problem))
    ball = enclose(on_cube.problem, on_cube.kernel, on_cube.cube, on_cube.signs)
    assert low[0] <= float(ball.lower())
    assert float(ball.upper()) <= high[0]


def test_a_matrix_near_to_rounding_is_refused():
    gram = np.diag([1.0, 1.0, 1e-15])
    assert triangular_factor(gram, np.zeros((3, 0)), 0.0) is None
    assert triangular_factor(-gram, np.zeros((3, 0)), 0.0) is None
    assert triangular_factor(np.eye(3), np.zeros((3, 0)), 0.5) is None  # the functions may be off by half
    factor, _ = triangular_factor(2 * np.eye(3), np.ones((3, 1)), 0.0)
    np.testing.assert_allclose(factor @ factor.T, 2 * np.eye(3) + 1, rtol=1e-14)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("pairs", [0, 2**21])
def test_parities_are_products_of_coordinates(size, pairs, rng, monkeypatch):
    monkeypatch.setattr(triangular, "PAIRS", pairs)
    signs = np.sign(rng.standard_normal((9, 6)))
    sets = np.array(list(combinations(range(6), size)), dtype=int).reshape(comb(6, size), size)
    expected = [signs[:, list(s)].prod(axis=1) for s in sets]
    np.testing.assert_array_equal(ParityRows(signs).of(sets), expected)


@pytest.mark.parametrize(("size", "below"), [(0, 5), (1, 5), (3, 5), (3, 2**40)])
def test_different_rows_are_those_of_numpy(size, below, rng):
    rows = rng.integers(0, 5, (40, size))
    unique, inverse = _unique_rows(rows, below)
    np.testing.assert_array_equal(unique, np.unique(rows, axis=0))
    np.testing.assert_array_equal(unique[inverse], rows)
