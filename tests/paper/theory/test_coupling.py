import itertools
import math

import numpy as np
import pytest

from kernelgap.paper.theory.coupling import (
    best_flips,
    first_layer,
    flipped,
    half_sphere,
    leak,
    matrix_leak,
    most_flips,
    push,
    random_matrix,
    second_layer,
    second_layer_over,
    second_parts,
    spectral,
    turning,
)
from kernelgap.paper.theory.start import Start, forward, with_one


def _start(rng: np.random.Generator, m: int, d: int = 3, k: int = 2) -> Start:
    return Start.draw(rng, d=d, k=k, m=m, sigma_w=0.5, sigma_v=2.0)


def test_the_most_flips_by_trying_every_set(rng: np.random.Generator) -> None:
    g = rng.standard_normal(9)
    for budget in (0.1, 0.7, 1.5, 10.0):
        sets = (s for n in range(10) for s in itertools.combinations(range(9), n))
        most = max(len(s) for s in sets if sum(g[j] ** 2 for j in s) <= budget**2)
        assert most_flips(g, budget) == most


def test_the_best_flips_are_within_one_neuron_of_the_best_set(rng: np.random.Generator) -> None:
    for _ in range(20):
        g, gain = rng.standard_normal((2, 10))
        budget = 1.2
        sets = (list(s) for n in range(11) for s in itertools.combinations(range(10), n))
        best = max(gain[s].sum() for s in sets if (g[s] ** 2).sum() <= budget**2)
        chosen = best_flips(gain, g, budget)
        assert (g[chosen] ** 2).sum() <= budget**2
        assert best - gain.max() <= gain[chosen].sum() <= best + 1e-12
        assert flipped(g, turning(chosen, g)) == chosen.sum()


def test_what_is_called_worst_is_done_by_a_matrix_within_the_norm(rng: np.random.Generator) -> None:
    """The rank-one W of the found u, put into the network itself."""
    start = _start(rng, 400)
    x1 = with_one(rng.standard_normal((1, 3)))
    tau, g = 0.8, start.W0 @ x1[0]
    budget = tau * float(np.linalg.norm(x1))
    v = np.array([1.0, 0.0])
    for u in (leak(start.A, g, budget, v), push(start.A, g, budget, v)):
        W = np.outer(u, x1[0]) / (x1[0] @ x1[0])
        assert np.linalg.norm(W, 2) <= tau * (1 + 1e-6)
        done = forward(start.A, start.W0 + W, start.V0, x1)
        np.testing.assert_array_equal(done.first_gates[0], g + u >= 0)
        np.testing.assert_allclose(done.first_output[0], start.A @ np.maximum(g + u, 0), atol=1e-12)


def test_no_random_matrix_does_more_than_the_worst_found(rng: np.random.Generator) -> None:
    start = _start(rng, 300)
    x1 = with_one(rng.standard_normal((1, 3)))[0]
    z = np.array([0.3, -0.4, 1.0])
    first, second = first_layer(start, x1, 1.0, rng), second_layer(start, z, 0.3, rng)
    unit = z / np.linalg.norm(z)
    for _ in range(50):
        u = random_matrix(start.W0.shape, 1.0, rng) @ x1
        g = start.W0 @ x1
        assert flipped(g, u) <= first.flips
        assert np.linalg.norm(start.A @ ((g + u >= 0) * g)) <= first.leak
        assert np.linalg.norm(start.A @ np.maximum(g + u, 0)) <= first.first_output <= first.ceiling
        u, g = random_matrix(start.V0.shape, 0.3, rng) @ unit, start.V0 @ unit
        assert flipped(g, u) <= second.flips
        assert spectral((start.A * (g + u >= 0)) @ start.V0) <= second.matrix_leak
        assert np.linalg.norm(start.A @ np.maximum(g + u, 0)) <= second.output <= second.ceiling


def test_the_worst_of_the_directions_is_no_less_than_any(rng: np.random.Generator) -> None:
    start = _start(rng, 200)
    directions = half_sphere(6)
    over = second_layer_over(start, directions, 0.3, np.random.default_rng(1))
    each_rng = np.random.default_rng(1)
    each = [second_layer(start, z, 0.3, each_rng) for z in directions]
    for name in ("flips", "leak", "matrix_leak", "ceiling", "random_leak"):
        assert getattr(over, name) == max(getattr(one, name) for one in each)
    assert second_parts(over) == {"d": over.flips, "e": over.leak, "f": over.matrix_leak, "g": over.ceiling}
    assert second_parts(over, worst=False)["f"] == over.random_matrix_leak


def test_the_grid_of_directions_is_even_over_the_half_sphere() -> None:
    grid = half_sphere(2000)
    np.testing.assert_allclose(np.linalg.norm(grid, axis=1), 1)
    assert (grid[:, 2] > 0).all()
    # uniform on the upper half: means (0, 0, 1/2), squares 1/3 each
    np.testing.assert_allclose(grid.mean(axis=0), [0, 0, 0.5], atol=2e-3)
    np.testing.assert_allclose((grid**2).mean(axis=0), 1 / 3, atol=2e-3)


def test_part_f_grows_as_the_two_thirds_power_of_tau() -> None:
    """Flipped rows enter A D V(0) whole: tau^(2/3), where the proof of (e) would give tau^(4/3)."""
    sizes = []
    for tau in (0.02, 0.16):
        rng = np.random.default_rng(0)
        start = Start.draw(rng, d=3, k=2, m=30_000, sigma_w=1.0, sigma_v=1.0)
        z = np.array([0.5, 0.5, 1.0]) / math.sqrt(1.5)
        u = matrix_leak(start.A, start.V0, z, tau)
        V = np.outer(u, z)
        assert np.linalg.norm(V, 2) <= tau * (1 + 1e-6)
        gates = (start.V0 + V) @ z >= 0
        sizes.append(np.linalg.norm((start.A * gates) @ start.V0, 2))
    assert math.log(sizes[1] / sizes[0]) / math.log(8) == pytest.approx(2 / 3, abs=0.08)


def test_spectral_norm(rng: np.random.Generator) -> None:
    M = rng.standard_normal((4, 9))
    assert spectral(M) == pytest.approx(np.linalg.norm(M, 2))
    assert spectral(M.T) == pytest.approx(np.linalg.norm(M, 2))
