"""Networks, starts and modes: measured as written, and refused where they are not."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from kernelgap import networks
from kernelgap.claims import get
from kernelgap.claims.learners import as_written
from kernelgap.claims.learners.modes import last, tangent
from kernelgap.claims.learners.starts import moments
from kernelgap.networks import Experiment


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


@pytest.mark.parametrize("name", ["net.gated", "net.conv"])
def test_what_is_not_there_is_undecided(name: str) -> None:
    claim = get(name)
    numbers = claim.measure("quick", 0)
    assert claim.judge(numbers).outcome == "undecided"
    assert claim.judge({**numbers, "built": True}).outcome == "undecided"
