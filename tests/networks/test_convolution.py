"""Compiled convolutions against XLA's, in all their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from kernelgap import native
from kernelgap.networks.convolution import convolve

# height, width, channels before and after, images
SHAPES = [(5, 7, 3, 16, 2), (8, 8, 1, 5, 3), (7, 9, 17, 33, 2), (32, 32, 16, 16, 2), (9, 6, 40, 50, 2), (1, 2, 3, 4, 1)]
UNIT = float(np.finfo(np.float32).eps)

compiled = pytest.mark.skipif(native._compiler() is None, reason="there is no compiler here")


def reference(x, filters, stride):
    """In whatever precision the arrays have."""
    around = ((1, 1), (1, 1))
    return lax.conv_general_dilated(x, filters, (stride, stride), around, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def arrays(shape, stride, seed=0):
    height, width, before, after, n = shape
    sizes = (n, height, width, before), (3, 3, before, after), (n, -(-height // stride), -(-width // stride), after)
    rng = np.random.default_rng(seed)
    return [jnp.asarray(rng.normal(size=size), jnp.float32) for size in sizes]


def check(made, expected, sizes, terms):
    """Within the rounding errors of a sum of so many terms; ``sizes`` is the sum of their absolute values."""
    assert made.dtype == jnp.float32
    assert made.shape == expected.shape
    assert np.all(
        np.abs(np.asarray(made, float) - np.asarray(expected, float)) <= (terms + 2) * UNIT * np.asarray(sizes)
    )


def derivatives(f, x, filters, g):
    y, back = jax.vjp(f, x, filters)
    return y, *back(g)


def uses_loops(f, *args):
    return "kernelgap_convolution" in str(jax.make_jaxpr(f)(*args))


@compiled
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize(("shape", "jit"), [*((shape, True) for shape in SHAPES), (SHAPES[0], False)], ids=str)
def test_agrees_with_exact_convolutions(shape, stride, jit):
    x, filters, g = arrays(shape, stride)
    f = jax.jit(lambda x, w: convolve(x, w, stride)) if jit else lambda x, w: convolve(x, w, stride)
    ours = derivatives(f, x, filters, g)
    assert uses_loops(f, x, filters)
    exact = [np.asarray(a, float) for a in (x, filters, g)]
    with jax.enable_x64(True):
        wide = [jnp.asarray(a) for a in exact]
        expected = derivatives(lambda x, w: reference(x, w, stride), *wide)
        sizes = derivatives(lambda x, w: reference(x, w, stride), *map(jnp.abs, wide))
        terms = 9 * shape[2], 9 * shape[3], g.size // shape[3]
        for made, right, size, count in zip(ours, expected, sizes, terms, strict=True):
            check(made, right, size, count)


@compiled
def test_a_wrong_convolution_is_noticed():
    x, filters, _ = arrays(SHAPES[0], 1)
    sizes = reference(jnp.abs(x), jnp.abs(filters), 1)
    check(convolve(x, filters, 1), reference(x, filters, 1), 2 * sizes, 27)
    with pytest.raises(AssertionError):
        check(convolve(x, filters.at[0, 0, 0].add(1e-3), 1), reference(x, filters, 1), 2 * sizes, 27)


@compiled
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("axes", [(0, None), (3, None), (None, 0), (0, 0)], ids=str)
def test_batches_of_images_and_of_filters(axes, stride):
    rng = np.random.default_rng(0)
    sizes = (2, 5, 6, 3), (3, 3, 3, 4)
    batched = [
        size if axis is None else (*size[:axis], 3, *size[axis:]) for size, axis in zip(sizes, axes, strict=True)
    ]
    x, filters = (jnp.asarray(rng.normal(size=size), jnp.float32) for size in batched)

    def gradients(f):
        def of_one(x, w):
            y, back = jax.vjp(lambda x, w: f(x, w, stride), x, w)
            return y, back(jnp.cos(y))

        return jax.tree.leaves(jax.jit(jax.vmap(of_one, axes))(x, filters))

    for made, expected in zip(gradients(convolve), gradients(reference), strict=True):
        np.testing.assert_allclose(made, expected, rtol=1e-4, atol=1e-4)


@compiled
@pytest.mark.parametrize("stride", [1, 2])
def test_tangents_and_second_derivatives(stride):
    x, filters, _ = arrays((5, 6, 3, 4, 2), stride)
    dx, dw, _ = arrays((5, 6, 3, 4, 2), stride, seed=1)

    def change_of_slope(f):
        def loss(x, w):
            return jnp.sum(f(x, w, stride) ** 3) / 100

        return jax.jvp(jax.grad(loss, (0, 1)), (x, filters), (dx, dw))

    for made, expected in zip(*map(jax.tree.leaves, map(change_of_slope, (convolve, reference))), strict=True):
        np.testing.assert_allclose(made, expected, rtol=1e-3, atol=1e-3 * float(jnp.abs(expected).max()))


def test_without_a_compiler_xla_does_it(monkeypatch):
    x, filters, _ = arrays(SHAPES[0], 2)
    monkeypatch.setenv(native.VARIABLE, "off")
    assert not uses_loops(lambda x, w: convolve(x, w, 2), x, filters)
    np.testing.assert_array_equal(convolve(x, filters, 2), reference(x, filters, 2))


def test_float64_is_xlas():
    with jax.enable_x64(True):
        x, filters = (jnp.asarray(np.asarray(a, float)) for a in arrays(SHAPES[0], 1)[:2])
        assert not uses_loops(lambda x, w: convolve(x, w, 1), x, filters)
        assert convolve(x, filters, 1).dtype == jnp.float64
