"""The risk over every point of the cube."""

import json

import jax
import numpy as np
import pytest

from kernelgap import KernelRegressor, ResNetRegressor, certificates, networks, problems
from kernelgap.certificates import every_point
from kernelgap.certificates.cube import cube_of
from kernelgap.certificates.every_point import TrainedNetwork, exact_risk
from kernelgap.errors import InputError

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
    assert found.rounding < 1e-5 * found.risk
    assert found.interval[0] < found.risk < found.interval[1]


def test_gates_see_every_input():
    problem = problems.get(PROBLEMS[0])
    trained = at_random(problem, "2layer-gated")
    found = exact_risk(problem, trained)
    assert found.risk == pytest.approx(directly(problem, trained), rel=1e-12)
    assert found.rounding == 0


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
    rows = every_point._NetworkRows.__call__

    def interrupted(self, first, stop):
        calls.append(first)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return rows(self, first, stop)

    monkeypatch.setattr(every_point._NetworkRows, "__call__", interrupted)
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
