"""Plain online SGD: its gradients against automatic differentiation, and the samples that it needs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.paper.theory.plain_sgd import OUTPUT_SHARE, RUNG, PlainSgd, TwoLayer

D, WIDTH = 6, 5
TRAINER = PlainSgd(width=16, most=8000)
PROBLEM = problems.leaps(d=6, leap=1, degree=2)
LEVEL = 0.25 * PROBLEM.threshold


def as_params(network: TwoLayer) -> dict:
    # copies: a step works in place
    return {"W": jnp.array(network.W), "b1": jnp.array(network.b), "A": jnp.array(network.A[None])}


def sample(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.choice([-1.0, 1.0], (n, D)).astype(np.float32), rng.standard_normal(n).astype(np.float32)


def test_a_step_is_that_of_automatic_differentiation() -> None:
    network, rate = TwoLayer.at_start(D, WIDTH, seed=1), 0.3
    X, y = sample(8)
    before = as_params(network)
    loss = jax.grad(lambda w: jnp.mean((networks.get("2layer").apply(w, jnp.asarray(X))[:, 0] - y) ** 2) / 2)
    gradient = loss(before)
    network.step(X, y, rate)
    assert np.allclose(network.W, before["W"] - rate * gradient["W"], atol=1e-6)
    assert np.allclose(network.b, before["b1"] - rate * gradient["b1"], atol=1e-6)
    assert np.allclose(network.A, (before["A"] - OUTPUT_SHARE * rate * gradient["A"])[0], atol=1e-6)
    assert not np.allclose(network.W, before["W"], atol=1e-3)


def test_tangent_features_are_gradients() -> None:
    network = TwoLayer.at_start(D, WIDTH, seed=2)
    X, _ = sample(7)
    at_each = jax.vmap(jax.grad(lambda w, x: networks.get("2layer").apply(w, x[None])[0, 0]), in_axes=(None, 0))
    gradients = at_each(as_params(network), jnp.asarray(X))
    flat = np.concatenate([np.asarray(gradients[name]).reshape(7, -1) for name in ("W", "b1", "A")], axis=1)
    assert np.allclose(network.tangent_features(X), flat, atol=1e-6)


def test_a_start_has_the_scale_of_its_inputs() -> None:
    network = TwoLayer.at_start(100, 400, seed=0)
    assert network.W.std() == pytest.approx(0.1, rel=0.05)
    assert network.A.std() == pytest.approx(0.05, rel=0.15)


def test_a_lower_risk_needs_more_samples_and_too_few_samples_are_none() -> None:
    easy, hard = (TRAINER.needed(PROBLEM, level, 0.25, range(3)) for level in (0.6, LEVEL))
    assert all(a is not None and b is not None and a < b for a, b in zip(easy, hard, strict=True))
    few = PlainSgd(width=16, most=200).needed(PROBLEM, LEVEL, 0.25, range(3))
    assert few == [None, None, None]


def test_a_rate_that_diverges_learns_nothing() -> None:
    assert TRAINER.needed(PROBLEM, LEVEL, 1e4, range(2)) == [None, None]
    assert TRAINER.tuned_rate(PROBLEM, LEVEL, range(2), first=1e4) is None


def test_the_tuned_rate_is_better_than_its_neighbours_wherever_the_climb_begins() -> None:
    seeds = range(4)

    def score(rate: float) -> float:
        return float(np.mean([np.log(n or np.inf) for n in TRAINER.needed(PROBLEM, LEVEL, rate, seeds)]))

    for first in (0.03125, 0.25):
        rate = TRAINER.tuned_rate(PROBLEM, LEVEL, seeds, first)
        assert rate is not None
        assert score(rate) <= min(score(rate / RUNG), score(rate * RUNG))
