"""Noisy steps: their noise has the stated covariance, and without noise and decay they are plain SGD."""

from dataclasses import asdict

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.errors import InputError
from kernelgap.paper.algorithms.noisy import Noisy, NoisyDescent, noisy
from kernelgap.paper.algorithms.online import Descent
from kernelgap.training.modes import Layers

PROBLEM = problems.hard(d=5, k=2, alpha=0.3)
MODEL = Layers(networks.resnet_full, with_output=False)


BATCH, DRAWS, WIDTH = 3, 8000, 4
rng = np.random.default_rng(0)
WEIGHTS = networks.resnet_full.weights(5, 2, WIDTH)
TRAINED, FROZEN = MODEL.split({n: 0.5 * rng.standard_normal(w.shape, np.float32) for n, w in WEIGHTS.items()})


@jax.jit
def steps(setting: dict[str, jax.Array], x: jax.Array, y: jax.Array, keys: jax.Array):
    """The same noisy step with each of the keys, and the step without noise and decay."""
    noisily = jax.vmap(lambda key: NoisyDescent(BATCH).update(MODEL, TRAINED, FROZEN, setting, x, y, key)[0])(keys)
    rates = dict.fromkeys(TRAINED, setting["rate"])
    return noisily, Descent(BATCH).update(MODEL, TRAINED, FROZEN, rates, x, y, keys[0])[0]


def stepped(setting: Noisy):
    x, y = (jnp.asarray(a, jnp.float32) for a in PROBLEM.sample(BATCH, seed=1))
    numbers = {name: jnp.asarray(value, jnp.float32) for name, value in asdict(setting).items()}
    return np.asarray(x), *steps(numbers, x, y, jax.random.split(jax.random.key(3), DRAWS))


def test_the_noise_has_the_stated_covariance() -> None:
    x, new, plain = stepped(Noisy(rate=0.5, decay_w=0, decay_v=0))
    hidden = np.maximum(x @ TRAINED["W"].T + TRAINED["b1"], 0)
    for names, inputs in ((("W", "b1"), x), (("U", "b2"), hidden)):
        stated = np.hstack([inputs, np.ones((BATCH, 1))])
        stated = stated.T @ stated / BATCH
        kicks = np.concatenate([np.asarray(new[n] - plain[n]).reshape(DRAWS, WIDTH, -1) / 0.5 for n in names], axis=2)
        rows = kicks.reshape(-1, kicks.shape[2])
        np.testing.assert_allclose(rows.T @ rows / len(rows), stated, atol=0.04)
        between = np.einsum("sa,sb->ab", kicks[:, 0], kicks[:, 1]) / DRAWS
        np.testing.assert_allclose(between, 0, atol=0.06)


def test_without_noise_it_is_sgd_with_decay() -> None:
    _, new, plain = stepped(Noisy(rate=0.5, decay_w=0.2, decay_v=0.4, noise=0))
    for name, decay in {"W": 0.2, "b1": 0.2, "U": 0.4, "b2": 0.4}.items():
        np.testing.assert_allclose(new[name][0], plain[name] - 0.5 * decay * TRAINED[name], rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_noise_keeps_the_weights_moving() -> None:
    quiet, loud = (Noisy(rate=0.05, decay_w=0.01, decay_v=0.01, noise=n) for n in (0.0, 1.0))
    run = noisy(PROBLEM, width=12, steps=400, settings=[quiet, loud], seeds=[0], batch=4)
    assert run.final()[0, 0] < 0.5 * run.final()[0, 1] < np.inf
    assert run.trained["U"].shape == (1, 2, 12, 12)


def test_negative_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="decay_v"):
        Noisy(rate=0.1, decay_w=0.1, decay_v=-0.1)
