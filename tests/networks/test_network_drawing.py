"""Weights are drawn by few compiled programs, and are what one program for their shape would draw."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap.networks.network import MOST_SHARED, SHARED, Weight, _draw, _drawn

SHAPES = [(1,), (20, 30), (1024,), (33, 31), (500, 500)]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_weight_is_drawn_as_by_a_program_of_its_own(shape):
    key = jax.random.key(7)
    drawn = _draw(key, (("W", Weight(shape, "first"), 0.25),))["W"]
    (own,) = jax.random.split(key, 1)
    alone = jax.jit(lambda k: 0.25 * jax.random.normal(k, shape, jnp.float32))(own)
    assert drawn.dtype == jnp.float32
    np.testing.assert_allclose(drawn, alone, rtol=4 * np.finfo(np.float32).eps)  # other programs, other last digits


def test_shapes_share_programs():
    _drawn.clear_cache()
    table = tuple((f"W{i}", Weight((i, 30), "first"), 1.0) for i in range(1, 30))
    _draw(jax.random.key(0), table)
    assert _drawn._cache_size() == 1
    assert SHARED[0] >= 29 * 30
    assert max(SHARED) == MOST_SHARED
