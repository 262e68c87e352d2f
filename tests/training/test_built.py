"""Built solutions of section 8.2: what they claim, and that enlarging changes no output."""

from itertools import product

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.errors import InputError
from kernelgap.runs import make_built_trial
from kernelgap.training.built import SMALL, Solution, built, enlarge, trained

PAPER = ((4e-4, 9.7, 0.12), (1e-4, 12.5, 0.037), (6e-5, 13.8, 0.011))  # decay, norm in units of sqrt(d), error


def out(solution, X):
    return np.array([sum(a * max(w @ x, 0.0) for w, a in zip(solution.W, solution.a, strict=True)) for x in X])


def error_over_the_cube(solution, k):
    """E |a' s(Wx) - y|^2 over the first k coordinates: the columns beyond are 0."""
    d = solution.W.shape[1]
    assert not solution.W[:, k:].any()
    X = np.zeros((2**k, d))
    X[:, :k] = np.array(list(product((-1, 1), repeat=k))) / np.sqrt(d)
    return np.mean((out(solution, X) - np.prod(np.sign(X[:, :k]), axis=1)) ** 2)


@pytest.mark.parametrize(("width", "d"), [(200, 6), (302, 9), (1000, 40)])
def test_vertices_keep_what_the_paper_states(width, d):
    solutions = built("vertices", [decay for decay, _, _ in PAPER], width=width, d=d, k=6, seed=0)
    for solution, (_, norm, error) in zip(solutions, PAPER, strict=True):
        assert solution.norm <= norm * np.sqrt(d)
        assert error_over_the_cube(solution, 6) <= error
        np.testing.assert_allclose(np.abs(solution.a), width**-0.5)
        assert (solution.a > 0).sum() == width // 2


@pytest.mark.parametrize("k", [2, 4, 6])
def test_vertices_are_exact_without_decay(k):
    (exact,) = built("vertices", [0.0], width=200, d=k + 1, k=k, seed=0)
    assert error_over_the_cube(exact, k) < 1e-20


def test_trained_solutions_keep_what_the_paper_states():
    for solution, (_, norm, error) in zip(trained([decay for decay, _, _ in PAPER], 6, 0), PAPER, strict=True):
        assert solution.norm <= 1.01 * norm * np.sqrt(6)
        assert error_over_the_cube(solution, 6) <= error
        large = enlarge(solution, width=1000, d=40)
        assert error_over_the_cube(large, 6) == pytest.approx(error_over_the_cube(solution, 6), rel=1e-9)
        assert large.norm <= solution.norm * np.sqrt(40 / 6)


def test_enlarging_changes_no_output_and_hardly_the_norm(rng):
    a = rng.permutation(np.repeat([1.0, -1.0], 5)) / np.sqrt(10)
    small = Solution(rng.standard_normal((10, 3)), a)
    signs = rng.choice([-1.0, 1.0], (20, 7))
    for width in (10, 14, 20, 1000):
        large = enlarge(small, width=width, d=7)
        assert large.W.shape == (width, 7)
        np.testing.assert_allclose(out(large, signs / np.sqrt(7)), out(small, signs[:, :3] / np.sqrt(3)), rtol=1e-9)
        assert large.norm <= 1.1 * small.norm * np.sqrt(7 / 3)
    wrong = Solution(small.W[:, ::-1], a)
    assert np.abs(out(enlarge(wrong, width=20, d=7), signs) - out(enlarge(small, width=20, d=7), signs)).max() > 0.01


def test_what_cannot_be_built_is_refused():
    description = {"problem": "parity(d=9)", "samples": 10, "seed": 0, "recipe": "trained", "width": 200, "decay": 0.0}
    assert make_built_trial(**description).method == "built(trained)"
    for change, words in (
        ({"width": 100}, f"even width >= {SMALL}"),
        ({"width": 201}, f"even width >= {SMALL}"),
        ({"problem": "parity(d=9, k=3)"}, "2, 4 or 6 coordinates, not of 3"),
        ({"problem": "sec8"}, "not for sec8"),
        ({"recipe": "train"}, "Did you mean 'trained'"),
    ):
        with pytest.raises(InputError, match=words):
            make_built_trial(**{**description, **change})


def test_the_parity_problem():
    problem = problems.get("parity(d=8, k=3)")
    X, Y = problem.sample(50, seed=0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)
    np.testing.assert_allclose(Y[:, 0], 8**1.5 * X[:, 0] * X[:, 1] * X[:, 2])
    assert (problem.outputs, problem.threshold) == (1, 1.0)
    assert not problem.base(X).any()
    for wrong in ("parity(d=3, k=4)", "parity(d=3, k=0)", "parity(d=3.5)"):
        with pytest.raises(InputError):
            problems.get(wrong)
