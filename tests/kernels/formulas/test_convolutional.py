"""Convolutional kernels against wide random networks, against loops over positions, and against ntk and ck."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import kernels
from kernelgap.calls import parse_call
from kernelgap.errors import InputError
from kernelgap.kernels.formulas import convolutional
from kernelgap.kernels.formulas.convolutional import Convolutional

IMAGE = (4, 3, 2)  # not square, so that height and width cannot be mixed up
WIDTH = {1: 1024, 2: 256}
SEEDS = 50


def images(count, image=IMAGE, seed=7):
    """Random images that share a part, so that no kernel value is close to 0."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((count, int(np.prod(image)))) + rng.standard_normal(int(np.prod(image)))


# Networks with weights N(0, 1) and the scales in front of them, their tangent kernels by automatic differentiation.


def patches(h):
    """3 x 3 patches of (height, width, channels), zeros outside: (height, width, 9 channels)."""
    height, width, _ = h.shape
    padded = jnp.pad(h, ((1, 1), (1, 1), (0, 0)))
    return jnp.concatenate([padded[i : i + height, j : j + width] for i in range(3) for j in range(3)], axis=-1)


def network(params, x, pooling):
    h = x.reshape(IMAGE)
    for layer, W in enumerate(params["hidden"]):
        fan = 9 if layer == 0 else len(W)
        h = jnp.sqrt(2.0) * jax.nn.relu(patches(h) @ W / jnp.sqrt(fan))
    positions, width = h.shape[0] * h.shape[1], h.shape[2]
    if pooling:
        return jnp.mean(h, axis=(0, 1)) @ params["last"][0] / jnp.sqrt(width)
    return jnp.sum(h.reshape(positions, width) * params["last"]) / jnp.sqrt(positions * width)


@cache
def simulated(depth):
    """Per seed, pooling and part of the weights, the Gram matrix of the gradients."""
    X = jnp.asarray(images(3), dtype=jnp.float32)
    width = WIDTH[depth]

    @jax.jit
    def grams(key):
        keys = jax.random.split(key, depth + 1)
        rows = [9 * IMAGE[2]] + [9 * width] * (depth - 1)
        params = {
            "hidden": [jax.random.normal(k, (n, width)) for k, n in zip(keys, rows, strict=False)],
            "last": jax.random.normal(keys[-1], (IMAGE[0] * IMAGE[1], width)),
        }

        def of(pooling):
            gradients = jax.vmap(jax.grad(network), in_axes=(None, 0, None))(params, X, pooling)
            flat = {part: [g.reshape(len(X), -1) for g in jax.tree.leaves(gradients[part])] for part in gradients}
            return {part: sum(g @ g.T for g in each) for part, each in flat.items()}

        return {pooling: of(pooling) for pooling in (False, True)}

    found = [jax.tree.map(np.asarray, grams(key)) for key in jax.random.split(jax.random.key(depth), SEEDS)]
    return {
        (pooling, part): np.array([gram[pooling][part] for gram in found], dtype=float)
        for pooling in (False, True)
        for part in ("hidden", "last")
    }


def deviations(depth, pooling, train):
    """Of the kernel from the mean over random networks in its standard errors, and these relative to the kernel."""
    sample = simulated(depth)
    values = sum(sample[pooling, part] for part in ("hidden", "last") if train in (part, "all"))
    error = values.std(axis=0, ddof=1) / len(values) ** 0.5
    K = Convolutional(image=IMAGE, depth=depth, pooling=pooling, train=train)(images(3))
    return np.abs(K - values.mean(axis=0)) / error, error / values.mean(axis=0)


