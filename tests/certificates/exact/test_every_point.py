"""The risk over every point of the cube."""

import json
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import KernelRegressor, ResNetRegressor, certificates, networks, problems
from kernelgap.certificates.exact import every_point
from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.every_point import TrainedNetwork, exact_risk
from kernelgap.certificates.exact.rounding import output_error
from kernelgap.errors import InputError
from kernelgap.training.native import NETWORKS

PROBLEMS = ("hard(d=10, k=3, alpha=0.5)", "hard(d=14, k=3, alpha=0.5)", "hard(d=12, k=3, alpha=0.5, d1=9)")


def at_random(problem, network="3resnet", width=20):
    params = networks.get(network).init(jax.random.key(0), inputs=problem.d, outputs=problem.outputs, width=width)
    return TrainedNetwork(networks.get(network), params, scale=1.5, offset=np.linspace(-0.1, 0.1, problem.outputs))


def directly(problem, predict):
    X = cube_of(problem).points(0, 2 ** cube_of(problem).d)
    return ((problem.target(X) - predict(X)) ** 2).sum(axis=1).mean()


@pytest.mark.parametrize("network", [name for name in networks.NETWORKS if "gated" not in name])
@pytest.mark.parametrize("text", PROBLEMS)
def test_a_network_has_the_risk_of_all_its_errors(text, network):
    problem = problems.get(text)
    trained = at_random(problem, network)
    found = exact_risk(problem, trained)
    assert found.points == 2**problem.d
    assert abs(found.risk - directly(problem, trained)) <= found.rounding
    assert found.rounding < 1e-8 * found.risk
    assert found.proved == (found.risk - found.rounding, found.risk + found.rounding)
    assert found.interval[0] < found.risk < found.interval[1]


@pytest.mark.parametrize("network", [network.name for network in NETWORKS])
@pytest.mark.parametrize("text", PROBLEMS)
@pytest.mark.parametrize("width", [1, 20, 37])
def test_compiled_loops_and_xla_agree(monkeypatch, text, network, width):
    problem = problems.get(text)
    trained = at_random(problem, network, width)
    compiled = exact_risk(problem, trained)
    monkeypatch.setenv("KERNELGAP_NATIVE", "off")
    assert abs(exact_risk(problem, trained).risk - compiled.risk) <= compiled.rounding


def test_gates_see_every_input():
    problem = problems.get(PROBLEMS[0])
    trained = at_random(problem, "2layer-gated")
    found = exact_risk(problem, trained)
    assert found.risk == pytest.approx(directly(problem, trained), rel=1e-12)
    assert 0 < found.rounding < 1e-8 * found.risk


def test_zero_background_halves_nothing():
    problem = problems.get("hard(d=12, k=3, alpha=0.5, d1=9, background='zero')")
    trained = at_random(problem)
    found = exact_risk(problem, trained)
    assert found.points == 2**9
    assert found.risk == pytest.approx(directly(problem, trained), rel=1e-5)


def test_predictors_of_any_kind_agree():
    problem = problems.get("hard(d=13, k=3, alpha=0.5)")
    X, Y = problem.sample(100, 0)
    network = ResNetRegressor(width=10, epochs=5, random_state=0).fit(X, Y)
    by_rows, by_calls = exact_risk(problem, network), exact_risk(problem, network.predict)
    assert exact_risk(problem, network.model_) == by_rows
    assert by_rows.rounding > 0 == by_calls.rounding
    assert abs(by_rows.risk - by_calls.risk) < 1e-5
    assert by_calls.rounding == 0
    kernel = KernelRegressor("ck2", ridge=0.1).fit(X, Y)
    assert exact_risk(problem, kernel).risk == pytest.approx(directly(problem, kernel.predict))
    assert exact_risk(problem, lambda X: problem.base(X)).risk == pytest.approx(problem.threshold)
    assert exact_risk(problem, problem.target).risk == 0


def test_a_kernels_best_weights_do_not_beat_its_floor():
    problem = problems.get("hard(d=10, k=3, alpha=0.5)")
    X, Y = problem.sample(80, 0)
    floor = certificates.oracle_risk(problem, "ck2", X)
    for ridge in (1e-8, 1e-4, 1e-2):
        fitted = KernelRegressor("ck2", ridge=ridge).fit(X, Y)
        assert exact_risk(problem, fitted).risk > floor.interval[0]


