"""Witnesses against the loss itself; best risks against least squares, target by target."""

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.certificates import any_kernel
from kernelgap.paper.theory.convex_circuits import Circuit, best_risks, cube, excess, witness


def loss(circuit: Circuit, W: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    return float(np.sum((circuit(W, x) - y) ** 2))


def test_labels_show_that_the_loss_is_not_convex() -> None:
    rng = np.random.default_rng(0)

    def circuit(W: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.array([W[0] * W[1] * x[0], np.maximum(W @ x, 0.0)])

    for _ in range(100):
        W1, W2, x = rng.standard_normal((3, 2))
        seen = witness(circuit, W1, W2, x)
        middle = loss(circuit, (W1 + W2) / 2, x, seen.y)
        ends = (loss(circuit, W1, x, seen.y) + loss(circuit, W2, x, seen.y)) / 2
        assert seen.excess == pytest.approx(middle - ends)
        assert middle > ends


def test_an_affine_circuit_has_none_and_its_loss_is_convex_for_labels_of_any_size() -> None:
    rng = np.random.default_rng(1)
    A, b = rng.standard_normal((3, 4)), rng.standard_normal(3)

    def circuit(W: np.ndarray, x: np.ndarray) -> np.ndarray:
        return A @ W * x[0] + b

    for size in (1.0, 1e3):
        W1, W2, x = rng.standard_normal((3, 4))
        seen = witness(circuit, W1, W2, x)
        assert seen.relative_gap < 1e-15
        y = size * rng.standard_normal(3)
        one, two, mid = (circuit(W, x) for W in (W1, W2, (W1 + W2) / 2))
        assert excess(one, two, mid, y) <= 1e-9 * size
    assert witness(lambda W, x: np.zeros(2), W1, W2, x).relative_gap == 0.0


def test_best_risks_are_those_of_least_squares_and_not_under_the_floor() -> None:
    d, k, D, alpha = 5, 2, 4, 0.3
    rng = np.random.default_rng(2)
    constant, functions = rng.standard_normal((2**d, k)), rng.standard_normal((2**d, k, D))
    functions[:, 0, 0] = cube(d)[:, 0]
    risks = best_risks(constant, functions, d, alpha)
    assert len(risks) == 10
    signs = cube(d)
    H = signs[:, :2] + alpha * signs[:, :2].prod(axis=1, keepdims=True)
    rest = np.linalg.lstsq(functions.reshape(-1, D), (H - constant).reshape(-1), rcond=None)[1]
    assert risks[0] == pytest.approx(float(rest[0]) / 2**d)
    assert risks.mean() >= any_kernel(problems.hard(d=d, k=k, alpha=alpha), D + 1).mean_risk
