"""Algorithm 1 against a plain NumPy loop, and its averaged risk against its own definition."""

from typing import Any

import jax
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.errors import InputError
from kernelgap.networks import TheoremStart
from kernelgap.paper.algorithms.algorithm1 import algorithm1
from kernelgap.paper.algorithms.online import STREAM, Online, draw
from kernelgap.problems import Problem

PROBLEM = problems.hard(d=6, k=2, alpha=0.4)
RATES: list[tuple[float, ...]] = [(0.2, 0.05), (0.1, 0.3)]
SEEDS = [0, 5]
START = TheoremStart(sigma_w=0.5, sigma_v=1.2)


def small(problem: Problem = PROBLEM, steps: int = 60, rates: list[tuple[float, ...]] = RATES, **more: Any) -> Online:
    """The same shapes in every test, so that they share one compiled program."""
    return algorithm1(
        problem, width=9, steps=steps, rates=rates, seeds=SEEDS, held_out=700, initialisation=START, **more
    )


def plain(params: dict[str, np.ndarray], X: np.ndarray, Y: np.ndarray, H: np.ndarray, eta_w: float, eta_v: float):
    """Algorithm 1 with its gradients written out, in float64; gives the weights and the squared errors met."""
    W, b1, V, b2, A = (np.array(params[n], dtype=float) for n in ("W", "b1", "V", "b2", "A"))
    errors = []
    for x, y, h in zip(X, Y, H, strict=True):
        before = W @ x + b1
        out1 = A @ np.maximum(before, 0)
        second = V @ out1 + b2
        out = out1 + A @ np.maximum(second, 0)
        errors.append(np.sum((h - out) ** 2))
        to_second = (second > 0) * (A.T @ (y - out))
        to_first = (before > 0) * (A.T @ (y - out + V.T @ to_second))
        W, b1 = W + eta_w * np.outer(to_first, x), b1 + eta_w * to_first
        V, b2 = V + eta_v * np.outer(to_second, out1), b2 + eta_v * to_second
    return {"W": W, "b1": b1, "V": V, "b2": b2}, np.array(errors)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_it_is_the_plain_loop(noise: float) -> None:
    problem = problems.hard(d=6, k=2, alpha=0.4, noise=noise)
    run = small(problem, times=[20])
    for s, seed in enumerate(SEEDS):
        params = networks.resnet.init(jax.random.key(seed), inputs=6, outputs=2, width=9, initialisation=START)
        X, Y = problem.sample(60, [seed, STREAM, 0])
        for r, (eta_w, eta_v) in enumerate(RATES):
            weights, errors = plain(params, X, Y, problem.target(X), eta_w, eta_v)
            np.testing.assert_allclose(run.averaged_risk[s, r], errors.mean(), rtol=1e-4)
            np.testing.assert_allclose(run.passing_risk[s, r], [errors[:20].mean(), errors[20:].mean()], rtol=1e-4)
            for name, weight in weights.items():
                np.testing.assert_allclose(run.trained[name][s, r], weight, rtol=1e-3, atol=1e-4)


def test_held_out_errors_are_those_of_the_network() -> None:
    run = small(times=[0, 10])
    assert run.times.tolist() == [0, 10, 60]
    X, _ = PROBLEM.sample(700, [5, 2])
    params, x = run.params(1, 1), jax.numpy.asarray(X, dtype=np.float32)
    out, out1 = (np.asarray(f(params, x), float) for f in (networks.resnet.apply, networks.resnet.first_output))
    for name, distance in {
        "risk": out - PROBLEM.target(X),
        "base": out1 - PROBLEM.base(X),
        "composite": out - out1 - PROBLEM.composite(X),
    }.items():
        squares = np.sum(distance**2, axis=1)
        np.testing.assert_allclose(run.final(name)[1, 1], squares.mean(), rtol=1e-5)
        np.testing.assert_allclose(run.standard_errors[name][1, 1, -1], squares.std(ddof=1) / 700**0.5, rtol=1e-5)