def test_an_interrupted_evaluation_goes_on(tmp_path, monkeypatch):
    problem = problems.get("hard(d=14, k=3, alpha=0.5)")
    trained = at_random(problem)
    monkeypatch.setattr(every_point, "LOWER", 8)
    monkeypatch.setattr(every_point, "AT_ONCE", 2**10)
    whole = exact_risk(problem, trained).risk
    calls = []
    network_rows = every_point._network_rows

    def interrupted(*arguments):
        rows = network_rows(*arguments)

        def sums(first, stop):
            calls.append(first)
            if len(calls) == 6:
                raise KeyboardInterrupt
            return rows(first, stop)

        return sums

    monkeypatch.setattr(every_point, "_network_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        exact_risk(problem, trained, resume=tmp_path / "points")
    assert sum(v is not None for v in json.loads((tmp_path / "points").read_text())["sums"]) == 5
    calls.clear()
    calls.extend([-1] * 6)
    assert exact_risk(problem, trained, resume=tmp_path / "points").risk == whole  # bit for bit
    visited = {first for first in calls if first >= 20}
    assert visited == set(range(20, 64, 4)) | {first for first in visited if first % 4}  # and what was done was kept

    with pytest.raises(InputError, match="another evaluation"):
        exact_risk(problem, at_random(problem, width=21), resume=tmp_path / "points")
    (tmp_path / "points").write_text("{")
    with pytest.raises(InputError, match="not a record"):
        exact_risk(problem, trained, resume=tmp_path / "points")


def test_refusals():
    problem = problems.get("hard(d=31, k=3, alpha=0.5)")
    with pytest.raises(InputError, match=r"2\^31 points are too many"):
        exact_risk(problem, problem.target)
    problem = problems.get("hard(d=12, k=3, alpha=0.5, d1=9, background='gaussian')")
    with pytest.raises(InputError, match="not the points of a cube"):
        exact_risk(problem, problem.target)
    problem = problems.get("hard(d=9, k=3, alpha=0.5)")
    with pytest.raises(InputError, match="has a method predict"):
        exact_risk(problem, 3)
    with pytest.raises(InputError, match=r"shape \(64, 1\) for 64 inputs of 3 outputs"):
        exact_risk(problem, lambda X: X[:, 0])


def in_long_doubles(problem, trained):
    """3resnet with 64 bits of mantissa, written out: another program, of another precision."""
    wide = np.longdouble
    w = {name: np.asarray(value).astype(wide) for name, value in trained.params.items()}
    signs = np.sign(cube_of(problem).points(0, 2**problem.d))
    X = signs.astype(wide) / np.sqrt(wide(problem.d))
    out1 = np.maximum(X @ w["W"].T + w["b1"], 0) @ w["A"].T
    out = out1 + np.maximum(out1 @ w["V"].T + w["b2"], 0) @ w["A"].T
    target = problem.target(signs / problem.d**0.5)
    return ((target - out * wide(trained.scale) - np.asarray(trained.offset).astype(wide)) ** 2).sum(axis=1).mean()


def cancelling(params, size):
    """Weights of this size whose sum is 0: outputs are b1 = 1 times 0, and what rounding makes of it."""
    m = params["b1"].size
    alternating = np.where(np.arange(m) % 2, -1.0, 1.0) * size * np.linspace(1, 1.5, m // 2).repeat(2)
    return {
        **params,
        "W": np.asarray(params["W"]) * 1e-3,
        "b1": np.ones(m, np.float32),
        "A": np.tile(alternating, (params["A"].shape[0], 1)).astype(np.float32),
    }


@pytest.mark.parametrize("size", [1.0, 1e3, 1e7])
def test_the_proved_interval_contains_what_more_digits_give(size):
    problem = problems.get("hard(d=9, k=3, alpha=0.5)")
    start = networks.get("3resnet").init(jax.random.key(1), inputs=9, outputs=3, width=20)
    for params in (start, cancelling(start, size)):
        trained = TrainedNetwork(networks.get("3resnet"), params, scale=0.7, offset=np.float32([0.1, 0.2, 0.3]))
        found = exact_risk(problem, trained)
        assert found.proved[0] <= float(in_long_doubles(problem, trained)) <= found.proved[1]
        assert found.rounding < 1e-6 * found.risk


def test_what_overflows_has_no_finite_interval():
    problem = problems.get("hard(d=9, k=3, alpha=0.5)")
    params = networks.get("3resnet").init(jax.random.key(1), inputs=9, outputs=3, width=20)
    for scale in (1e160, 1e308):
        assert exact_risk(problem, TrainedNetwork(networks.get("3resnet"), params, scale=scale)).rounding == np.inf
    deep = networks.get("resnet-9")
    large = {name: np.full(w.shape, 3e38, np.float32) for name, w in deep.weights(9, 3, 20).items()}
    assert exact_risk(problem, TrainedNetwork(deep, large)).rounding == np.inf


@pytest.mark.parametrize("name", [*networks.NETWORKS, "3resnet-conv(patches=3)", "3resnet-gated(sharpness=8.0)"])
def test_every_network_has_a_bound_on_its_rounding(name):
    network = networks.get(name)
    params = {n: np.full(w.shape, 0.1) for n, w in network.weights(9, 3, 20).items()}
    size, error = output_error(network, params, np.full(9, 1 / 3), np.full(9, 2e-16))
    assert (size < 1e3).all()
    assert (error < 1e-6).all()  # gates: sigmoids count as known to 2^-40 only
    assert (error > 1e-16).all()


@pytest.mark.parametrize("name", ["2layer-signs", "3resnet", "resnet-2", "3resnet-gated"])
def test_rounding_stays_within_its_bound_and_float32_does_not(name, rng):
    """The bound is for float64: another order of the same sums is within it, the same program in float32 is not."""
    network = networks.get(name)
    params = network.init(jax.random.key(2), inputs=9, outputs=3, width=20)
    X = np.where(rng.random((200, 9)) < 0.5, -1.0, 1.0) / 3
    exact = TrainedNetwork(network, params)(X)
    size, error = output_error(network, params, np.full(9, 1 / 3), np.full(9, 2e-16))
    assert (np.abs(exact) <= size).all()
    shuffled = rng.permutation(9)
    other = {n: np.asarray(w)[:, shuffled] if n in ("W", "gate_W") else w for n, w in params.items()}
    assert (np.abs(TrainedNetwork(network, other)(X[:, shuffled]) - exact) <= 2 * error).all()
    single = np.asarray(network.apply(params, jnp.asarray(X, dtype=jnp.float32)), dtype=float)
    assert np.abs(single - exact).max() > error.max()


def test_a_network_without_a_bound_is_refused():
    strange = replace(networks.get("2layer"), apply=lambda params, x: jnp.sin(x @ params["W"].T) @ params["A"].T)
    params = strange.init(jax.random.key(0), inputs=9, outputs=3, width=5)
    with pytest.raises(InputError, match="its step 'sin' is not among those"):
        exact_risk(problems.get("hard(d=9, k=3, alpha=0.5)"), TrainedNetwork(strange, params))
    halved = replace(strange, apply=lambda params, x: (x.astype(jnp.float32) @ params["W"].T) @ params["A"].T)
    with pytest.raises(InputError, match="its step 'convert_element_type'"):
        output_error(halved, params, np.ones(9), np.zeros(9))


@pytest.mark.parametrize("network", ["3resnet", "3resnet-gated", "3resnet-conv(patches=2)", "2layer"])
def test_wide_networks_are_evaluated_in_pieces(monkeypatch, network):
    problem = problems.get("hard(d=12, k=3, alpha=0.5)")
    trained = at_random(problem, network)
    whole, outputs = exact_risk(problem, trained), trained(problem.sample(300, 0)[0])
    seen = []

    def apply(params, X):
        if not isinstance(X, jax.core.Tracer):  # compiled programs see rows of points_at_once
            seen.append(len(X))
        return trained.network.apply(params, X)

    monkeypatch.setattr(every_point, "BYTES", 2**19)
    watched = replace(trained, network=replace(trained.network, apply=apply))
    assert 16 < watched.points_at_once <= 2**10
    np.testing.assert_allclose(watched(problem.sample(300, 0)[0]), outputs, rtol=1e-12, atol=1e-12)
    pieces = exact_risk(problem, watched)
    assert max(seen) <= max(64, watched.points_at_once)
    assert abs(pieces.risk - whole.risk) <= whole.rounding + pieces.rounding


def test_activations_are_counted():
    """Of a gated network its width several times; half as many points for twice the width."""
    problem = problems.get(PROBLEMS[0])
    narrow, wide = (at_random(problem, "3resnet-gated", width).points_at_once for width in (64, 256))
    assert wide == narrow // 4
    assert 2 * 256 * 8 * wide <= every_point.BYTES <= 50 * 256 * 8 * wide


def test_what_does_not_fit_into_memory_is_refused(monkeypatch):
    problem = problems.get(PROBLEMS[0])
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 2**29)
    with pytest.raises(
        InputError, match=r"The exact risk of 3resnet with [\d,]+ weights needs .* Take a smaller width."
    ):
        exact_risk(problem, at_random(problem))
