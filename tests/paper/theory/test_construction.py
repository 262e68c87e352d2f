import doctest
import math
from pathlib import Path

import numpy as np
import pytest

from kernelgap.paper.theory import indicator as indicator_module
from kernelgap.paper.theory.construction import as_general, build, expected_square, gated, indicator, solution
from kernelgap.paper.theory.start import Start, forward, with_one
from kernelgap.problems import concept1, concept2


def test_weights_are_those_of_the_formula_neuron_by_neuron(rng: np.random.Generator) -> None:
    F = concept2(d=3, k=2, alpha=0.1, pF=2, F=["sin(z)", "z^3 - z"], seed=1).F
    start = Start.draw(rng, d=3, k=2, m=7, sigma_w=0.3, sigma_v=1.0)
    W = build(as_general(F), start.A, start.W0, 0.3)
    for j in range(7):
        row = np.zeros(4)
        for r in range(2):
            for i in range(2):
                h = indicator(F.activations[r][i])
                z = np.array(start.W0[j] @ as_general(F).w1[r, i] / 0.3)
                row += start.A[r, j] * F.a[r, i] * float(h(z)) * as_general(F).w2[r, i]
        np.testing.assert_allclose(W[j], row, rtol=1e-12)


@pytest.mark.parametrize(
    "F",
    [
        concept2(d=4, k=2, alpha=0.1, pF=2, F=["sin(z)", "tanh(z)"], seed=0).F,
        concept1(d=4, k=2, alpha=0.1, pF=2, F=["z^2 + z", "cos(z)"], seed=0).F,  # Lemma A.2 on the way
    ],
)
def test_wide_frozen_gates_compute_the_function(F: object, rng: np.random.Generator) -> None:
    """The mean over many starts: nothing of the formula is used but that it should be F."""
    x = rng.standard_normal((3, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    outputs = []
    for _ in range(40):
        start = Start.draw(rng, d=4, k=2, m=4000, sigma_w=0.2, sigma_v=1.0)
        W = build(as_general(F), start.A, start.W0, 0.2)
        outputs.append(gated(start.A, start.W0, W, with_one(x)))
    mean, error = np.mean(outputs, axis=0), np.std(outputs, axis=0) / math.sqrt(len(outputs))
    assert np.all(np.abs(mean - F(x)) < 4.5 * error)
    assert error.max() < 0.05


def test_the_error_expected_is_the_error_drawn(rng: np.random.Generator) -> None:
    F = as_general(concept2(d=3, k=2, alpha=0.1, F="sin(2z)", seed=3).F)
    x1 = np.array([0.3, -0.4, 0.2, 1.0])
    squares = []
    for _ in range(400):
        start = Start.draw(rng, d=3, k=2, m=500, sigma_w=1.0, sigma_v=1.0)
        W = build(F, start.A, start.W0, 1.0)
        squares.append(float(((gated(start.A, start.W0, W, x1[None]) - F(x1[None, :-1])) ** 2).sum()))
    assert np.mean(squares) == pytest.approx(expected_square(F, x1, 500), rel=0.25)


def test_the_solution_serves_both_blocks(rng: np.random.Generator) -> None:
    problem = concept2(d=3, k=2, alpha=0.2, F="sin(z)", G="z^3", seed=2)
    start = Start.draw(rng, d=3, k=2, m=40_000, sigma_w=0.1, sigma_v=3.0)
    made = solution(start, problem.F, problem.G, problem.alpha)
    X, _ = problem.sample(5, seed=0)
    np.testing.assert_allclose(gated(start.A, start.W0, made.W, with_one(X)), problem.F(X), atol=0.12)
    z = rng.standard_normal((5, 2))
    np.testing.assert_allclose(gated(start.A, start.V0, made.V, with_one(z)), 0.2 * problem.G(z), atol=0.12)
    wrong = gated(start.A, start.W0, -made.W, with_one(X))
    assert np.abs(wrong - problem.F(X)).max() > 0.5
    assert np.linalg.norm(made.V) < np.linalg.norm(made.W)


def test_a_pass_is_the_network(rng: np.random.Generator) -> None:
    start = Start.draw(rng, d=3, k=2, m=11, sigma_w=1.0, sigma_v=1.0)
    x = rng.standard_normal((4, 3))
    done = forward(start.A, start.W0, start.V0, with_one(x))
    for n in range(4):
        out1 = start.A @ np.maximum(start.W0[:, :3] @ x[n] + start.W0[:, 3], 0)
        out = out1 + start.A @ np.maximum(start.V0[:, :2] @ out1 + start.V0[:, 2], 0)
        np.testing.assert_allclose(done.first_output[n], out1, atol=1e-12)
        np.testing.assert_allclose(done.output[n], out, atol=1e-12)


def test_the_page_runs() -> None:
    page = Path(__file__).parents[3] / "docs" / "construction.md"
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0


def test_docstrings() -> None:
    results = doctest.testmod(indicator_module)
    assert results.attempted > 0
    assert results.failed == 0
