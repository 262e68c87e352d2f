"""Members of the concept classes against the definitions written out, and Lemma A.2."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.problems.concept import points
from support.problem_texts import check_spec_and_samples


def naive1(function, x):
    return [
        sum(
            function.a[r, i] * float(function.activations[r][i](float(function.w[r, i] @ x))) for i in range(function.p)
        )
        for r in range(function.outputs)
    ]


def naive2(function, x):
    z = np.append(x, 1.0)
    return [
        sum(
            function.a[r, i]
            * float(function.activations[r][i](float(function.w1[r, i] @ z) / math.sqrt(z @ z)))
            * (function.w2[r, i] @ z)
            for i in range(function.p)
        )
        for r in range(function.outputs)
    ]


ONE = "concept1(d=6, k=3, alpha=0.2, pF=4, pG=2, F=['sin(2z)', 'exp(z) - 1', 'z^3'], G=['z^2', 'tanh(z)'], seed=3)"
TWO = "concept2(d=5, k=3, alpha=0.2, pF=3, pG=2, F=['sin(2z)', 'z^3 + 1'], G='tanh(z)', inputs='gaussian', seed=3)"


@pytest.mark.parametrize(("text", "naive"), [(ONE, naive1), (TWO, naive2)])
def test_members_follow_their_definition(text, naive):
    problem = kg.problems.get(text)
    X, Y = problem.sample(20, seed=1)
    F = np.array([naive(problem.F, x) for x in X])
    np.testing.assert_allclose(problem.base(X), F, atol=1e-13)
    G = np.array([naive(problem.G, h) for h in F])
    np.testing.assert_allclose(problem.composite(X), 0.2 * G, atol=1e-13)
    np.testing.assert_array_equal(Y, problem.target(X))
    assert problem.mean_square == pytest.approx(1.0)
    assert not np.allclose(problem.F.activations[0][0](0.3), problem.F.activations[0][1](0.3)) or problem.F.p < 2
    assert len(problem.F.distinct) > 1


def test_norms_are_the_paper_s():
    one, two = kg.problems.get(ONE), kg.problems.get(TWO)
    for function in (one.F, one.G):
        np.testing.assert_allclose(np.linalg.norm(function.w, axis=2), 1 / math.sqrt(2))
    for w in (two.F.w1, two.F.w2, two.G.w1, two.G.w2):
        np.testing.assert_allclose(np.linalg.norm(w, axis=2), 1.0)
    assert max(np.abs(f.a).max() for f in (one.F, one.G, two.F, two.G)) <= 1
    assert all(phi.only_zero_and_odd for f in (two.F, two.G) for phi in f.distinct)
    X, _ = one.sample(10, seed=0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)


@pytest.mark.parametrize("text", [ONE, TWO, ONE[:-1] + ", inputs='cube', form=2, size='bound', size_G='mean')"])
def test_the_spec_makes_the_problem_again_and_samples_are_nested(text):
    check_spec_and_samples(kg.problems.get(text))


def test_sizes():
    bounded = kg.problems.get(ONE[:-1] + ", size='bound')")
    assert bounded.largest <= bounded.bound == pytest.approx(1.0)
    circle = kg.problems.concept1(d=5, k=4, alpha=0.1, F="sin(3z)", size="circle")
    lengths = np.linalg.norm(circle.F(points("sphere", 5)), axis=1)  # of 4 numbers, each off by up to 4 units
    np.testing.assert_allclose(lengths, 1.0, atol=2 * 4 * np.finfo(float).eps)
    unit = kg.problems.get(ONE[:-1] + ", size_G='mean')")
    assert unit.threshold == pytest.approx(0.2**2)
    with pytest.raises(InputError, match="even k"):
        kg.problems.concept1(d=5, k=3, alpha=0.1, size="circle")
    with pytest.raises(InputError, match="0 everywhere"):
        kg.problems.concept1(d=5, k=3, alpha=0.1, F="0z")


def test_the_threshold_is_exact_on_small_cubes():
    problem = kg.problems.concept1(d=8, k=2, alpha=0.3, pF=2, inputs="cube")
    assert problem.exact
    X, _ = problem.sample(200_000, seed=0)
    squares = (problem.composite(X) ** 2).sum(axis=1)
    assert abs(squares.mean() - problem.threshold) < 5 * squares.std() / math.sqrt(len(squares))
    assert not kg.problems.concept1(d=8, k=2, alpha=0.3).exact


def test_lemma_a2_on_the_sphere_and_only_there():
    one = kg.problems.get(ONE)
    other = one.F.general()
    assert other.p == 2 * one.F.p
    X, _ = one.sample(500, seed=2)
    np.testing.assert_allclose(other(X), one.F(X), atol=1e-14)
    assert np.abs(other(2 * X) - one.F(2 * X)).max() > 0.1
    for w in (other.w1, other.w2):
        np.testing.assert_allclose(np.linalg.norm(w, axis=2), 1.0)
    assert all(phi.only_zero_and_odd for phi in other.distinct)


def test_whole_members_agree_where_f_is_a_unit_vector():
    arguments = {"d": 5, "k": 4, "alpha": 0.3, "pG": 3, "F": "sin(2z)", "G": ["exp(z)", "z^2 - z"], "size": "circle"}
    one, two = (kg.problems.concept1(**arguments, form=form) for form in (1, 2))
    X, Y = one.sample(200, seed=0)
    np.testing.assert_allclose(two.target(X), Y, atol=1e-13)


def test_members_run_in_jax():
    for text in (ONE.replace("pF=4", "pF=2"), TWO):
        problem = kg.problems.get(text)
        X, _ = problem.sample(7, seed=0)

        def values(X, problem=problem):
            F = problem.F(X)
            return F, problem.G(F), jax.jacobian(lambda x: problem.F(x[None])[0])(X[0])

        with jax.enable_x64(True):
            F, G, gradient = jax.jit(values)(jnp.asarray(X))
        np.testing.assert_allclose(F, problem.F(X), atol=1e-13)
        np.testing.assert_allclose(G, problem.G(problem.F(X)), atol=1e-13)
        step = 1e-6 * np.eye(problem.d)
        slopes = (problem.F(X[:1] + step) - problem.F(X[:1] - step)) / 2e-6
        np.testing.assert_allclose(gradient, slopes.T, atol=1e-7)