@pytest.mark.parametrize("train", ["all", "last"])
@pytest.mark.parametrize("pooling", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
def test_wide_random_networks(depth, pooling, train):
    deviation, error = deviations(depth, pooling, train)
    assert deviation.max() < 4
    assert error.max() < 0.02


def cosines_for_angles(sine, cosine):
    length = jnp.hypot(sine, cosine)
    return cosine / jnp.where(length > 0, length, 1.0)


@pytest.mark.parametrize(
    ("function", "wrong", "pooling"),
    [
        ("_angle", cosines_for_angles, False),
        ("_edges", lambda x, z, size: 0, True),  # zeros around the image at no distance from its pixels
    ],
)
def test_a_wrong_formula_is_far_from_wide_networks(monkeypatch, function, wrong, pooling):
    convolutional._unit_values.clear_cache()
    monkeypatch.setattr(convolutional, function, wrong)
    try:
        deviation, _ = deviations(1, pooling, "all")
        assert deviation.max() > 50
    finally:
        convolutional._unit_values.clear_cache()


# The recursion in loops, with cosines.


def looped(x, z, image, depth, q, pooling, train):
    height, width, _ = image
    positions = [(i, j) for i in range(height) for j in range(width)]
    reach = range(-(q // 2), q // 2 + 1)

    def patch_mean(F):
        mean = np.zeros_like(F)
        for p, (i, j) in enumerate(positions):
            for r, (k, m) in enumerate(positions):
                pairs = [((i + a, j + b), (k + a, m + b)) for a in reach for b in reach]
                inside = [(s, t) for s, t in pairs if s in positions and t in positions]
                mean[p, r] = sum(F[positions.index(s), positions.index(t)] for s, t in inside) / q**2
        return mean

    def relu(Sigma, a, b):
        lengths = np.sqrt(np.outer(a, b))
        cosine = np.clip(Sigma / lengths, -1, 1)
        angle = np.arccos(cosine)
        return lengths * (np.sin(angle) + (np.pi - angle) * cosine) / np.pi, 1 - angle / np.pi

    pixels = [v.reshape(len(positions), -1) for v in (x, z)]
    F, F_x, F_z = (u @ v.T for u, v in (pixels, [pixels[0]] * 2, [pixels[1]] * 2))
    H = np.zeros_like(F)
    for _ in range(depth):
        Sigma, Sigma_x, Sigma_z = patch_mean(F), patch_mean(F_x), patch_mean(F_z)
        a, b = np.diag(Sigma_x), np.diag(Sigma_z)
        (F, S), (F_x, _), (F_z, _) = relu(Sigma, a, b), relu(Sigma_x, a, a), relu(Sigma_z, b, b)
        H = (Sigma + patch_mean(H)) * S
    K = {"all": F + H, "hidden": H, "last": F}[train]
    return K.mean() if pooling else np.diag(K).mean()


@pytest.mark.parametrize("pooling", [False, True])
@pytest.mark.parametrize(("depth", "q", "train"), [(3, 3, "hidden"), (2, 5, "last"), (1, 9, "all")])
def test_loops_over_positions(depth, q, train, pooling):
    image = (3, 4, 2)
    X, Z = images(2, image), images(1, image, seed=8)
    K = Convolutional(image=image, depth=depth, filter_size=q, pooling=pooling, train=train)(X, Z)
    np.testing.assert_allclose(K, [[looped(x, z, image, depth, q, pooling, train) for z in Z] for x in X], rtol=1e-9)


# One position: ntk and ck.


@pytest.mark.parametrize(("depth", "pooling"), [(1, False), (3, True)])
def test_one_position_is_ntk_and_ck(depth, pooling, rng):
    X = rng.standard_normal((3, 5))
    X = np.concatenate([X, X[:1], 3 * X[:1], -X[:1], np.zeros((1, 5)), X[:1] + 1e-6 * X[1:2]])
    ntk, ck = kernels.get(f"ntk(depth={depth})"), kernels.get(f"ck(depth={depth})")
    K = {
        train: Convolutional(image=(1, 1, 5), depth=depth, filter_size=1, pooling=pooling, train=train)(X)
        for train in ("all", "hidden", "last")
    }
    for mine, theirs in ((K["all"], ntk(X)), (K["hidden"], ntk(X) - ck(X)), (K["last"], ck(X))):
        allowed = 1e-12 * (1 + np.abs(theirs))
        # row 7 is 1e-6 from the opposite of row 5; cntk has that angle t from (a+b)^2 - r^2, off by eps / t
        allowed[5, 7] = allowed[7, 5] = np.finfo(float).eps / 1e-6 * ntk.diagonal(X).max()
        assert np.all(np.abs(mine - theirs) <= allowed)


@pytest.mark.parametrize("pooling", [False, True])
def test_equal_patches_have_the_angle_zero(pooling, rng):
    pixels = rng.standard_normal((3, 5))
    X = np.repeat(pixels[:, None], 20, axis=1).reshape(3, 100)  # the same pixel everywhere
    K = Convolutional(image=(4, 5, 5), depth=3, filter_size=1, pooling=pooling)(X)
    np.testing.assert_allclose(K, kernels.get("ntk(depth=3)")(pixels), rtol=1e-13)


# What a Gram matrix owes.


@pytest.fixture(params=[False, True])
def kernel(request):
    return Convolutional(image=IMAGE, depth=2, pooling=request.param)


def test_symmetric_and_positive(kernel):
    X = images(4)
    X = np.concatenate([X, -X[:1], X[:1], np.zeros((1, X.shape[1])), 1e-4 * X[1:2]])
    K = kernel(X)
    assert K.dtype == np.float64
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-13 * K.max()
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(K), rtol=1e-13)
    assert not K[6].any()  # zeros


def test_blocks_and_tiles(kernel, monkeypatch):
    X, Z = images(5), images(3, seed=8)
    whole = kernel(np.concatenate([X, Z]))
    for pairs in (5, 1):
        monkeypatch.setattr(Convolutional, "_pairs_of_a_tile", lambda self, pairs=pairs: pairs)
        np.testing.assert_allclose(kernel(X), whole[:5, :5], rtol=1e-13)
        np.testing.assert_allclose(kernel(X, Z), whole[:5, 5:], rtol=1e-13)
        np.testing.assert_allclose(kernel.diagonal(X), np.diag(whole)[:5], rtol=1e-13)
    assert kernel(X[:0]).shape == (0, 0)
    assert kernel(X[:0], Z).shape == (0, 3)
    assert kernel.diagonal(X[:0]).shape == (0,)


def test_single_precision_elsewhere_stays(kernel):
    kernel(images(2))
    assert jnp.ones(1).dtype == jnp.float32


def test_angles(rng):
    angle = np.concatenate([[0.0], np.geomspace(1e-20, 1, 50), rng.uniform(0, np.pi, 500)])
    sine, cosine, angles = np.sin(angle), np.cos(angle), jax.jit(convolutional._angle)
    with jax.enable_x64(True):
        found = np.asarray(angles(sine, cosine))
        ends = np.asarray(angles(np.zeros(2), np.array([0.0, -2.0])))
    # a quotient, a polynomial and two sums, each rounded once or twice, beside an arctan2 that is off by one more
    np.testing.assert_allclose(found, np.arctan2(sine, cosine), rtol=8 * np.finfo(float).eps)
    np.testing.assert_array_equal(ends, [0.0, np.pi])


# Arguments.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"filter_size": 4}, "filter_size must be odd, so that a filter has a middle, not 4"),
        ({"filter_size": 0}, "filter_size must be a whole number of at least 1, not 0"),
        ({"depth": 0}, "depth must be a whole number of at least 1"),
        ({"train": "lst"}, "Unknown part of a network 'lst'. Did you mean 'last'"),
        ({"image": (4, 4)}, r"image must be \(height, width, channels\), such as \(8, 8, 3\), not \(4, 4\)"),
        ({"image": (4, 0, 1)}, "whole numbers from 1 to "),
    ],
)
def test_bad_arguments(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        Convolutional(**{"image": IMAGE, **arguments})


def test_bad_inputs():
    kernel = Convolutional(image=(4, 4, 3))
    with pytest.raises(InputError, match="have 10 columns, but images of this kernel have 4 x 4 x 3 = 48 numbers"):
        kernel(np.ones((2, 10)))
    with pytest.raises(InputError, match="have 10 columns"):
        kernel.diagonal(np.ones((2, 10)))
    with pytest.raises(InputError, match=r"1000 x 1000 positions needs .* GiB .* pooling=False"):
        Convolutional(image=(1000, 1000, 1), pooling=True)(np.ones((1, 10**6)))


def test_text_and_back():
    pooled = Convolutional(image=(8, 8, 3), depth=2, pooling=True)
    assert pooled.spec == "cntk(depth=2, image=(8, 8, 3), pooling=True)"
    assert Convolutional(image=[np.int64(8), 8, 3]).spec == "cntk(image=(8, 8, 3))"
    for kernel in (pooled, Convolutional(image=IMAGE, filter_size=5, train="last")):
        name, arguments = parse_call(kernel.spec)
        assert name == "cntk"
        assert Convolutional(**arguments) == kernel
