"""The convolutional concept against its line in the talk, and against brute force over small cubes."""

import itertools
import math

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.problems.convolutional import patch_points
from support.problem_texts import check_spec_and_samples

PRODUCTS = "convolutional(patches=2, d=6, alpha=0.4, degree=3, beta=0.7, v=[0.6, -1.1])"
SMOOTH = "convolutional(patches=3, d=4, alpha=0.4, F=['sin(2z)', 'z^2'], G='z^2 - z', k=3, pF=2, pG=2, seed=5)"
MIXED = "convolutional(patches=3, d=4, alpha=0.2, G='sin(z)', v=[1, 0, 2])"


def naive_products(x, P, d, alpha, beta, v, degree):
    F = [[x[j * d + 2 * i] * x[j * d + 2 * i + 1] for i in range(d // 2)] for j in range(P)]
    mixed = [sum(v[j] * F[j][i] for j in range(P)) for i in range(d // 2)]
    G = math.prod(mixed[:degree])
    return [beta * sum(F[j][i] for j in range(P)) + alpha * (-1) ** (i + 1) * G for i in range(d // 2)]


def test_products_follow_the_talk():
    problem = kg.problems.get(PRODUCTS)
    assert (problem.d, problem.patches, problem.patch, problem.outputs) == (12, 2, 6, 3)
    X, Y = problem.sample(50, seed=1)
    assert set(np.unique(X)) == {-1.0, 1.0}
    np.testing.assert_allclose(Y, [naive_products(x, 2, 6, 0.4, 0.7, (0.6, -1.1), 3) for x in X], atol=1e-13)
    wrong = [naive_products(x, 2, 6, 0.4, 0.7, (0.6, 1.1), 3) for x in X]
    assert np.abs(Y - wrong).max() > 0.1


@pytest.mark.parametrize("text", [SMOOTH, MIXED, SMOOTH[:-1] + ", inputs='gaussian', size_G='mean')"])
def test_any_f_and_g_follow_the_talk(text):
    problem = kg.problems.get(text)
    X, Y = problem.sample(20, seed=1)
    for x, y in zip(X, Y, strict=True):
        F = [problem.F(x[None, 4 * j : 4 * j + 4])[0] for j in range(3)]
        mixed = sum(v * f for v, f in zip(problem.v, F, strict=True))
        np.testing.assert_allclose(y, sum(F) + problem.alpha * problem.G(mixed[None])[0], atol=1e-13)
    np.testing.assert_array_equal(problem.target(X), problem.base(X) + problem.composite(X))


def test_one_patch_with_weight_one_is_the_problem_without_patches():
    problem = kg.problems.convolutional(patches=1, d=30, alpha=0.3, degree=4, v=[1.0])
    sec8 = kg.problems.sec8()
    X, Y = sec8.sample(20, seed=0)
    np.testing.assert_allclose(problem.target(X), Y, atol=1e-14)
    assert problem.threshold == pytest.approx(sec8.threshold)


def test_fourier_expansions_by_brute_force():
    """f^(S) = E f chi_S over all 2^8 points, for each of the 2^8 index sets S."""
    problem = kg.problems.convolutional(patches=2, d=4, alpha=0.4, beta=0.7, v=[0.6, -1.1])
    cube = np.array(list(itertools.product([-1.0, 1.0], repeat=8)))
    sets = [s for size in range(9) for s in itertools.combinations(range(8), size)]
    parities = np.stack([cube[:, list(s)].prod(axis=1) for s in sets], axis=1)
    for expansion, values in (
        (problem.base_fourier, problem.base(cube)),
        (problem.composite_fourier, problem.composite(cube)),
        (problem.target_fourier, problem.target(cube)),
    ):
        known = dict(zip(expansion.index_sets, expansion.coefficients, strict=True))
        assert set(known) <= set(sets)
        expected = [known.get(s, np.zeros(2)) for s in sets]
        np.testing.assert_allclose(parities.T @ values / len(cube), expected, atol=1e-12)
    assert len(problem.composite_fourier.index_sets) == 2**2


@pytest.mark.parametrize("text", [PRODUCTS, MIXED, SMOOTH[:-1] + ", inputs='cube')"])
def test_thresholds_are_exact_on_small_cubes(text):
    problem = kg.problems.get(text)
    assert problem.exact
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=12)))
    X = signs * np.abs(problem.sample(1, seed=0)[0][0, 0])
    assert problem.threshold == pytest.approx((problem.composite(X) ** 2).sum(axis=1).mean(), rel=1e-12)


def test_thresholds_elsewhere():
    product = kg.problems.convolutional(patches=5, d=10, alpha=0.3, degree=4)
    assert product.exact
    assert product.threshold == pytest.approx(5 * 0.3**2)
    assert np.linalg.norm(product.v) == pytest.approx(1.0)
    X, _ = product.sample(5_000, seed=0)
    squares = (product.composite(X) ** 2).sum(axis=1)
    assert abs(squares.mean() - product.threshold) < 5 * squares.std() / math.sqrt(len(squares))
    assert product.composite_fourier.squared_norm() == pytest.approx(product.threshold)
    smooth = kg.problems.get(SMOOTH[:-1] + ", size_G='mean')")
    assert not smooth.exact
    assert smooth.threshold == pytest.approx(0.4**2)


@pytest.mark.parametrize("text", [PRODUCTS, SMOOTH, MIXED])
def test_the_spec_makes_the_problem_again_and_samples_are_nested(text):
    check_spec_and_samples(kg.problems.get(text))


def test_patches_of_smooth_problems_are_unit_vectors():
    for inputs in ("sphere", "cube"):
        problem = kg.problems.get(SMOOTH[:-1] + f", inputs={inputs!r})")
        X, _ = problem.sample(5, seed=0)
        np.testing.assert_allclose(np.linalg.norm(X.reshape(5, 3, 4), axis=2), 1.0)
        rows = patch_points(inputs, 3, 4)
        np.testing.assert_allclose(np.linalg.norm(rows.reshape(-1, 3, 4), axis=2), 1.0)


def test_what_cannot_be_written_out_is_refused():
    with pytest.raises(InputError, match="not made of products"):
        _ = kg.problems.get(SMOOTH).base_fourier
    with pytest.raises(InputError, match="parities, more than"):
        _ = kg.problems.convolutional(patches=64, d=6, alpha=0.1, degree=3).composite_fourier
    with pytest.raises(InputError, match=r"shape \(n, 12\)"):
        kg.problems.get(PRODUCTS).base(np.ones((3, 6)))
