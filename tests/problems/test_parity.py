"""Targets against a naive reading of the paper, and against their Fourier expansions on whole cubes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelgap as kg
from kernelgap.calls import format_call
from kernelgap.errors import InputError
from kernelgap.problems.parity import ParityProblem
from support.problem_texts import check_spec_and_samples


def naive_sec8(x, alpha, beta):
    F = [x[2 * j] * x[2 * j + 1] for j in range(15)]
    return [beta * F[i] + alpha * (-1) ** (i + 1) * F[0] * F[1] * F[2] * F[3] for i in range(15)]


def naive_slides(x, alpha, beta):
    F = [x[2 * j] * x[2 * j + 1] for j in range(8)]
    G = [F[0] * F[1] * F[2] * F[3]] * 4 + [F[4] * F[5] * F[6] * F[7]] * 4
    return [beta * f + alpha * g for f, g in zip(F, G, strict=True)]


@pytest.mark.parametrize(("name", "naive"), [("sec8", naive_sec8), ("slides", naive_slides)])
def test_the_paper_targets(name, naive):
    problem = kg.problems.get(name, alpha=0.37, beta=0.8)
    X, Y = problem.sample(40, seed=3)
    assert set(np.unique(X)) == {-1.0, 1.0}
    np.testing.assert_allclose(Y, [naive(x, 0.37, 0.8) for x in X], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(problem.target(X), problem.base(X) + problem.composite(X))


def test_the_hard_instance():
    problem = kg.problems.hard(d=20, k=3, alpha=0.3, seed=5)
    X, Y = problem.sample(50, seed=1)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)
    chosen = [s[0] for s in problem.base_sets]
    assert len(set(chosen)) == 3
    F = np.sqrt(20) * X[:, chosen]
    np.testing.assert_allclose(Y, F + 0.3 * F.prod(axis=1, keepdims=True), atol=1e-12)
    assert problem.base_sets != kg.problems.hard(d=20, k=3, alpha=0.3, seed=6).base_sets


def test_a_wrong_sign_would_be_seen():
    X, Y = kg.problems.get("sec8").sample(40, seed=3)
    wrong = [naive_sec8(x, -0.3, 1.0) for x in X]
    assert np.abs(Y - wrong).max() > 0.5


@pytest.mark.parametrize("name", ["sec8", "slides", "hard(d=12, k=4, alpha=0.25, beta=0.5)"])
def test_fourier_expansions_are_the_functions(name, rng):
    problem = kg.problems.get(name)
    X, _ = problem.sample(64, seed=2)
    signs = np.sign(X)
    np.testing.assert_allclose(problem.base_fourier(signs), problem.base(X), atol=1e-14)
    np.testing.assert_allclose(problem.composite_fourier(signs), problem.composite(X), atol=1e-14)
    np.testing.assert_allclose(problem.target_fourier(signs), problem.target(X), atol=1e-14)
    assert problem.composite_fourier.squared_norm() == pytest.approx(problem.threshold, rel=1e-12)
    assert all(len(set(s)) == len(s) and list(s) == sorted(s) for s in problem.target_fourier.index_sets)


def test_sec8_composite_is_one_parity_of_eight():
    expansion = kg.problems.get("sec8").composite_fourier
    assert expansion.index_sets == ((0, 1, 2, 3, 4, 5, 6, 7),)
    np.testing.assert_allclose(expansion.coefficients[0], 0.3 * np.array([(-1) ** i for i in range(1, 16)]))
    assert kg.problems.get("sec8").threshold == pytest.approx(1.35)
    assert kg.problems.get("slides").threshold == pytest.approx(0.72)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_coefficients_by_brute_force_on_small_cubes(data):
    """f^(S) = E f chi_S over all 2^d points, for products that may share coordinates."""
    d = data.draw(st.integers(2, 6))
    index_set = st.lists(st.integers(0, d - 1), min_size=1, max_size=3, unique=True).map(tuple)
    base_sets = tuple(data.draw(st.lists(index_set, min_size=1, max_size=3)))
    outputs = len(base_sets)
    subset = st.lists(st.integers(0, outputs - 1), min_size=1, max_size=outputs, unique=True).map(tuple)
    problem = ParityProblem(
        name="random",
        d=d,
        base_sets=base_sets,
        composite_sets=tuple(data.draw(subset) for _ in range(outputs)),
        composite_signs=tuple(data.draw(st.sampled_from([-1, 1])) for _ in range(outputs)),
        alpha=0.3,
        beta=0.7,
        noise=0.0,
        scale=1.0,
        d1=d,
    )
    cube = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    values = problem.target(cube)
    expansion = problem.target_fourier
    known = dict(zip(expansion.index_sets, expansion.coefficients, strict=True))
    for size in range(d + 1):
        for s in itertools.combinations(range(d), size):
            coefficient = (values * cube[:, list(s)].prod(axis=1, keepdims=True)).mean(axis=0)
            np.testing.assert_allclose(coefficient, known.get(s, np.zeros(outputs)), atol=1e-12)


@pytest.mark.parametrize(
    "name", ["sec8", "slides(noise=0.5)", "hard(d=9, k=2, alpha=0.1, d1=5, background='gaussian')"]
)
def test_samples_are_reproducible_and_nested(name):
    problem = kg.problems.get(name)
    X, Y = problem.sample(30, seed=7)
    again, more = problem.sample(30, seed=7), problem.sample(100, seed=7)
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(Y, again[1])
    np.testing.assert_array_equal(X, more[0][:30])
    np.testing.assert_array_equal(Y, more[1][:30])
    assert not np.array_equal(X, problem.sample(30, seed=8)[0])


def test_inputs_are_uniform():
    X, _ = kg.problems.get("sec8").sample(20_000, seed=0)
    bound = 5 / math.sqrt(20_000)
    assert np.abs(X.mean(axis=0)).max() < bound
    correlations = X.T @ X / len(X) - np.eye(30)
    assert np.abs(correlations).max() < bound


def test_label_noise_has_its_size():
    problem = kg.problems.get("sec8", noise=0.5)
    X, Y = problem.sample(4000, seed=0)
    residual = Y - problem.target(X)
    assert residual.std() == pytest.approx(0.5, rel=0.02)
    np.testing.assert_array_equal(X, kg.problems.get("sec8").sample(4000, seed=0)[0])


@pytest.mark.parametrize(
    "background", ["uniform", "zero", "gaussian", "repeated", lambda rng, n, w: np.full((n, w), 2.0)]
)
def test_backgrounds_touch_only_the_other_coordinates(background):
    problem = kg.problems.hard(d=16, k=2, alpha=0.3, d1=6, background=background, seed=1)
    X, Y = problem.sample(200, seed=0)
    assert set(np.round(X[:, :6] * 4, 12).ravel()) == {-1.0, 1.0}
    assert all(max(s) < 6 for s in problem.target_fourier.index_sets)
    expected = problem.target_fourier(np.hstack([np.sign(X[:, :6]), np.ones((200, 10))]))
    np.testing.assert_allclose(Y, expected, atol=1e-12)


def test_the_spec_takes_numpy_numbers_and_refuses_functions():
    assert kg.problems.sec8(alpha=np.float64(0.2)).spec == kg.problems.sec8(alpha=0.2).spec
    assert format_call("hard", {"k": np.int64(2), "d": 9}) == "hard(d=9, k=2)"
    own = kg.problems.hard(d=8, k=2, alpha=0.3, d1=4, background=lambda rng, n, w: np.zeros((n, w)))
    with pytest.raises(InputError, match="function as background"):
        _ = own.spec
    assert "hard" in repr(own)


def test_a_background_of_the_wrong_shape_is_refused():
    problem = kg.problems.hard(d=8, k=2, alpha=0.3, d1=4, background=lambda rng, n, w: np.zeros((n, w + 1)))
    with pytest.raises(InputError, match="background must give"):
        problem.sample(5, seed=0)


@pytest.mark.parametrize(
    "text", ["sec8(alpha=0.1, beta=0.5, noise=0.2)", "hard(d=9, k=2, alpha=0.1, background='zero', d1=4)"]
)
def test_the_spec_makes_the_problem_again_and_samples_are_nested(text):
    check_spec_and_samples(kg.problems.get(text))


def test_wrong_inputs_get_a_sentence():
    problem = kg.problems.get("sec8")
    with pytest.raises(InputError, match="at least 1"):
        problem.sample(0, seed=0)
    with pytest.raises(InputError, match="must not be negative"):
        problem.sample(5, seed=-1)
    with pytest.raises(InputError, match=r"shape \(n, 30\)"):
        problem.base(np.ones((3, 29)))
