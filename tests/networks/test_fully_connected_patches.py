"""The convolutional ResNet on patches, with ReLUs and with gates: against a plain loop over patches, and its laws."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.certificates import exact_risk
from kernelgap.certificates.exact.every_point import TrainedNetwork
from kernelgap.errors import InputError
from kernelgap.kernels import empirical
from kernelgap.networks.layers import SHARPNESS
from kernelgap.training import Schedule, get_model, train_grid

P, LENGTH, K, M = 3, 4, 2, 7
D = P * LENGTH
PLAIN, GATED = f"3resnet-conv(patches={P})", f"3resnet-conv-gated(patches={P})"
BOTH = (PLAIN, GATED)


def opening(p, x, W, b):
    entries = np.concatenate([p[f"gate_{W}"].ravel(), p[f"gate_{b}"]])
    z = (p[f"gate_{W}"] @ x + p[f"gate_{b}"]) / np.sqrt(np.mean(entries**2))
    return 1 / (1 + np.exp(-SHARPNESS * z))


def layer(p, x, W, b):
    z = p[W] @ x + p[b]
    return opening(p, x, W, b) * z if f"gate_{W}" in p else np.maximum(z, 0)


def naive(p, x):
    """out1, the last hidden layer and out of one input, patch after patch, V_j a block of V."""
    out1, hidden, seen = np.zeros(K), np.zeros(M), []
    for j in range(P):
        h = layer(p, x[j * LENGTH : (j + 1) * LENGTH], "W", "b1")
        seen.append(p["A"] @ h)
        hidden = hidden + h
        out1 = out1 + seen[-1]
    z = p["b2"] + sum(p["V"][:, j * K : (j + 1) * K] @ seen[j] for j in range(P))
    second = np.maximum(z, 0)
    if "gate_V" in p:
        second = opening(p, np.concatenate(seen), "V", "b2") * z
    return out1, hidden + second, out1 + p["A"] @ second


def drawn(name, rng):
    """Weights of size 1, the trained ones away from the gates."""
    table = networks.get(name).weights(D, K, M)
    return {n: rng.standard_normal(w.shape) / np.sqrt(w.shape[-1]) for n, w in table.items()}


@pytest.mark.parametrize("name", BOTH)
def test_forward_pass_against_a_loop_over_patches(name, rng):
    network, params = networks.get(name), drawn(name, rng)
    x = rng.standard_normal((9, D))
    out1, features, out = (np.array(part) for part in zip(*(naive(params, row) for row in x), strict=True))
    again = pickle.loads(pickle.dumps(network))
    with jax.enable_x64(True):
        functions = (network.first_output, network.features, network.apply, again.apply)
        found = jax.jit(lambda w, x: [function(w, x) for function in functions])(params, x)
    for values, expected in zip(found, (out1, features, out, out), strict=True):
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(features @ params["A"].T, out, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", BOTH)
def test_patches_may_change_places_together_with_blocks_of_v(name, rng):
    """They share their weights: only V, and the gates of V, know which patch is where."""
    network, params = networks.get(name), drawn(name, rng)
    order = np.array([2, 0, 1])
    x = rng.standard_normal((5, P, LENGTH))
    moved = {n: v.reshape(M, P, K)[:, order].reshape(M, P * K) for n, v in params.items() if n in ("V", "gate_V")}
    with jax.enable_x64(True):
        both = jax.jit(lambda w, x: (network.first_output(w, x), network.apply(w, x)))
        first, out = both(params, x.reshape(5, D))
        _, same = both({**params, **moved}, x[:, order].reshape(5, D))
        alike, other = both(params, x[:, order].reshape(5, D))
    np.testing.assert_allclose(same, out, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(alike, first, rtol=1e-12, atol=1e-13)
    assert np.abs(np.asarray(other) - np.asarray(out)).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTH)
def test_gradients_against_finite_differences(name, rng):
    network, model = networks.get(name), get_model(networks.get(name), "all")
    with jax.enable_x64(True):
        trained, frozen = model.split({n: jnp.asarray(w) for n, w in drawn(name, rng).items()})
        x, y = jnp.asarray(rng.standard_normal((6, D))), jnp.asarray(rng.standard_normal((6, K)))
        value = jax.jit(lambda w: 0.5 * jnp.sum((y - model.predict(w, frozen, x)) ** 2))
        gradient = jax.jit(jax.grad(value))(trained)
        assert set(gradient) == set(network.layers) - set(network.gates)
        for weight, w in trained.items():
            direction, h = jnp.asarray(rng.standard_normal(w.shape)), 1e-6
            up, down = (float(value({**trained, weight: w + sign * h * direction})) for sign in (1, -1))
            written = float(jnp.sum(gradient[weight] * direction))
            assert written == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTH)
def test_the_linearised_network_has_the_networks_derivative(name, rng):
    network = networks.get(name)
    model = get_model(network, "ntk")
    with jax.enable_x64(True):
        params = {n: jnp.asarray(w) for n, w in drawn(name, rng).items()}
        zero, frozen = model.split(params)
        x, h = jnp.asarray(rng.standard_normal((5, D))), 1e-6
        step = {n: jnp.asarray(rng.standard_normal(w.shape)) for n, w in zero.items()}
        linear = jax.jit(lambda t: model.predict(jax.tree.map(lambda s: t * s, step), frozen, x))
        at = jax.jit(lambda t: network.apply({**params, **{n: params[n] + t * s for n, s in step.items()}}, x))
        np.testing.assert_allclose(linear(0.0), at(0.0), rtol=1e-12)
        np.testing.assert_allclose(linear(1.0) - linear(0.0), (at(h) - at(-h)) / (2 * h), rtol=1e-6, atol=1e-7)
        assert np.abs(np.asarray(linear(1.0) - at(1.0))).max() > 0.01


@pytest.mark.parametrize(
    ("name", "train"),
    [
        (PLAIN, "all"),
        *(pytest.param(PLAIN, train, marks=pytest.mark.slow) for train in ("hidden", "last")),
        *(pytest.param(GATED, train, marks=pytest.mark.slow) for train in ("all", "hidden")),
    ],
)
def test_the_empirical_kernel_by_structure_and_by_moved_gradients(name, train, rng, monkeypatch):
    network, params = networks.get(name), drawn(name, rng)
    X, Z = rng.standard_normal((6, D)), rng.standard_normal((4, D))
    module = __import__("kernelgap.kernels.empirical.kernel", fromlist=["empirical"])
    kernel = empirical(network, params, train)
    with jax.enable_x64(True):
        assert module.TangentAt(network, params, train).structure(X) is not None
    fast = kernel.full(X, Z)
    monkeypatch.setattr(module, "find_structure", lambda *_: None)
    np.testing.assert_allclose(kernel.full(X, Z), fast, rtol=1e-10, atol=1e-12)
    assert np.abs(fast).max() > 0.1


@pytest.mark.parametrize("mode", [m if m == "all" else pytest.param(m, marks=pytest.mark.slow) for m in networks.MODES])
def test_gates_stay_as_they_were_bit_for_bit(mode, rng):
    network = networks.get(GATED)
    assert network.gates == ("gate_W", "gate_b1", "gate_V", "gate_b2")
    table = network.weights(D, K, M)
    assert [table[gate].copies for gate in network.gates] == ["W", "b1", "V", "b2"]
    params = {n: w.astype(np.float32) for n, w in drawn(GATED, rng).items()}
    before = {n: w.copy() for n, w in params.items()}
    X, Y = rng.standard_normal((20, D)), rng.standard_normal((20, K))
    schedule = Schedule(epochs=30, batch=10)
    model = get_model(network, mode)
    grid = train_grid(model, params, [0.05, 0.02], [0.01, 0.0], (X, Y), schedule=schedule, seed=[0], epochs=[])
    assert (grid.final("train") < grid.curves["train"][:, 0]).all()
    for gate in network.gates:
        assert gate not in grid.trained
        np.testing.assert_array_equal(grid.frozen[gate], before[gate])
    trained = {"last": {"A"}, "hidden": {"W", "b1", "V", "b2"}}.get(mode, {"W", "b1", "V", "b2", "A"})
    assert set(grid.trained) == trained
    for weight in trained:
        assert np.any(grid.trained[weight][0] != (0 if mode == "ntk" else before[weight]))


def test_with_one_patch_it_is_the_fully_connected_resnet(rng):
    one, plain = networks.get("3resnet-conv(patches=1)"), networks.resnet
    assert list(one.weights(D, K, M).items()) == list(plain.weights(D, K, M).items())  # and so the same start
    params = drawn("3resnet", rng)
    with jax.enable_x64(True):
        x = jnp.asarray(rng.standard_normal((5, D)))
        np.testing.assert_allclose(one.apply(params, x), plain.apply(params, x), rtol=1e-12)


@pytest.mark.slow
def test_the_theorys_start_goes_by_layers():
    m = 400
    start = networks.TheoremStart(sigma_w=0.2, sigma_v=3.0)
    params = networks.get(PLAIN).init(jax.random.key(0), inputs=D, outputs=K, width=m, initialisation=start)
    for name, std in {"W": 0.2, "V": 3.0 / np.sqrt(m), "A": 1 / np.sqrt(m)}.items():
        entries = np.asarray(params[name]).ravel() / std
        assert abs((entries**2).mean() - 1) < 5 * np.sqrt(2 / entries.size), name


@pytest.mark.slow
def test_every_point_of_a_cube_is_visited_with_all_patches(rng):
    """The route that folds coordinates into the first bias is not for W that meets several patches."""
    problem = problems.hard(d=6, k=2, alpha=0.3)
    network = networks.get("3resnet-conv(patches=3)")
    params = {n: rng.standard_normal(w.shape) for n, w in network.weights(6, 2, 4).items()}
    trained = TrainedNetwork(network, params)
    found = exact_risk(problem, trained)
    X = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T / np.sqrt(6)
    expected = ((problem.target(X) - trained(X)) ** 2).sum(axis=1).mean()
    assert found.risk == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("inputs", "scale"), [("signs", 1.0), ("cube", 0.5)])
def test_every_point_of_the_convolutional_concepts_cube(inputs, scale):
    F = {"F": "pairs"} if inputs == "signs" else {"F": "sin(z)", "G": "z^2", "inputs": "cube"}
    problem = problems.convolutional(patches=2, d=4, alpha=0.5, **F)
    X = scale * np.array(np.meshgrid(*[[-1.0, 1.0]] * 8)).reshape(8, -1).T
    found = exact_risk(problem, problem.base)
    assert found.risk == pytest.approx(problem.threshold, rel=1e-12)  # knowing F alone
    assert exact_risk(problem, problem.target).risk == 0
    ones = exact_risk(problem, lambda x: np.ones((len(x), problem.outputs)) * x[:, :1])
    expected = ((problem.target(X) - X[:, :1]) ** 2).sum(axis=1).mean()
    assert ones.risk == pytest.approx(expected, rel=1e-12)
    assert problem.exact


class TestNames:
    def test_one_object_for_each(self):
        for name in BOTH:
            assert networks.get(name).name == name
            assert networks.get(name) is networks.get(name.replace("=", " = "))
        assert networks.get(PLAIN) is networks.patch_resnet(P)
        assert networks.get(GATED) is networks.gated(PLAIN)
        assert networks.get(f"3resnet-conv-gated(sharpness=4, patches={P})") is networks.get(GATED)
        steep = networks.get(f"3resnet-conv-gated(patches={P}, sharpness=8)")
        assert steep.name == f"3resnet-conv-gated(patches={P}, sharpness=8.0)"
        assert networks.get(steep.name) is steep

    @pytest.mark.parametrize("name", ["3resnet-conv", "3resnet-conv-gated", "3resnet-conv(patches=3, sharpness=2)"])
    def test_what_it_takes(self, name):
        with pytest.raises(InputError, match=r"takes patches"):
            networks.get(name)

    @pytest.mark.parametrize("patches", [0, -1, 2.0, "'4'", True, 5000])
    def test_patches_are_a_whole_number(self, patches):
        for name in ("3resnet-conv", "3resnet-conv-gated"):
            with pytest.raises(InputError, match="whole number between 1 and 1024"):
                networks.get(f"{name}(patches={patches})")

    def test_gates_of_patches_unsaid(self):
        with pytest.raises(InputError, match="network with gates"):
            networks.gated("3resnet-conv")


class TestLengths:
    @pytest.mark.parametrize("name", BOTH)
    def test_inputs_must_divide(self, name, rng):
        with pytest.raises(InputError, match="10 inputs are not 3 patches"):
            networks.get(name).init(jax.random.key(0), inputs=10, outputs=K, width=M)
        with pytest.raises(InputError, match="10 inputs are not 3 patches"):
            empirical(networks.get(name), drawn(name, rng))(rng.standard_normal((4, 10)))

    def test_training_and_the_kernel_know_the_length(self, rng):
        network = networks.get(PLAIN)
        params = drawn(PLAIN, rng)
        with pytest.raises(InputError, match="takes 12 inputs to 2 outputs, but X has 9 columns and Y 2"):
            train_grid(
                get_model(network, "all"),
                params,
                [0.1],
                [0.0],
                (rng.standard_normal((10, 9)), rng.standard_normal((10, K))),
                schedule=Schedule(epochs=1, batch=5),
                seed=[0],
            )
        with pytest.raises(InputError, match="9 columns"):
            empirical(network, params)(rng.standard_normal((4, 9)))
        assert network.takes(params) == (D, K)
        assert network.size(inputs=D, outputs=K, width=M) == M * (LENGTH + 1) + M * (P * K + 1) + K * M
