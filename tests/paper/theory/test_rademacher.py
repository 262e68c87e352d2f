"""The supremum over all W against random W and against a grid of directions; the bounds' own arithmetic."""

import math

import numpy as np
import pytest

from kernelgap.paper.theory import rademacher
from kernelgap.paper.theory.rademacher import best_direction, complexity_from_below, printed_bound, samples_for


def best_on_grid(X: np.ndarray, signs: np.ndarray) -> tuple[float, np.ndarray]:
    """In the plane: every direction, a third of a milliradian apart."""
    angles = np.linspace(0, 2 * np.pi, 20_001)
    U = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    values = np.maximum(U @ X.T, 0.0) @ signs / len(X)
    return max(0.0, float(values.max())), U[int(values.argmax())]


def test_the_best_direction_in_the_plane_is_mostly_that_of_a_grid() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((15, 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    shares = []
    for _ in range(20):
        signs = rng.choice((-1.0, 1.0), size=15)
        grid, _ = best_on_grid(X, signs)
        found, u = best_direction(X, signs, rng, starts=20)
        assert found <= grid * (1 + 1e-6) + 1e-12
        if grid > 0:
            shares.append(found / grid)
        assert found == pytest.approx(max(0.0, float(np.maximum(X @ u, 0.0) @ signs / 15)))
    assert np.median(shares) > 0.99  # now and then a search ends at a lower maximum


def test_no_weights_of_that_norm_do_better_and_some_do_as_well() -> None:
    rng = np.random.default_rng(1)
    m, norm = 6, 2.5
    X = rng.standard_normal((10, 2))
    a = np.repeat([1.0, -1.0], m // 2) / math.sqrt(m)
    signs = rng.choice((-1.0, 1.0), size=10)
    (up, u), (down, v) = (best_on_grid(X, side * signs) for side in (1.0, -1.0))
    supremum = norm * math.sqrt((up**2 + down**2) / 2)

    def value(W: np.ndarray) -> float:
        return float(signs @ (np.maximum(X @ W.T, 0.0) @ a) / 10)

    W = np.vstack([np.tile(up * u, (m // 2, 1)), np.tile(down * v, (m // 2, 1))])
    assert value(norm * W / np.linalg.norm(W)) == pytest.approx(supremum)
    for _ in range(3000):
        W = rng.standard_normal((m, 2))
        assert value(norm * W / np.linalg.norm(W)) <= supremum * (1 + 1e-6)


def test_the_complexity_is_below_the_printed_bound_and_not_far_below() -> None:
    rng = np.random.default_rng(2)
    X = rng.choice((-1.0, 1.0), size=(500, 10)) / math.sqrt(10)
    found = complexity_from_below(X, 3.0, rng)
    assert 0.2 * printed_bound(3.0, 500) < found.mean() < printed_bound(3.0, 500)


def test_samples_for_an_error_are_those_at_which_the_bound_reaches_it() -> None:
    norm = 9.7 * math.sqrt(40)
    for level in (0.3, 1.0):
        n = samples_for(level, 0.12, norm)
        at, before = (rademacher.test_error_bound(0.12, printed_bound(norm, each), each) for each in (n, n - 1))
        assert at <= level < before
    assert printed_bound(norm, 5000) == pytest.approx(1.735, abs=1e-3)
