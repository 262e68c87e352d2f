import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap.networks import resnet
from kernelgap.paper.theory.trajectory import Bounds, Trajectory, bounds, watch
from kernelgap.problems import concept2

PROBLEM = concept2(3, 2, 0.2, F="sin(z)", G="z^3", noise=0.1, seed=0)


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return watch(PROBLEM, width=40, steps=12, eta_w=0.1, sigma_w=0.4, sigma_v=1.5, seed=3, checks=3, held_out=5)


def test_it_is_algorithm_1_step_by_step(run: Trajectory) -> None:
    """Again with automatic differentiation of the network in ``networks``, from the same start and samples."""
    X, Y = PROBLEM.sample(12, seed=[3, 0])
    start, built = run.start, run.built
    W, V = start.W0, start.V0
    with jax.enable_x64(True):

        def params(W: jax.Array, V: jax.Array) -> dict[str, jax.Array]:
            return {"W": W[:, :-1], "b1": W[:, -1], "V": V[:, :-1], "b2": V[:, -1], "A": jnp.asarray(start.A)}

        def objective(W: jax.Array, V: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
            return 0.5 * ((y - resnet.apply(params(W, V), x[None])[0]) ** 2).sum()

        @jax.jit
        def at(W: jax.Array, V: jax.Array, x: jax.Array, y: jax.Array) -> tuple[jax.Array, ...]:
            by_w, by_v = jax.grad(objective, argnums=(0, 1))(W, V, x, y)
            outputs = (apply(params(W, V), x[None])[0] for apply in (resnet.apply, resnet.first_output))
            return by_w, by_v, *outputs

        for t in range(12):
            y = Y[t]
            by_w, by_v, out, out1 = (np.asarray(part) for part in at(W, V, X[t], y))
            xi = (by_w * (W - start.W0 - built.W)).sum() + (by_v * (V - start.V0 - built.V)).sum()
            H, F = PROBLEM.target(X[t : t + 1])[0], PROBLEM.base(X[t : t + 1])[0]
            expected = {
                "residual": np.linalg.norm(y - out),
                "distance": np.linalg.norm(H - out),
                "noise": np.linalg.norm(H - y),
                "first_distance": np.linalg.norm(out1 - F),
                "first_output": np.linalg.norm(out1),
                "gradient_w": np.linalg.norm(by_w),
                "gradient_v": np.linalg.norm(by_v),
                "xi": xi,
                "W_norm": np.linalg.norm(W - start.W0),
                "V_norm": np.linalg.norm(V - start.V0),
            }
            for name, value in expected.items():
                assert getattr(run.steps, name)[t] == pytest.approx(float(value), rel=1e-9, abs=1e-12), name
            W, V = W - run.eta_w * by_w, V - run.eta_v * by_v
    np.testing.assert_allclose(run.W, W - start.W0, atol=1e-12)
    np.testing.assert_allclose(run.V, V - start.V0, atol=1e-12)
    assert run.eta_v / run.eta_w == pytest.approx((np.linalg.norm(built.V) / np.linalg.norm(built.W)) ** 2)


def test_both_ways_to_xi_its_bound_and_the_telescoped_sum(run: Trajectory) -> None:
    np.testing.assert_allclose(run.steps.xi, run.steps.xi_by_error, rtol=1e-10, atol=1e-12)
    assert np.all(run.steps.xi >= run.xi_bound - 1e-10)
    before, after = run.telescoped
    assert run.steps.xi.sum() == pytest.approx(run.heart.sum() + before - after, rel=1e-10)


def test_err_is_what_its_definition_says_at_the_start(run: Trajectory) -> None:
    """With W = V = 0: f(W*) and g(V*) written out neuron by neuron."""
    start, built = run.start, run.built
    X, _ = PROBLEM.sample(5, seed=[3, 1])
    squares, clubs, parts, products = [], [], [], []
    for x in X:
        x1 = np.append(x, 1.0)
        gates = start.W0 @ x1 >= 0
        out1 = start.A @ (gates * (start.W0 @ x1))
        z = np.append(out1, 1.0)
        later = start.V0 @ z >= 0
        out = out1 + start.A @ (later * (start.V0 @ z))
        inner = start.A @ (gates * (built.W @ x1))
        club = start.A @ (later * (start.V0 @ np.append(inner, 0.0)))
        change = club + inner + start.A @ (later * (built.V @ z))
        error = change - (PROBLEM.target(x[None])[0] - out)
        squares.append((error**2).sum())
        apart = PROBLEM.target(x[None])[0] - out
        products.append(apart @ change)  # <H - out, f(W*) + g(V*)>
        clubs.append((club**2).sum())
        off = inner - PROBLEM.base(x[None])[0]
        other = start.A @ (later * (built.V @ z)) - 0.2 * PROBLEM.G(out1[None])[0]
        parts.append([(off**2).sum(), (other**2).sum(), (out1**2).sum(), ((out - out1) ** 2).sum()])
    assert run.held.error[0] == pytest.approx(np.mean(squares))
    assert run.held.club[0] == pytest.approx(np.mean(clubs))
    assert run.held.one_point[0] == pytest.approx(np.mean(products))
    seen = (run.held.built_first, run.held.built_second, run.held.first_leak, run.held.second_leak)
    np.testing.assert_allclose([series[0] for series in seen], np.mean(parts, axis=0), rtol=1e-9)
    assert run.times == [0, 4, 8, 12]


def test_what_the_bounds_are_made_of(run: Trajectory) -> None:
    made, wide = (bounds(PROBLEM, run, 0.01, 0, built=built) for built in (False, True))
    assert made.tau_w == max(1.0, run.steps.W_norm.max())  # the other end, m^0.126 sigma_w, is below 1
    m, k = run.start.width, len(run.start.A)
    assert made.tau_v == pytest.approx(max(run.start.sigma_v * (k / m) ** 0.375, run.steps.V_norm.max()))
    # a sum of m squares is off by m eps at most, in whatever order
    rounding = run.built.W.size * np.finfo(float).eps
    assert wide.tau_w >= 10 * np.linalg.norm(run.built.W) * (1 - rounding)
    assert wide.tau_v >= 10 * np.linalg.norm(run.built.V) * (1 - rounding)
    X, _ = PROBLEM.sample(500, seed=[0, 2])
    F = PROBLEM.F(X)
    assert abs(made.B_F - np.linalg.norm(F, axis=1).max()) < 1e-12
    steps = 1e-6 * np.random.default_rng(0).standard_normal(F.shape)
    rates = np.linalg.norm(PROBLEM.G(F + steps) - PROBLEM.G(F), axis=1) / np.linalg.norm(steps, axis=1)
    assert 0.5 * made.L_G < rates.max() <= made.L_G * (1 + 1e-4)


def test_the_bounds_are_those_printed() -> None:
    made = Bounds(alpha=0.1, alpha_tilde=0.05, sigma_v=3.0, tau_w=7.0, tau_v=0.2, L_G=2.0, B_F=1.5, B_FG=0.5)
    assert made.gradients() == (4.0, 8.0)
    floor = 0.05**2 + 0.2**2 * 2.5 + 0.1 * 0.2 * 2 * 2.5
    assert made.error(np.array([0.3]))[0] == pytest.approx(0.4**2 * 0.3 + floor**2)
    assert made.first_output() == pytest.approx(0.2 * 2.5 + 0.1 * 0.5)
    assert math.isfinite(made.first_output())
