"""Kernels of finite networks: against explicit Jacobians, finite differences, and the kernels that they widen to."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.nn import relu

from kernelgap import kernels, networks
from kernelgap.errors import InputError
from kernelgap.kernels.empirical.kernel import Empirical, TangentAt, conjugate_features, empirical
from kernelgap.kernels.empirical.structure import Structure
from kernelgap.networks import Network, Weight, WidthStart

D, K, M = 5, 3, 7
N, OTHERS = 7, 4  # rows of X and of Z
TRAIN = ("all", "hidden", "last")

NETWORKS = [pytest.param(n, marks=pytest.mark.slow) if "gated" in n else n for n in sorted(networks.NETWORKS)]

module = importlib.import_module("kernelgap.kernels.empirical.kernel")


def start(network, seed=1, initialisation=None, inputs=D, outputs=K, width=M):
    """The law of ``network.init`` without compiling it for each table of weights; section 8.1's by default."""
    rng = np.random.default_rng(seed)
    std = (initialisation or WidthStart()).std
    table = network.weights(inputs, outputs, width)
    return {name: std(w.layer, width) * rng.standard_normal(w.shape) for name, w in table.items()}


def jacobian(network, params, train, X):
    """The gradient of each output at each row of X, (n k, number of weights), by plain reverse differentiation."""
    names = [n for n, layer in network.layers.items() if layer == "output" or train != "last"]
    names = [n for n in names if n not in network.gates]
    names = [n for n in names if network.layers[n] != "output" or train != "hidden"]

    def gradients(params, x):
        def out(trained):
            return (
                network.features(params, x) @ trained["A"].T if train == "last" else network.apply(params | trained, x)
            )

        return jax.jacrev(out)({n: params[n] for n in names})

    with jax.enable_x64(True):
        found = gradients({n: jnp.asarray(w) for n, w in params.items()}, jnp.asarray(X))
        return np.concatenate([np.asarray(g).reshape(g.shape[0] * g.shape[1], -1) for g in found.values()], axis=1)


