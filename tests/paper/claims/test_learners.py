"""Networks, starts and modes: measured as written, and refused where they are not."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from kernelgap import kernels, networks, problems
from kernelgap.networks import Experiment
from kernelgap.paper.claims import get
from kernelgap.paper.claims.learners import as_written, convolution
from kernelgap.paper.claims.learners.modes import last, tangent
from kernelgap.paper.claims.learners.starts import moments
from kernelgap.paper.claims.side_by_side import Contest, Learner
from kernelgap.regression import default_ridges


@pytest.mark.parametrize("name", ["net.resnet", "net.bottleneck", "net.fc"])
def test_networks_are_their_formulas(name: str) -> None:
    claim = get(name)
    numbers = claim.measure("quick", 0)
    assert claim.judge(numbers).outcome == "holds"
    assert claim.judge({**numbers, next(iter(numbers)): 1e-6}).outcome == "fails"


def test_another_network_is_not_the_formula() -> None:
    """The three-layer network has the ResNet's weights but not its skip."""
    assert as_written.apart(networks.three_layer, as_written.resnet_formula, "quick", 0) > 0.01
    biased = dataclasses.replace(
        networks.two_layer, apply=lambda p, x: networks.two_layer.apply({**p, "b1": 1.001 * p["b1"]}, x)
    )
    assert as_written.apart(biased, as_written.two_layer_formula, "quick", 0) > 1e-6


def test_a_wrong_variance_or_mean_is_far_off() -> None:
    stated = dict.fromkeys(("first", "second", "output"), 1 / 400)
    true = moments(Experiment(), stated, 4, 0)
    claim = get("net.init.experiment")
    assert claim.judge({"rows": true}).outcome == "holds"
    larger = moments(Experiment(), {**stated, "second": 1.2 / 400}, 4, 0)
    verdict = claim.judge({"rows": larger})
    assert verdict.outcome == "fails"
    assert verdict.reason.startswith("V ")
    with_mean = [{**row, "off": [100.0, *row["off"][1:]]} for row in true]
    assert claim.judge({"rows": with_mean}).outcome == "fails"


def test_a_start_outside_of_table_1_must_be_refused() -> None:
    rows = [{"weight": "W", "stated": 1.0, "variance": 1.0, "off": [0.1, 0.2, 0.3]}]
    claim = get("net.init.theory")
    assert claim.judge({"rows": rows, "refused": [True, True]}).outcome == "holds"
    assert claim.judge({"rows": rows, "refused": [True, False]}).outcome == "fails"


MODES: dict[str, Any] = {
    "network": "2layer",
    "all": ["A", "W"],
    "hidden": ["W"],
    "last": 1e-7,
    "ntk": 1e-7,
    "weights": ["A", "W"],
    "hidden weights": ["W"],
}


@pytest.mark.parametrize("false", [{"last": 0.01}, {"ntk": 0.01}, {"hidden": ["A", "W"]}, {"all": ["W"]}])
def test_modes_are_refused(false: dict[str, Any]) -> None:
    claim = get("net.modes")
    assert claim.judge({"rows": [MODES]}).outcome == "holds"
    assert claim.judge({"rows": [{**MODES, **false}]}).outcome == "fails"