def test_blocks_continue_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples of several blocks are met once each, in order, wherever errors are taken."""
    monkeypatch.setattr("kernelgap.paper.algorithms.online.BLOCK", 16)
    run = small(steps=40, times=[5, 16, 33])
    samples = [PROBLEM.sample(n, [5, STREAM, block]) for block, n in enumerate((16, 16, 8))]
    X, Y = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    params = networks.resnet.init(jax.random.key(5), inputs=6, outputs=2, width=9, initialisation=START)
    weights, errors = plain(params, X, Y, Y, *RATES[1])
    assert run.ends.tolist() == [5, 16, 32, 33, 40]
    np.testing.assert_allclose(run.averaged_risk[1, 1], errors.mean(), rtol=1e-4)
    np.testing.assert_allclose(run.trained["W"][1, 1], weights["W"], rtol=1e-3, atol=1e-4)


def test_it_ends_once_every_risk_is_low_enough() -> None:
    whole = small(steps=400, times=[50, 100, 200])
    worst = whole.errors["risk"].max(axis=(0, 1))
    assert worst[0] > worst[1] > worst[2] > worst[3]
    run = small(steps=400, times=[50, 100, 200], until=float(worst[:2].mean()))
    assert (run.steps, run.times.tolist(), run.ends.tolist()) == (100, [50, 100], [50, 100])
    np.testing.assert_allclose(run.averaged_risk, whole.passing_risk[..., :2].mean(axis=2), rtol=1e-6)
    assert small(steps=400, times=[50], until=0.0).steps == 400


def test_passes_over_a_sample_meet_each_row_once_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also across blocks: 7 rows, met in 5 whole passes and 5 rows of a sixth."""
    monkeypatch.setattr("kernelgap.paper.algorithms.online.BLOCK", 16)
    problem = problems.hard(d=6, k=2, alpha=0.4, noise=0.2)
    blocks = [draw(problem, SEEDS, block, n, 7) for block, n in enumerate((16, 16, 8))]
    X, Y = problem.sample(7, [5, STREAM, 0])
    met = np.concatenate([b.x[1, :n] for b, n in zip(blocks, (16, 16, 8), strict=True)])
    rows = [int(np.flatnonzero((X.astype(np.float32) == x).all(axis=1))[0]) for x in met]
    assert [sorted(rows[7 * i : 7 * i + 7]) for i in range(5)] == [list(range(7))] * 5
    assert len(set(rows[35:])) == 5
    assert rows[:7] != rows[7:14]
    np.testing.assert_array_equal(blocks[0].y[1], Y[rows[:16]].astype(np.float32))  # the labels keep their noise
    np.testing.assert_allclose(blocks[0].target[1], problem.target(X)[rows[:16]], rtol=1e-6)


def test_with_a_third_rate_the_output_layer_is_trained_too() -> None:
    """Against automatic differentiation over all weights, step by step."""
    run = small(steps=20, rates=[(0.2, 0.05, 0.01), (0.1, 0.3, 0.0)])
    params = networks.resnet.init(jax.random.key(5), inputs=6, outputs=2, width=9, initialisation=START)
    X, Y = PROBLEM.sample(20, [5, STREAM, 0])
    w = {n: np.asarray(v, float) for n, v in params.items()}
    rates = {"W": 0.2, "b1": 0.2, "V": 0.05, "b2": 0.05, "A": 0.01}

    def objective(w: dict[str, Any], x: np.ndarray, y: np.ndarray) -> Any:
        return 0.5 * jax.numpy.sum((y - networks.resnet.apply(w, x[None])[0]) ** 2)

    with jax.enable_x64(True):
        slopes = jax.jit(jax.grad(objective))
        for x, y in zip(X, Y, strict=True):
            w = {n: w[n] - rates[n] * np.asarray(g) for n, g in slopes(w, x, y).items()}
    for name, weight in w.items():
        np.testing.assert_allclose(run.trained[name][1, 0], weight, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(run.trained["A"][1, 1], params["A"])


def test_the_output_layer_stays_and_starts_are_theory_s() -> None:
    run = small()
    params = networks.resnet.init(jax.random.key(5), inputs=6, outputs=2, width=9, initialisation=START)
    np.testing.assert_array_equal(run.frozen["A"][1], params["A"])
    np.testing.assert_array_equal(run.start["W"][1], params["W"])
    assert set(run.trained) == {"W", "b1", "V", "b2"}


def test_an_overflow_is_an_infinite_error() -> None:
    run = small(rates=[(1e4, 1e4), (0.1, 0.1)])
    assert np.isinf([run.averaged_risk[0, 0], run.final()[0, 0]]).all()
    assert np.isfinite([run.averaged_risk[0, 1], run.final()[0, 1]]).all()


def test_mistakes_are_refused() -> None:
    with pytest.raises(InputError, match="at least one step"):
        small(steps=0)
    with pytest.raises(InputError, match="eta_v"):
        small(rates=[(0.1, 0.1), (0.1, -0.1)])
    with pytest.raises(InputError, match="at steps 0 to 60"):
        small(times=[61])
    with pytest.raises(InputError, match="eta_a"):
        small(rates=[(0.1, 0.1, -0.1)])
    with pytest.raises(InputError, match="all of them triples"):
        small(rates=[(0.1, 0.1), (0.1, 0.1, 0.1)])
    with pytest.raises(InputError, match="at least one row"):
        small(samples=0)
