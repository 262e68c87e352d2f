"""Frozen gates: a naive forward pass, gates that never move, and layers that are linear in what is trained."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks
from kernelgap.errors import InputError
from kernelgap.kernels import empirical
from kernelgap.networks.layers import SHARPNESS
from kernelgap.training import Schedule, get_model, train_grid

D, K, M = 5, 3, 7
GATED = ("2layer-gated", "3layer-gated", "3resnet-gated", "resnet-2-gated")
HIDDEN = {
    "2layer-gated": (("W", "b1"),),
    "3layer-gated": (("W", "b1"), ("U", "b2")),
    "3resnet-gated": (("W", "b1"), ("V", "b2")),
    "resnet-2-gated": (("W", "b1"), ("V1", "c1", "V2", "c2"), ("B1", "B2")),
}


def opening(p, x, W, b, sharpness):
    entries = np.concatenate([p[f"gate_{W}"].ravel(), p[f"gate_{b}"]])
    z = (p[f"gate_{W}"] @ x + p[f"gate_{b}"]) / np.sqrt(np.mean(entries**2))
    return 1 / (1 + np.exp(-sharpness * z))


def layer(p, x, W, b, sharpness=SHARPNESS):
    return opening(p, x, W, b, sharpness) * (p[W] @ x + p[b])


def resnet(p, x, sharpness=SHARPNESS):
    out1 = p["A"] @ layer(p, x, "W", "b1", sharpness)
    return out1 + p["A"] @ layer(p, out1, "V", "b2", sharpness)


def deep(depth):
    def out(p, x):
        h = p["W"] @ x + p["b1"]
        for i in range(1, depth + 1):
            h = h + p[f"B{i}"] @ layer(p, h, f"V{i}", f"c{i}") / np.sqrt(depth)
        return p["A"] @ (opening(p, h, "A", "a", SHARPNESS) * h)

    return out


NAIVE = {
    "2layer-gated": lambda p, x: p["A"] @ layer(p, x, "W", "b1"),
    "3layer-gated": lambda p, x: p["A"] @ layer(p, layer(p, x, "W", "b1"), "U", "b2"),
    "3resnet-gated": resnet,
    "3resnet-gated(sharpness=9.5)": lambda p, x: resnet(p, x, 9.5),
    "resnet-2-gated": deep(2),
    "resnet-3-gated": deep(3),
}


def start(network, seed=1):
    return network.init(jax.random.key(seed), inputs=D, outputs=K, width=M)


def drawn(network, width=M):
    """The law of ``start`` without compiling it for each table of weights; the same weights with gates as without."""
    rng, table = np.random.default_rng(7), network.weights(D, K, width)
    own = {
        n: rng.standard_normal(w.shape).astype(np.float32) / np.sqrt(width) for n, w in table.items() if not w.copies
    }
    return own | {n: own[w.copies] for n, w in table.items() if w.copies}


def moved(params, rng):
    """Away from the start, where gates and trained weights are the same."""
    return {n: w + (0 if n.startswith("gate_") else 0.3) * rng.standard_normal(w.shape) for n, w in params.items()}


USUAL = ("3resnet-gated(sharpness=9.5)", "resnet-2-gated")  # the others take their time


@pytest.mark.parametrize("name", [n if n in USUAL else pytest.param(n, marks=pytest.mark.slow) for n in NAIVE])
def test_forward_pass(name, rng):
    network = networks.get(name)
    assert network.name == name
    assert network is networks.get(name)
    params = {n: np.asarray(w, np.float32) for n, w in moved(drawn(network), rng).items()}
    x = rng.standard_normal((9, D)).astype(np.float32)
    naive = np.array([NAIVE[name]({n: w.astype(float) for n, w in params.items()}, row) for row in x])
    for one in (network, pickle.loads(pickle.dumps(network))):
        np.testing.assert_allclose(jax.jit(one.apply)(params, jnp.asarray(x)), naive, rtol=5e-5, atol=5e-6)
    np.testing.assert_allclose(network.features(params, jnp.asarray(x)) @ params["A"].T, naive, rtol=5e-5, atol=5e-6)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n != "3resnet-gated" else n for n in GATED]
)
def test_gates_start_as_what_they_gate_and_all_else_as_without_them(name):
    network, plain = networks.get(name), networks.get(name.removesuffix("-gated"))
    params, without = start(network), start(plain)
    assert set(network.gates) == set(params) - set(without)
    for weight, values in without.items():
        np.testing.assert_array_equal(params[weight], values)
    for gate in network.gates:
        copied = network.weights(D, K, M)[gate].copies
        assert copied == (gate.removeprefix("gate_") if gate not in ("gate_A", "gate_a") else None)
        if copied is not None:
            np.testing.assert_array_equal(params[gate], params[copied])
    assert not np.array_equal(params[network.gates[0]], start(network, seed=2)[network.gates[0]])


@pytest.mark.parametrize("name", ["2layer", *(pytest.param(n, marks=pytest.mark.slow) for n in ("3layer", "3resnet"))])
def test_sharp_gates_start_as_relus_at_any_width(name, rng):
    x = jnp.asarray(rng.standard_normal((30, D)), jnp.float32)
    for width in (20, 500):
        plain = networks.get(name)
        out = np.asarray(jax.jit(plain.apply)(drawn(plain, width), x))
        sharp, usual, blunt = (
            np.abs(np.asarray(jax.jit(network.apply)(drawn(network, width), x)) - out).max() / np.abs(out).max()
            for network in (networks.gated(name, s) for s in (1e4, SHARPNESS, 1e-3))
        )
        assert sharp < 2e-3 < 0.2 < blunt
        assert usual < 0.5 * blunt


@pytest.mark.parametrize("mode", networks.MODES)
@pytest.mark.parametrize("name", GATED)
def test_gates_are_frozen_in_every_mode(name, mode):
    network = networks.get(name)
    trained, frozen = get_model(network, mode).split(drawn(network))
    assert not set(trained) & set(network.gates)
    assert set(frozen) >= set(network.gates)
    expected = {"all": set(network.layers), "ntk": set(network.layers), "last": {"A"}}
    hidden = {w for group in HIDDEN[name] for w in group}
    assert set(trained) == expected.get(mode, hidden) - set(network.gates)


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("3resnet-gated", "all"),
        pytest.param("3resnet-gated", "ntk", marks=pytest.mark.slow),
        pytest.param("resnet-2-gated", "hidden", marks=pytest.mark.slow),
    ],
)
def test_training_leaves_gates_as_they_were_bit_for_bit(name, mode, rng):
    network = networks.get(name)
    params = start(network)
    before = {n: np.array(w) for n, w in params.items()}
    X, Y = rng.standard_normal((20, D)), rng.standard_normal((20, K))
    schedule = Schedule(epochs=30, batch=10)
    grid = train_grid(
        get_model(network, mode), params, [0.1, 0.02], [0.01, 0.0], (X, Y), schedule=schedule, seed=[0], epochs=[]
    )
    assert (grid.final("train") < 0.9 * grid.curves["train"][:, 0]).all()
    for gate in network.gates:
        assert gate not in grid.trained
        np.testing.assert_array_equal(grid.frozen[gate], before[gate])
        np.testing.assert_array_equal(params[gate], before[gate])
    moving = [w for w in grid.trained if np.any(grid.trained[w][0] != (0 if mode == "ntk" else before[w]))]
    assert sorted(moving) == sorted(grid.trained)


@pytest.mark.parametrize(
    "name", ["3resnet-gated", *(pytest.param(n, marks=pytest.mark.slow) for n in GATED if n != "3resnet-gated")]
)
def test_gradients_against_finite_differences(name, rng):
    network = networks.get(name)
    model = get_model(network, "all")
    with jax.enable_x64(True):
        params = {n: jnp.asarray(np.asarray(w, float)) for n, w in moved(drawn(network), rng).items()}
        trained, frozen = model.split(params)
        x, y = jnp.asarray(rng.standard_normal((6, D))), jnp.asarray(rng.standard_normal((6, K)))

        def loss(w):
            return 0.5 * jnp.sum((y - model.predict(w, frozen, x)) ** 2)

        gradient = jax.jit(jax.grad(loss))(trained)
        value = jax.jit(loss)
        for weight, w in trained.items():
            direction, h = jnp.asarray(rng.standard_normal(w.shape)), 1e-6
            up, down = (float(value({**trained, weight: w + sign * h * direction})) for sign in (1, -1))
            numeric = (up - down) / (2 * h)
            assert float(jnp.sum(gradient[weight] * direction)) == pytest.approx(numeric, rel=1e-5, abs=1e-7)


def last_layers(network, params, x, weights):
    """The network as a function of the trained weights of one layer, at an input of the layer that stays."""
    return lambda change: network.apply({**params, **{n: params[n] + change[n] for n in weights}}, x)


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("3resnet-gated", ("V", "b2")),
        pytest.param("2layer-gated", ("W", "b1"), marks=pytest.mark.slow),
        pytest.param("3layer-gated", ("U", "b2"), marks=pytest.mark.slow),
    ],
)
def test_a_layer_is_linear_in_what_is_trained(name, weights, rng):
    """f(2c) - f(0) = 2 (f(c) - f(0)) for large changes c of the last hidden layer: it is an NTK of its input."""
    network = networks.get(name)
    x = jnp.asarray(rng.standard_normal((8, D)), jnp.float32)

    def bend(one):
        params = drawn(one)
        change = {n: 3 * rng.standard_normal(params[n].shape).astype(np.float32) for n in weights}
        f = last_layers(one, params, x, weights)
        at_0, at_1, at_2 = (np.asarray(f({n: t * c for n, c in change.items()})) for t in (0.0, 1.0, 2.0))
        return np.abs(at_2 - 2 * at_1 + at_0).max() / np.abs(at_2 - at_0).max()

    assert bend(network) < 1e-5
    assert bend(networks.get(name.removesuffix("-gated"))) > 1e-2


def test_two_layers_with_hidden_weights_trained_are_their_own_tangent_kernel(rng):
    """The gated network is its own linearisation, so its kernel stays what it was, wherever its weights go."""
    network = networks.get("2layer-gated")
    params, X = drawn(network), rng.standard_normal((6, D))
    kernel = empirical(network, params, "hidden")(X)
    elsewhere = {n: np.asarray(w) for n, w in moved(params, rng).items()} | {"A": params["A"]}
    np.testing.assert_allclose(empirical(network, elsewhere, "hidden")(X), kernel, rtol=1e-12)
    gates = np.array(
        [opening({n: np.asarray(w, float) for n, w in params.items()}, x, "W", "b1", SHARPNESS) for x in X]
    )
    A = np.asarray(params["A"], float)
    written = np.einsum("nm,om,lm->nl", gates, np.sum(A**2, axis=0, keepdims=True) / K, gates) * (X @ X.T + 1)
    np.testing.assert_allclose(kernel, written, rtol=1e-6)


def test_mistakes_get_a_sentence():
    for sharpness in (0, -1.0, float("inf"), float("nan"), True):
        with pytest.raises(InputError, match="sharpness of a gate"):
            networks.gated("3resnet", sharpness)
    with pytest.raises(InputError, match="sharpness and nothing else"):
        networks.get("3resnet-gated(width=3)")
    with pytest.raises(InputError, match="network with gates"):
        networks.gated("3resnet-full")
    for name in ("3resnet-full-gated", "resnet-0-gated", "gated", "3resnet-gated(8"):
        with pytest.raises(InputError):
            networks.get(name)
    with pytest.raises(InputError, match="between 1 and 64"):
        networks.get("resnet-65-gated")
    assert networks.get("3resnet-gated(sharpness=4)") is networks.get("3resnet-gated")
