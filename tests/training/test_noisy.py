"""Noisy steps: their noise has the stated covariance, and without noise and decay they are plain SGD."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.errors import InputError
from kernelgap.training.modes import Layers
from kernelgap.training.noisy import Noisy, NoisyDescent, noisy
from kernelgap.training.online import Descent

PROBLEM = problems.hard(d=5, k=2, alpha=0.3)
MODEL = Layers(networks.resnet_full, with_output=False)


def one_step(setting: Noisy, keys: jax.Array, batch: int = 3):
    """The same step with each of the keys."""
    params = networks.resnet_full.init(jax.random.key(0), inputs=5, outputs=2, width=4)
    trained, frozen = MODEL.split(params)
    x, y = (jnp.asarray(a, jnp.float32) for a in PROBLEM.sample(batch, seed=1))
    own = {"rate": setting.rate, "decay_w": setting.decay_w, "decay_v": setting.decay_v, "noise": setting.noise}
    own = {name: jnp.asarray(v, jnp.float32) for name, v in own.items()}
    step = jax.jit(jax.vmap(lambda k: NoisyDescent(batch).update(MODEL, trained, frozen, own, x, y, k)[0]))
    new = step(keys)
    plain, _ = Descent(batch).update(MODEL, trained, frozen, dict.fromkeys(trained, own["rate"]), x, y, keys[0])
    return trained, x, new, plain


def test_the_noise_has_the_stated_covariance() -> None:
    keys = jax.random.split(jax.random.key(3), 20_000)
    trained, x, new, plain = one_step(Noisy(rate=0.5, decay_w=0, decay_v=0), keys)
    hidden = np.maximum(x @ trained["W"].T + trained["b1"], 0)
    for names, inputs in ((("W", "b1"), x), (("U", "b2"), hidden)):
        stated = np.hstack([inputs, np.ones((3, 1))])
        stated = stated.T @ stated / 3
        kicks = np.concatenate([np.asarray(new[n] - plain[n]).reshape(len(keys), 4, -1) / 0.5 for n in names], axis=2)
        rows = kicks.reshape(-1, kicks.shape[2])
        np.testing.assert_allclose(rows.T @ rows / len(rows), stated, atol=0.02)
        between = np.einsum("sa,sb->ab", kicks[:, 0], kicks[:, 1]) / len(keys)
        np.testing.assert_allclose(between, 0, atol=0.03)


def test_without_noise_it_is_sgd_with_decay() -> None:
    trained, _, new, plain = one_step(
        Noisy(rate=0.5, decay_w=0.2, decay_v=0.4, noise=0), jax.random.split(jax.random.key(0), 1)
    )
    for name, decay in {"W": 0.2, "b1": 0.2, "U": 0.4, "b2": 0.4}.items():
        np.testing.assert_allclose(new[name][0], plain[name] - 0.5 * decay * trained[name], rtol=1e-5, atol=1e-6)


def test_noise_keeps_the_weights_moving() -> None:
    quiet, loud = (Noisy(rate=0.05, decay_w=0.01, decay_v=0.01, noise=n) for n in (0.0, 1.0))
    run = noisy(PROBLEM, width=12, steps=400, settings=[quiet, loud], seeds=[0], batch=4)
    assert run.final()[0, 0] < 0.5 * run.final()[0, 1] < np.inf
    assert run.trained["U"].shape == (1, 2, 12, 12)


def test_negative_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="decay_v"):
        Noisy(rate=0.1, decay_w=0.1, decay_v=-0.1)