def mean(full):
    n, m = (length // K for length in full.shape)
    return np.einsum("nimi->nm", full.reshape(n, K, m, K)) / K


def structure(network, params, train, X):
    with jax.enable_x64(True):
        return TangentAt(network, params, train).structure(X)


def sample_bytes(found, k=K):
    return 8 * (k * sum(found.gradients) + sum(found.inputs))


def close(kernel, expected):
    np.testing.assert_allclose(kernel, expected, rtol=1e-10, atol=1e-12)


@pytest.fixture
def X(rng):
    return rng.standard_normal((N, D))


@pytest.fixture
def Z(rng):
    return rng.standard_normal((OTHERS, D))


@pytest.mark.parametrize("train", TRAIN)
@pytest.mark.parametrize("name", NETWORKS)
class TestEveryNetwork:
    def test_equals_the_product_of_jacobians(self, name, train, X, Z, monkeypatch):
        network = networks.get(name)
        params = start(network)
        found = structure(network, params, train, X)
        both = jacobian(network, params, train, np.concatenate([X, Z]))
        jx, jz = both[: N * K], both[N * K :]
        kernel = empirical(network, params, train)
        for budget in (OTHERS * sample_bytes(found), 2**27):  # in blocks, the last one of X not full; all at once
            monkeypatch.setattr(module, "TILE_BYTES", budget)
            full, over_outputs = kernel.full(X), kernel(X)
            close(full, jx @ jx.T)
            close(over_outputs, mean(jx @ jx.T))
            close(kernel.full(X, Z), jx @ jz.T)
            close(kernel(X, Z), mean(jx @ jz.T))
            np.testing.assert_array_equal(full, full.T)
            np.testing.assert_array_equal(over_outputs, over_outputs.T)
        close(kernel.diagonal(X), np.diag(mean(jx @ jx.T)))
        assert np.abs(empirical(network, start(network, seed=2), train).full(X) - jx @ jx.T).max() > 1e-3


@pytest.mark.parametrize(
    ("name", "train"),
    [
        *((name, "all") for name in networks.NETWORKS if "gated" not in name),
        ("3resnet-gated", "all"),
        ("3resnet", "hidden"),
        ("3resnet", "last"),
    ],
)
def test_moving_every_gradient_gives_the_same(name, train, X, Z, monkeypatch):
    network = networks.get(name)
    kernel = empirical(network, start(network), train)
    fast = kernel.full(X, Z), kernel(X, Z)
    monkeypatch.setattr(module, "find_structure", lambda *_: None)
    close(kernel.full(X, Z), fast[0])
    close(kernel(X, Z), fast[1])


class TestTiles:
    @pytest.mark.parametrize("samples", [0, 4])
    def test_tiles_smaller_than_blocks(self, samples, X, Z, monkeypatch):
        k = 12
        params = start(networks.resnet, outputs=k, width=2)
        kernel = empirical(networks.resnet, params)
        whole = kernel.full(X), kernel.full(X, Z), kernel(X)
        budget = samples * sample_bytes(structure(networks.resnet, params, "all", X), k) + 1
        monkeypatch.setattr(module, "TILE_BYTES", budget)
        assert max(len(tile) for *_, tile in kernel._tiles(X, X, mean=False)) == {0: k, 4: 3 * k}[samples]
        for given, expected in zip((kernel.full(X), kernel.full(X, Z), kernel(X)), whole, strict=True):
            close(given, expected)

    def test_moved_gradients_in_blocks(self, X, monkeypatch):
        kernel = empirical(networks.resnet, start(networks.resnet))
        fast = kernel.full(X), kernel(X)
        monkeypatch.setattr(module, "find_structure", lambda *_: None)
        monkeypatch.setattr(module, "TILE_BYTES", 10_000)
        assert [len(tile) for *_, tile in kernel._tiles(X, X, mean=True)] == [2] * 9 + [
            1
        ]  # of 4 x 4, half and diagonal
        close(kernel.full(X), fast[0])
        close(kernel(X), fast[1])

    def test_the_mean_needs_no_full_kernel(self, X, monkeypatch):
        def refuse(*_):
            raise AssertionError

        kernel = empirical(networks.resnet, start(networks.resnet))
        monkeypatch.setattr(Structure, "full", refuse)
        kernel(X)
        with pytest.raises(AssertionError):
            kernel.full(X)

    def test_no_samples(self):
        assert empirical(networks.resnet, start(networks.resnet)).full(np.empty((0, D))).shape == (0, 0)

    def test_double_precision_stays_within(self, X):
        tiles = empirical(networks.resnet, start(networks.resnet))._tiles(X, X, mean=True)
        next(tiles)
        assert jnp.ones(1).dtype == jnp.float32


def own(apply, **shapes):
    """A network made for a test; its weights are of the hidden layers but for A."""
    table = {n: Weight(shape, "output" if n in ("A", "frozen") else "first") for n, shape in shapes.items()}
    return Network("own", "made for a test", lambda d, k, m: table, lambda p, x: x, apply)


@jax.jit
def layer(x, W, b):
    return relu(jnp.dot(x, W.T) + b)


def one_product_read_twice(p, x):
    before = x @ p["W"].T
    return (relu(before + p["b"]) + relu(before)) @ p["A"].T


def together_and_alone(p, x):
    both = jnp.concatenate([x, x**2], axis=1) @ jnp.concatenate([p["W"], p["V"]], axis=1).T
    return (relu(both) + relu(x @ p["W"].T)) @ p["A"].T


def side_by_side(p, x):
    return relu(x @ jnp.concatenate([p["W"], p["V"]]).T + p["b"]) @ p["A"].T


def with_a_frozen_part(p, x):
    weights = jnp.concatenate([p["frozen"][:, None], p["W"]], axis=1)
    return relu(weights @ jnp.concatenate([jnp.ones((len(x), 1)), x], axis=1).T).T @ p["A"].T


W, b, A = (M, D), (M,), (K, M)
UNDERSTOOD = {
    "compiled within": own(lambda p, x: layer(x, p["W"], p["b"]) @ p["A"].T, W=W, b=b, A=A),
    "two biases in series": own(lambda p, x: relu(x @ p["W"].T + p["b"] + p["c"]) @ p["A"].T, W=W, b=b, c=b, A=A),
    "a bias of the input": own(lambda p, x: relu(x + p["b"]) @ p["A"].T, b=(D,), A=(K, D)),
    "a bias of many after a product of one": own(
        lambda p, x: relu(x @ p["v"].T + p["b"]) @ p["A"].T, v=(1, D), b=b, A=A
    ),
    "one neuron and one output": own(lambda p, x: relu(x @ p["v"].T + p["b"]) @ p["A"].T, v=(1, D), b=(1,), A=(1, 1)),
    "a bias used twice": own(lambda p, x: relu(relu(x @ p["W"].T + p["b"]) + p["b"]) @ p["A"].T, W=W, b=b, A=A),
    "one product read twice": own(one_product_read_twice, W=W, b=b, A=A),
    "together and alone": own(together_and_alone, W=W, V=W, A=A),
    "side by side": own(side_by_side, W=(4, D), V=(3, D), b=b, A=A),
    "with a frozen part": own(with_a_frozen_part, W=W, frozen=b, A=A),
    "an activation with slopes of its own": own(lambda p, x: jax.nn.silu(x @ p["W"].T) @ p["A"].T, W=W, A=A),
}
NOT_UNDERSTOOD = {
    "sine of a weight": own(lambda p, x: relu(x @ jnp.sin(p["W"]).T) @ p["A"].T, W=W, A=A),
    "sum of weights": own(lambda p, x: relu(x @ (p["W"] + p["V"]).T) @ p["A"].T, W=W, V=W, A=A),
    "product of weights": own(lambda p, x: relu(x @ (p["V"] @ p["W"]).T) @ p["A"].T, W=W, V=(M, M), A=A),
    "both as W and as W'": own(lambda p, x: relu(relu(x @ p["W"].T) @ p["W"]) @ p["A"].T, W=W, A=(K, D)),
    "gain": own(lambda p, x: (p["b"] * relu(x @ p["W"].T)) @ p["A"].T, W=W, b=b, A=A),
    "part of a weight": own(lambda p, x: relu(x[:, :2] @ p["W"][:, :2].T) @ p["A"].T, W=W, A=A),
    "reshaped": own(lambda p, x: relu(x @ p["W"].reshape(D, M)) @ p["A"].T, W=W, A=A),
    "turned while reshaped": own(
        lambda p, x: relu(x @ jax.lax.reshape(p["W"], (D, D), (1, 0)).T) @ p["A"].T, W=(D, D), A=(K, D)
    ),
    "two vectors of one sample": own(
        lambda p, x: relu(jnp.stack([x, x**2], axis=1) @ p["W"].T).sum(axis=1) @ p["A"].T, W=W, A=A
    ),
    "a bias for many": own(lambda p, x: relu(x[:, :, None] + p["b"]).sum(axis=1) @ p["A"].T, b=b, A=A),
    "weights as they are": own(lambda p, x: relu(x @ p["W"].T) @ p["A"].T + p["c"].sum(), W=W, c=b, A=A),
}


class TestStructure:
    @pytest.mark.parametrize("what", UNDERSTOOD)
    def test_found(self, what, X):
        network, train = UNDERSTOOD[what], "hidden" if "frozen" in what else "all"
        assert structure(network, start(network, width=2), train, X) is not None
        self.check(network, train, X)

    @pytest.mark.parametrize("what", NOT_UNDERSTOOD)
    def test_not_found(self, what, X):
        network = NOT_UNDERSTOOD[what]
        assert structure(network, start(network, width=2), "all", X) is None
        if what in ("sine of a weight", "both as W and as W'"):  # the way without a structure is the same for all
            self.check(network, "all", X)

    def check(self, network, train, X):
        params = start(network, width=2)  # larger weights
        gradients = jacobian(network, params, train, X)
        close(empirical(network, params, train).full(X), gradients @ gradients.T)

    def test_nothing_trained(self, X):
        linear = own(lambda p, x: x @ p["A"].T, A=(K, D))
        assert not empirical(linear, start(linear), "hidden").full(X).any()

    def test_biases_share_the_gradients_of_their_products(self, X):
        for network in (networks.three_layer, UNDERSTOOD["one product read twice"]):
            assert structure(network, start(network), "all", X).gradients == (M, M, K)


def test_an_entry_against_finite_differences(rng):
    params = start(networks.resnet)
    x, z = rng.standard_normal((2, D))

    def out(p, x):
        out1 = p["A"] @ np.maximum(p["W"] @ x + p["b1"], 0)
        return out1 + p["A"] @ np.maximum(p["V"] @ out1 + p["b2"], 0)

    def slope(name, place, x, h=1e-6):
        up, down = ({**params, name: params[name].copy()} for _ in range(2))
        up[name][place] += h
        down[name][place] -= h
        return (out(up, x) - out(down, x)) / (2 * h)

    places = [(name, place) for name, w in params.items() for place in np.ndindex(w.shape)]
    expected = sum(np.outer(slope(*at, x), slope(*at, z)) for at in places)
    kernel = empirical(networks.resnet, params)
    np.testing.assert_allclose(kernel.full(x[None], z[None]), expected, rtol=1e-6, atol=1e-8)
    assert kernel(x[None], z[None])[0, 0] == pytest.approx(np.trace(expected) / K, rel=1e-6)


class TestTangentAt:
    def test_products_and_maps(self, X, rng):
        network = networks.resnet
        params = start(network)
        v = rng.standard_normal((7, K))
        full = empirical(network, params).full(X)
        with jax.enable_x64(True):
            at = TangentAt(network, params, "all")
            product = at.product(X)(v)
            changed = at.change(X, at.pull_back(X, v))
            outputs = at.outputs(X)
        close(product, (full @ v.ravel()).reshape(7, K))
        close(changed, product)
        np.testing.assert_allclose(outputs, network.apply(params, jnp.asarray(X)), rtol=1e-4, atol=1e-5)

    def test_conjugate_features_are_those_of_the_last_layer(self, X):
        features = conjugate_features(networks.resnet, start(networks.resnet), X)
        close(empirical(networks.resnet, start(networks.resnet), "last")(X), features @ features.T)


POINTS = np.array([[1.0, 0, 0, 0], [0.6, 0.8, 0, 0], [-0.5, 1.0, 1.0, 0.5]])


def va_limit(train):
    """The limit of the ResNet with U = VA at section 8.1's start.

    out1 = A h_1 is of order m^-1/2, so that the second layer sees b2 alone: h_2 = s(b2) at every x, |h_2|^2 = 1/2, and
    the slopes give b2 another 1/2. What h_1 and h_2 share is (sqrt(|x|^2 + 1) + sqrt(|z|^2 + 1)) / (2 pi).
    """
    mean = np.sqrt(np.sum(POINTS**2, axis=1) + 1) / (2 * np.pi)
    last = kernels.get("ck2(bias=True)")(POINTS) / 2 + mean[:, None] + mean + 1 / 2
    hidden = kernels.get("ntk2(bias=True, train='hidden')")(POINTS) / 2 + 1 / 2
    return {"last": last, "hidden": hidden, "all": last + hidden}[train]


LIMITS = {
    "2layer": lambda train: kernels.get(f"ntk2(bias=True, train={train!r})")(POINTS) / 2,
    "3layer": lambda train: kernels.get(f"ntk3(bias=True, hidden_bias=True, train={train!r})")(POINTS) / 4,
    "3resnet": va_limit,
    "3resnet-full": lambda train: kernels.get(f"ntk3res(bias=True, hidden_bias=True, train={train!r})")(POINTS) / 2,
}


class UnitFirstLayer:
    """W ~ N(0, 1) and the rest N(0, 1/m): out1 = A s(Wx + b1) stays of order 1."""

    def std(self, layer, width):
        return 1.0 if layer == "first" else width**-0.5


def draws(name, train, width, seeds, initialisation=None):
    """The kernel of POINTS, once for each seed; section 8.1's start by default."""
    network = networks.get(name)
    at = {"inputs": 4, "outputs": 4, "width": width, "initialisation": initialisation}
    return np.array([empirical(network, start(network, seed, **at), train)(POINTS) for seed in range(seeds)])


def spread(name, width, seeds):
    kernel = draws(name, "hidden", width, seeds, UnitFirstLayer())
    return np.mean(kernel.std(axis=0) / kernel.mean(axis=0))


class TestWideNetworks:
    @pytest.mark.parametrize("train", TRAIN)
    @pytest.mark.parametrize("name", LIMITS)
    def test_tend_to_their_limits(self, name, train):
        limit = LIMITS[name](train)
        wide = draws(name, train, 512 if "U" in networks.get(name).layers else 4096, 25)
        error = wide.std(axis=0, ddof=1) / 5  # the standard error of a mean of 25
        assert error.max() < 0.035 * limit.max()
        assert (np.abs(wide.mean(axis=0) - limit) < 4 * error).all()
        assert (np.abs(wide.mean(axis=0) - 1.2 * limit) > 4 * error).any()
        if train == "all":
            narrow = draws(name, train, 64, 9)
            assert np.abs(wide - limit).mean() < 0.6 * np.abs(narrow - limit).mean()

    def test_with_u_equal_to_va_there_is_none_where_the_first_output_stays(self):
        assert spread("3resnet", 4096, 24) > 0.5 * spread("3resnet", 256, 24) > 0.15
        assert spread("3resnet-full", 1024, 9) < 0.6 * spread("3resnet-full", 128, 9)


class TestMistakes:
    def test_inputs_that_do_not_fit(self, X):
        kernel = empirical(networks.two_layer, start(networks.two_layer))
        for values in (kernel, kernel.full, kernel.diagonal):
            with pytest.raises(InputError, match=r"The inputs have 4 columns.*a W of the shape \(7, 4\), not \(7, 5\)"):
                values(X[:, :4])
        with pytest.raises(InputError, match="X has 5 columns and Z has 4"):
            kernel.full(X, X[:, :4])

    @pytest.mark.parametrize(
        ("network", "params", "words"),
        [
            ("2layer", {}, r"such as networks.get\('2layer'\), not of the type str"),
            (networks.two_layer, None, "must be the weights of 2layer by name: A, W, b1"),
            (networks.three_layer, start(networks.two_layer), "must be the weights of 3layer by name: A, U, W"),
            (networks.two_layer, start(networks.two_layer) | {"b1": np.full(M, np.nan)}, "not all finite"),
        ],
    )
    def test_what_is_no_network_with_its_weights(self, network, params, words):
        with pytest.raises(InputError, match=words):
            empirical(network, params)

    def test_unknown_part(self):
        with pytest.raises(InputError, match=r"Unknown part of a network 'hiden'. Did you mean 'hidden'"):
            Empirical(networks.resnet, start(networks.resnet), "hiden")

    @pytest.mark.parametrize("moving", [False, True])
    def test_what_does_not_fit_is_refused(self, moving, X, monkeypatch):
        kernel = empirical(networks.resnet, start(networks.resnet))
        if moving:
            monkeypatch.setattr(module, "find_structure", lambda *_: None)
        monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 400)
        with pytest.raises(InputError, match=r"A Gram matrix of 21 x 21 needs .* GiB, and .* are free"):
            kernel.full(X)
        with pytest.raises(InputError, match=r"The gradients of one sample needs .* GiB.* Take a narrower network"):
            kernel(X)
        monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 2**20)
        assert kernel(X).shape == (N, N)
