"""The tangent model is the Jacobian's, and wide networks stay closer to it."""

import jax
import jax.numpy as jnp
import numpy as np

from kernelgap import problems
from kernelgap.networks import two_layer
from kernelgap.theory.lazy import Talk, gates, tangent, two_layer_beside_tangent

PROBLEM = problems.hard(d=5, k=2, alpha=0.3)


def test_the_tangent_is_the_linearisation() -> None:
    params = two_layer.init(jax.random.key(0), inputs=5, outputs=2, width=30, initialisation=Talk())
    x = jnp.asarray(PROBLEM.sample(20, 0)[0], jnp.float32)
    change = {name: 0.1 * jax.random.normal(jax.random.key(1), params[name].shape) for name in ("W", "b1")}
    start = {name: params[name] for name in change}
    value, slope = jax.jvp(lambda w: two_layer.apply({**params, **w}, x), (start,), (change,))
    moved = {**params, **{name: params[name] + change[name] for name in change}}
    np.testing.assert_allclose(tangent(moved, gates(params, x), x), value + slope, rtol=1e-4, atol=1e-5)


def test_wide_is_lazy_and_fast_is_not() -> None:
    narrow, wide = (
        two_layer_beside_tangent(PROBLEM, width=m, samples=40, rates=[1.0], time=30.0, seed=0, held_out=200)
        for m in (20, 1280)
    )
    assert wide.changed[0] < 0.4 * narrow.changed[0]
    assert wide.distance[0] < 0.4 * narrow.distance[0]
    assert wide.moved[0] > 10 * wide.distance[0]


def test_the_start_is_the_talk_s() -> None:
    params = two_layer.init(jax.random.key(0), inputs=50, outputs=4, width=2000, initialisation=Talk())
    np.testing.assert_allclose(np.var(params["A"]), 1.0, rtol=0.1)
    np.testing.assert_allclose(np.var(params["W"]), 2 / 2000, rtol=0.05)
