"""One protocol for every network, each against a naive forward pass and finite differences."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks
from kernelgap.errors import InputError

D, K, M = 5, 3, 7


def s(z):
    return np.maximum(z, 0)


def deep(depth):
    def out(p, x):
        h = p["W"] @ x + p["b1"]
        for i in range(1, depth + 1):
            h = h + p[f"B{i}"] @ s(p[f"V{i}"] @ h + p[f"c{i}"]) / np.sqrt(depth)
        return p["A"] @ s(h)

    return out


NAIVE = {
    "2layer-signs": lambda p, x: p["A"] @ s(p["W"] @ x),
    "2layer": lambda p, x: p["A"] @ s(p["W"] @ x + p["b1"]),
    "3layer": lambda p, x: p["A"] @ s(p["U"] @ s(p["W"] @ x + p["b1"]) + p["b2"]),
    "3resnet": lambda p, x: p["A"] @ (s(p["W"] @ x + p["b1"]) + s(p["V"] @ p["A"] @ s(p["W"] @ x + p["b1"]) + p["b2"])),
    "3resnet-full": lambda p, x: p["A"] @ (s(p["W"] @ x + p["b1"]) + s(p["U"] @ s(p["W"] @ x + p["b1"]) + p["b2"])),
    "resnet-2": deep(2),
}


@pytest.fixture(params=sorted(NAIVE))
def network(request):
    return networks.get(request.param)


@pytest.fixture
def params(network):
    return network.init(jax.random.key(1), inputs=D, outputs=K, width=M)


def test_every_network_has_a_naive_twin():
    assert set(NAIVE) == {name for name, network in networks.NETWORKS.items() if not network.gates}


def test_forward_pass(network, params, rng):
    x = rng.standard_normal((11, D)).astype(np.float32)
    naive = np.array([NAIVE[network.name]({k: np.asarray(v, float) for k, v in params.items()}, row) for row in x])
    np.testing.assert_allclose(network.apply(params, jnp.asarray(x)), naive, rtol=2e-5, atol=2e-6)
    features = network.features(params, jnp.asarray(x))
    assert features.shape == (11, M)
    np.testing.assert_allclose(features @ params["A"].T, naive, rtol=2e-5, atol=2e-6)


def test_gradients_against_finite_differences(network, rng):
    with jax.enable_x64(True):
        start = network.init(jax.random.key(2), inputs=D, outputs=K, width=M)
        params = {k: jnp.asarray(np.asarray(v), dtype=jnp.float64) for k, v in start.items()}
        x = jnp.asarray(rng.standard_normal((6, D)))
        y = jnp.asarray(rng.standard_normal((6, K)))

        def loss(p):
            return 0.5 * jnp.sum((y - network.apply(p, x)) ** 2)

        gradient = jax.grad(loss)(params)
        for name, w in params.items():
            direction = jnp.asarray(rng.standard_normal(w.shape))
            h = 1e-6
            up, down = ({**params, name: w + sign * h * direction} for sign in (1, -1))
            numeric = (loss(up) - loss(down)) / (2 * h)
            assert float(jnp.sum(gradient[name] * direction)) == pytest.approx(float(numeric), rel=1e-6, abs=1e-7)


def test_first_output_of_the_resnets(rng):
    x = jnp.asarray(rng.standard_normal((4, D)), dtype=jnp.float32)
    for name in ("3resnet", "3resnet-full"):
        network = networks.get(name)
        p = network.init(jax.random.key(0), inputs=D, outputs=K, width=M)
        expected = s(np.asarray(x) @ np.asarray(p["W"]).T + np.asarray(p["b1"])) @ np.asarray(p["A"]).T
        np.testing.assert_allclose(network.first_output(p, x), expected, rtol=1e-5, atol=1e-6)
    assert networks.get("2layer").first_output is None


def test_the_two_resnets_agree_when_u_is_va(rng):
    narrow = networks.resnet.init(jax.random.key(3), inputs=D, outputs=K, width=M)
    full = {**{k: v for k, v in narrow.items() if k != "V"}, "U": narrow["V"] @ narrow["A"]}
    x = jnp.asarray(rng.standard_normal((9, D)), dtype=jnp.float32)
    np.testing.assert_allclose(
        networks.resnet.apply(narrow, x), networks.resnet_full.apply(full, x), rtol=1e-5, atol=1e-6
    )
    other = {**full, "U": full["U"] + 0.1}
    assert np.abs(networks.resnet.apply(narrow, x) - networks.resnet_full.apply(other, x)).max() > 1e-3


@pytest.mark.parametrize("depth", [1, 5])
def test_deep_resnets_of_any_depth(depth, rng):
    network = networks.get(f"resnet-{depth}")
    assert network is networks.deep_resnet(depth)
    params = network.init(jax.random.key(1), inputs=D, outputs=K, width=M)
    assert len(params) == 3 + 3 * depth
    x = rng.standard_normal((6, D)).astype(np.float32)
    naive = np.array([deep(depth)({k: np.asarray(v, float) for k, v in params.items()}, row) for row in x])
    for one in (network, pickle.loads(pickle.dumps(network))):
        np.testing.assert_allclose(one.apply(params, jnp.asarray(x)), naive, rtol=2e-5, atol=2e-6)


@pytest.mark.slow
def test_a_deep_start_is_as_large_as_a_shallow_one(rng):
    x = jnp.asarray(rng.standard_normal((50, 40)), dtype=jnp.float32)
    sizes = []
    for depth in (1, 20):
        network = networks.deep_resnet(depth)
        features = network.features(network.init(jax.random.key(3), inputs=40, outputs=1, width=200), x)
        sizes.append(float(jnp.sum(features**2)))
    assert 0.8 < sizes[1] / sizes[0] < np.exp(0.5)


def test_experiment_start_has_variance_one_over_m(network):
    m = 400
    params = network.init(jax.random.key(0), inputs=30, outputs=15, width=m)
    for name, w in params.items():
        entries = np.asarray(w).ravel() * np.sqrt(m)
        assert abs(entries.mean()) < 5 / np.sqrt(entries.size), name
        assert abs((entries**2).mean() - 1) < 5 * np.sqrt(2 / entries.size), name


@pytest.mark.parametrize("m", [7, 10])
def test_signs_are_half_and_half(m):
    A = np.asarray(networks.two_layer_signs.init(jax.random.key(0), inputs=4, outputs=3, width=m)["A"]) * np.sqrt(m)
    np.testing.assert_allclose(np.abs(A), 1.0, rtol=1e-6)
    np.testing.assert_allclose(A.sum(axis=1), m % 2, atol=1e-5)
    assert len({tuple(row > 0) for row in A}) > 1


def test_theory_start_has_the_stated_variances():
    m = 400
    start = networks.TheoremStart(sigma_w=0.2, sigma_v=3.0)
    params = networks.resnet.init(jax.random.key(0), inputs=30, outputs=15, width=m, initialisation=start)
    stated = {"W": 0.2, "b1": 0.2, "V": 3.0 / np.sqrt(m), "b2": 3.0 / np.sqrt(m), "A": 1 / np.sqrt(m)}
    for name, std in stated.items():
        entries = np.asarray(params[name]).ravel() / std
        assert abs((entries**2).mean() - 1) < 5 * np.sqrt(2 / entries.size), name


@pytest.mark.parametrize(
    ("name", "stated"),
    {
        "3resnet": {"W": 30, "b1": 30, "V": 15, "b2": 15, "A": 400},
        "3layer": {"W": 30, "b1": 30, "U": 400, "b2": 400, "A": 400},
        "2layer": {"W": 30, "b1": 30, "A": 400},
    }.items(),
)
def test_fan_in_start_has_variance_one_over_the_inputs_of_each_layer(name, stated):
    start = networks.get_start("fan_in")
    params = networks.get(name).init(jax.random.key(0), inputs=30, outputs=15, width=400, initialisation=start)
    assert set(params) == set(stated)
    for weight, inputs in stated.items():
        entries = np.asarray(params[weight]).ravel() * np.sqrt(inputs)
        assert abs((entries**2).mean() - 1) < 5 * np.sqrt(2 / entries.size), weight


def test_starts_have_names():
    assert networks.get_start("experiment") == networks.WidthStart()
    assert networks.get_start("theory") == networks.TheoremStart()
    with pytest.raises(InputError, match="Did you mean 'fan_in'"):
        networks.get_start("fanin")
    with pytest.raises(InputError, match="layer with inputs"):
        networks.FanInStart().std("first", 100)


@pytest.mark.parametrize("sigmas", [{"sigma_w": 1.5}, {"sigma_w": 0.01}, {"sigma_v": 0.5}, {"sigma_v": 50.0}])
def test_theory_start_outside_table_1_is_refused(sigmas):
    with pytest.raises(InputError, match="Table 1"):
        networks.resnet.init(
            jax.random.key(0), inputs=4, outputs=2, width=100, initialisation=networks.TheoremStart(**sigmas)
        )


def test_keys_decide(network):
    a, b, c = (network.init(jax.random.key(k), inputs=D, outputs=K, width=M) for k in (1, 1, 2))
    assert all(np.array_equal(a[n], b[n]) for n in a)
    assert not any(np.array_equal(a[n], c[n]) for n in a)


def test_size_counts_parameters(network, params):
    assert network.size(inputs=D, outputs=K, width=M) == sum(w.size for w in params.values())
    assert set(network.layers) == set(params)


def test_mistakes_get_a_sentence():
    with pytest.raises(InputError, match="Did you mean '3resnet'"):
        networks.get("resnet")
    for depth in (0, 65, True):
        with pytest.raises(InputError, match="between 1 and 64 of blocks"):
            networks.deep_resnet(depth)
    for name in ("resnet-0", "resnet-02", "resnet-x"):
        with pytest.raises(InputError, match="Unknown network"):
            networks.get(name)
    with pytest.raises(InputError, match="width of at least 1"):
        networks.resnet.init(jax.random.key(0), inputs=3, outputs=2, width=0)
    with pytest.raises(InputError, match=r"width 1,000,000,000,000 .* GiB are free"):
        networks.resnet.init(jax.random.key(0), inputs=3, outputs=2, width=10**12)