def test_the_references_are_minima() -> None:
    """Both kernel methods fit at least as well as their own start, and differ from one another."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((20, 3)), rng.standard_normal((20, 2))
    network = networks.two_layer
    params = {n: rng.standard_normal(w.shape).astype(np.float32) for n, w in network.weights(3, 2, 6).items()}
    at_features, at_tangent = last(network, params, X, Y, X), tangent(network, params, X, Y, X)
    assert np.abs(at_features - at_tangent).max() > 1e-3
    for fitted in (at_features, at_tangent):
        assert np.sum((Y - fitted) ** 2) < np.sum(Y**2)


@pytest.mark.slow
def test_modes_end_to_end() -> None:
    claim = get("net.modes")
    assert claim.judge(claim.measure("quick", 0)).outcome == "holds"


def learner(name: str, error: float | None, kind: str = "network", **more: Any) -> dict[str, Any]:
    told = {"learner": name, "kind": kind, "samples": 800, "seed": 0}
    return {**told, "test_error": error, "standard_error": 0.01, **more}


CONV = convolution.CONV


def kernel(name: str, error: float) -> dict[str, Any]:
    return learner(name, error, "kernel", above=error - 0.75, above_standard_error=0.01)


BESIDE = [learner("3resnet", 1.4), kernel("ntk2", 1.5), kernel(f"{CONV}(last)", 0.9)]


@pytest.mark.parametrize(
    ("rows", "outcome", "reason"),
    [
        ([learner(CONV, 0.1), learner(CONV, 0.2), *BESIDE], "holds", "every seed"),
        ([learner(CONV, 0.1), learner(CONV, 0.5), *BESIDE], "fails", "half of the line"),
        ([learner(CONV, 0.1), learner(CONV, None), *BESIDE], "fails", "half of the line"),
        ([learner(CONV, 0.1), *BESIDE, kernel("gaussian", 0.7)], "fails", "so does the kernel gaussian"),
        ([learner(CONV, 0.37), *BESIDE], "undecided", "standard errors"),
        ([learner(CONV, 0.1), *BESIDE, kernel("gaussian", 0.76)], "undecided", "standard errors"),
    ],
)
def test_what_the_convolutional_resnet_has_to_do(rows: list[dict[str, Any]], outcome: str, reason: str) -> None:
    verdict = get("net.conv").judge({"threshold": 0.75, "rows": rows})
    assert verdict.outcome == outcome
    assert reason in verdict.reason


def gates(**false: Any) -> dict[str, Any]:
    true = {"under": "line", "limit": 1.5, "with ReLUs": 0.1, "kernels": {"ntk2": 2.0}, "gates": 4, "kept": 4}
    row = learner("3resnet-gated", 0.3, **true, trained=["A", "V", "W", "b1", "b2"])
    return {"width": 100, "samples": 500, "rows": [row, {**row, "seed": 1, **false}]}


@pytest.mark.parametrize(
    ("false", "outcome", "reason"),
    [
        ({}, "holds", "ReLUs do better from as many samples in 2 of 2 cases"),
        ({"with ReLUs": None}, "holds", "in 1 of 2 cases"),
        ({"kept": 3}, "fails", "a gate is not what it was"),
        ({"kept": 0, "gates": 0}, "fails", "a gate is not what it was"),
        ({"trained": ["A", "gate_W"]}, "fails", "a gate is not what it was"),
        ({"test_error": 1.6}, "fails", "does not get under"),
        ({"test_error": None, "standard_error": None}, "fails", "does not get under"),
        ({"test_error": 1.49}, "undecided", "standard errors"),
    ],
)
def test_what_gated_networks_have_to_do(false: dict[str, Any], outcome: str, reason: str) -> None:
    verdict = get("net.gated").judge(gates(**false))
    assert verdict.outcome == outcome
    assert reason in verdict.reason


CONTEST = Contest(problems.convolutional(patches=2, d=4, alpha=0.5), samples=60, epochs=3, seed=0)


def test_the_ridge_of_a_contest_is_chosen_on_validation() -> None:
    """Against a solve for each ridge; what is told is the error on other data than the choice was made on."""
    problem = CONTEST.problem
    (row,) = CONTEST.by_ridge(["gaussian"])
    X, Y = problem.sample(60, 0)
    gaussian = kernels.get("gaussian").fit(X)
    gram = gaussian(X)
    errors: list[tuple[float, float]] = []
    for ridge in default_ridges(float(np.mean(np.diag(gram))), 60):
        a = np.linalg.solve(gram + ridge * np.eye(60), Y)
        sets = (problem.sample(1000, [0, 1]), problem.sample(3000, [0, 2]))
        validation, test = (float(((gaussian(x, X) @ a - y) ** 2).sum(axis=1).mean()) for x, y in sets)
        errors.append((validation, test))
    assert row["test_error"] == pytest.approx(min(errors)[1], rel=1e-6)
    composite = problem.composite(problem.sample(3000, [0, 2])[0])
    assert row["above"] == pytest.approx(min(errors)[1] - float((composite**2).sum(axis=1).mean()), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["3resnet-conv-gated(patches=2)", "2layer"])
def test_a_contest_tells_whether_gates_were_kept(name: str) -> None:
    row = CONTEST.by_sgd(Learner(name, 8, (0.01,), (0.0,)))
    assert (row["gates"], row["kept"]) == ((4, 4) if "gated" in name else (0, 0))
    assert row["test_error"] > 0
    assert not any(weight.startswith("gate_") for weight in row["trained"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["net.gated", "net.conv"])
def test_gates_and_convolution_end_to_end(name: str) -> None:
    claim = get(name)
    assert claim.judge(claim.measure("quick", 0)).outcome == "holds"
