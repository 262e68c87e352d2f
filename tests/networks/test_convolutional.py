"""Convolutional ResNets against loops over positions, finite differences, and the frozen part of their weights."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import kernels, native, networks
from kernelgap.errors import InputError
from kernelgap.networks import conv_resnet
from kernelgap.networks.convolutional import image_resnet
from kernelgap.training import Schedule, get_model, train_grid

IMAGE = (6, 5, 2)  # not square, one side odd, so that no two axes can be mixed up
KINDS = [
    (True, "group"),
    (False, "batch"),
    pytest.param(False, "group", marks=pytest.mark.slow),
    pytest.param(True, "batch", marks=pytest.mark.slow),
]


def made(gated=False, normalisation="group", depth=8, width=16, outputs=3, image=IMAGE, stride=1, seed=0):
    """A network with weights that are all of their own: gains, shifts and statistics too."""
    network = conv_resnet(depth, image=image, stride=stride, gated=gated, normalisation=normalisation)
    params = dict(network.init(jax.random.key(seed), inputs=int(np.prod(image)), outputs=outputs, width=width))
    rng = np.random.default_rng(seed)
    for name, w in params.items():
        if name.endswith(("_gain", "_shift", "_mean", "_variance")):
            params[name] = jnp.asarray(np.asarray(w) + 0.3 * rng.random(w.shape), jnp.float32)
    return network, params


def inputs(n=4, image=IMAGE, seed=1):
    return jnp.asarray(np.random.default_rng(seed).standard_normal((n, int(np.prod(image)))), jnp.float32)


# The network in loops, in float64.


def convolution(x, W, stride):
    n, height, width, _ = x.shape
    out = np.zeros((n, -(-height // stride), -(-width // stride), W.shape[3]))
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            for a in range(3):
                for b in range(3):
                    row, column = i * stride + a - 1, j * stride + b - 1
                    if 0 <= row < height and 0 <= column < width:
                        out[:, i, j] += x[:, row, column] @ W[a, b]
    return out


def normalised(z, params, name, kind, of_batch):
    channels = z.shape[3]
    out = np.empty_like(z)
    if kind == "batch":
        for c in range(channels):
            mean, variance = params[f"{name}_mean"][c], params[f"{name}_variance"][c]
            if of_batch:
                mean, variance = z[..., c].mean(), z[..., c].var()
            out[..., c] = (z[..., c] - mean) / np.sqrt(variance + 1e-5)
    else:
        size = next(s for s in (8, 4, 2, 1) if channels % s == 0)
        groups = channels // size
        for image in range(len(z)):
            for g in range(groups):
                part = z[image, :, :, g * size : (g + 1) * size]
                out[image, :, :, g * size : (g + 1) * size] = (part - part.mean()) / np.sqrt(part.var() + 1e-5)
    return out * params[f"{name}_gain"] + params[f"{name}_shift"]


def looped(params, x, image, blocks, kind, sharpness, of_batch=False, stride=1):
    params = {name: np.asarray(w, float) for name, w in params.items()}

    def layer(name, x, stride, beside=0.0):
        z = beside + normalised(convolution(x, params[name], stride), params, name, kind, of_batch)
        if sharpness is None:
            return np.maximum(z, 0)
        g = "gate_" + name
        frozen = beside + normalised(convolution(x, params[g], stride), params, g, kind, of_batch)
        return z / (1 + np.exp(-sharpness * frozen))

    h = layer("stem", np.asarray(x, float).reshape(-1, *image), stride)
    for stage in (1, 2, 3):
        for block in range(1, blocks + 1):
            stride = 2 if stage > 1 and block == 1 else 1
            inside = layer(f"s{stage}b{block}c1", h, stride)
            beside = h[:, ::stride, ::stride]
            beside = np.concatenate([beside, np.zeros((*beside.shape[:3], inside.shape[3] - h.shape[3]))], axis=3)
            h = layer(f"s{stage}b{block}c2", inside, 1, beside)
    return h.mean(axis=(1, 2)) @ params["A"].T


@pytest.mark.parametrize(("gated", "normalisation"), KINDS)
def test_equal_to_loops(gated, normalisation):
    network, params = made(gated, normalisation)
    X = inputs()
    expected = looped(params, X, IMAGE, 1, normalisation, 4.0 if gated else None)
    assert np.allclose(jax.jit(network.apply)(params, X), expected, atol=2e-5)
    assert np.allclose(jax.jit(network.features)(params, X) @ params["A"].T, expected, atol=2e-5)
    if normalisation == "batch":
        out, seen = jax.jit(network.apply_batch)(params, X)
        assert np.allclose(out, looped(params, X, IMAGE, 1, "batch", 4.0 if gated else None, of_batch=True), atol=2e-5)
        first = convolution(np.asarray(X, float).reshape(-1, *IMAGE), np.asarray(params["stem"], float), 1)
        assert np.allclose(seen["stem_mean"], first.mean(axis=(0, 1, 2)), atol=1e-5)
        assert np.allclose(seen["stem_variance"], first.var(axis=(0, 1, 2)), rtol=1e-4)
        assert set(seen) == {name for name in params if name.endswith(("_mean", "_variance"))}


@pytest.mark.slow
def test_deeper_wider_and_with_a_stride():
    network, params = made(gated=True, depth=14, width=32, stride=2)
    expected = looped(params, inputs(2), IMAGE, 2, "group", 4.0, stride=2)
    assert np.allclose(jax.jit(network.apply)(params, inputs(2)), expected, atol=5e-5)


@pytest.mark.parametrize(("gated", "normalisation"), KINDS)
def test_gradients_by_finite_differences(gated, normalisation):
    with jax.enable_x64(True):
        network, params = made(gated, normalisation, width=8)
        params = {name: jnp.asarray(np.asarray(w), jnp.float64) for name, w in params.items()}
        X = jnp.asarray(inputs(3), jnp.float64)
        forward = (
            (lambda p: network.apply_batch(p, X)[0]) if normalisation == "batch" else (lambda p: network.apply(p, X))
        )
        weights = jnp.asarray(np.random.default_rng(2).standard_normal((3, 3)))

        @jax.jit
        def value(p):
            return jnp.sum(weights * forward(p))

        gradient = jax.jit(jax.grad(value))(params)
        rng = np.random.default_rng(3)
        for name in ("stem", "s1b1c2", "s2b1c1", "s3b1c2_gain", "s2b1c2_shift", "A"):
            direction = jnp.asarray(rng.standard_normal(params[name].shape))
            step = 1e-6
            ahead, behind = (value({**params, name: params[name] + s * direction}) for s in (step, -step))
            slope = float(jnp.sum(gradient[name] * direction))
            assert abs((float(ahead) - float(behind)) / (2 * step) - slope) < 1e-5 * max(1.0, abs(slope))


def test_a_gate_starts_as_a_relu_the_sharper_the_closer():
    plain = conv_resnet(8, image=IMAGE)
    start = plain.init(jax.random.key(0), inputs=60, outputs=3, width=16)
    X = inputs(20)
    expected = jax.jit(plain.features)(start, X)
    apart = []
    for sharpness in (2.0, 8.0, 1000.0):
        network = conv_resnet(8, image=IMAGE, gated=True, sharpness=sharpness)
        params = network.init(jax.random.key(0), inputs=60, outputs=3, width=16)
        assert all(np.array_equal(params[name], start[name]) for name in start)
        apart.append(float(np.abs(jax.jit(network.features)(params, X) - expected).max()))
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < 1e-2


def test_gates_are_frozen_copies_and_each_layer_is_linear_in_its_weights():
    network, _ = made(gated=True)
    params = network.init(jax.random.key(3), inputs=60, outputs=3, width=16)
    for name in params:
        if name.startswith("gate_"):
            assert np.array_equal(params[name], params[name.removeprefix("gate_")])
    _, frozen = get_model(network, "all").split(params)
    assert set(frozen) == {name for name in params if name.startswith("gate_")} == set(network.gates)
    # the last layer before the mean: linear in its gain and shift, whatever these are
    X = inputs(3)
    doubled = {**params, "s3b1c2_gain": 3 * params["s3b1c2_gain"]}
    once = {**params, "s3b1c2_gain": 2 * params["s3b1c2_gain"]}
    apply = jax.jit(network.apply)
    out = [np.asarray(apply(p, X), float) for p in (params, once, doubled)]
    assert np.allclose(out[2] - out[1], out[1] - out[0], atol=1e-5)
    assert not np.allclose(out[1], out[0], atol=1e-3)


def test_statistics_are_not_trained():
    network, params = made(normalisation="batch")
    trained, frozen = get_model(network, "all").split(params)
    assert set(frozen) == {name for name in params if name.endswith(("_mean", "_variance"))}
    assert "stem_gain" in trained


@pytest.mark.slow
@pytest.mark.parametrize("gated", [False, True])
def test_multiplications_by_xla(gated, monkeypatch):
    monkeypatch.setenv(native.VARIABLE, "off")  # XLA does not count what compiled loops do
    network, params = made(gated, image=(8, 8, 3), width=32)
    X = inputs(1, image=(8, 8, 3))
    counted = jax.jit(network.apply).lower(params, X).compile().cost_analysis()["flops"]
    said = 2 * image_resnet(network).multiplications(3, 32)
    # what falls on the zeros around the maps is not counted there, and what is no product is not counted here
    assert 0.6 < said / counted < 1.5


def test_by_name():
    network = networks.get("conv-resnet-20-gated(image=(32, 32, 3), sharpness=8, normalisation='batch')")
    assert network is conv_resnet(20, image=(32, 32, 3), gated=True, sharpness=8, normalisation="batch")
    assert networks.get(network.name) is network
    assert networks.get("conv-resnet-8(image=(28, 28, 1))") is conv_resnet(8, image=(28, 28, 1))
    assert network.size(inputs=3072, outputs=10, width=64) > 2 * 260_000  # ResNet-20 has 0.27 million, gates as many


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("conv-resnet-9(image=(28, 28, 1))", "8, 14, 20, 26, 32 layers"),
        ("conv-resnet-8", "size of its images"),
        ("conv-resnet-8(image=(28, 28))", "height, width, channels"),
        ("conv-resnet-8(image=(28, 28, 1), sharpness=3)", "sharpness"),
        ("conv-resnet-8-gated(image=(28, 28, 1), sharpness=-1)", "positive"),
        ("conv-resnet-8(image=(28, 28, 1), normalisation='layer')", "batch, group"),
    ],
)
def test_refused(name, words):
    with pytest.raises(InputError, match=words):
        networks.get(name)


def test_batches_are_for_train_images_alone():
    network, params = made(normalisation="batch", width=8)
    with pytest.raises(InputError, match="normalisation='group'"):
        kernels.empirical(network, params)
    X, Y = np.zeros((10, 60)), np.zeros((10, 3))
    with pytest.raises(InputError, match="only train_images"):
        train_grid(get_model(network, "all"), params, [0.1], [0.0], (X, Y), schedule=Schedule(batch=10), seed=[0])


def test_sizes_that_do_not_fit():
    network = conv_resnet(8, image=IMAGE)
    with pytest.raises(InputError, match="60 inputs"):
        network.init(jax.random.key(0), inputs=61, outputs=3, width=16)
    with pytest.raises(InputError, match="multiple of 4"):
        network.init(jax.random.key(0), inputs=60, outputs=3, width=18)
