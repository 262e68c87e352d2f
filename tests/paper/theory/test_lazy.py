"""The tangent model is the Jacobian's, and wide networks stay closer to it."""

import jax
import jax.numpy as jnp
import numpy as np

from kernelgap import problems
from kernelgap.networks import two_layer
from kernelgap.paper.theory.lazy import Talk, gates, tangent, two_layer_beside_tangent

PROBLEM = problems.hard(d=5, k=2, alpha=0.3)


def test_the_tangent_is_the_linearisation() -> None:
    rng = np.random.default_rng(0)
    params = {n: rng.standard_normal(w.shape, np.float32) for n, w in two_layer.weights(5, 2, 30).items()}
    x = jnp.asarray(PROBLEM.sample(20, 0)[0], jnp.float32)
    change = {name: rng.standard_normal(params[name].shape, np.float32) for name in ("W", "b1")}
    start = {name: params[name] for name in change}
    value, slope = jax.jvp(lambda w: two_layer.apply({**params, **w}, x), (start,), (change,))
    moved = {**params, **{name: params[name] + change[name] for name in change}}
    np.testing.assert_allclose(tangent(moved, gates(params, x), x), value + slope, rtol=1e-4, atol=1e-4)


def test_wide_is_lazy_and_fast_is_not() -> None:
    narrow, wide = (
        two_layer_beside_tangent(PROBLEM, width=m, samples=40, rates=[1.0], time=30.0, seed=0, held_out=200)
        for m in (20, 1280)
    )
    assert wide.changed[0] < 0.4 * narrow.changed[0]
    assert wide.distance[0] < 0.4 * narrow.distance[0]
    assert wide.moved[0] > 10 * wide.distance[0]


def test_the_start_is_the_talk_s() -> None:
    np.testing.assert_allclose([Talk().std("output", 2000), Talk().std("first", 2000) ** 2], [1.0, 2 / 2000])
