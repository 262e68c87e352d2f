"""What a verification lists as taken on trust."""

import jax
import pytest

from kernelgap import networks, problems
from kernelgap.certificates import TrainedNetwork, certify, verify
from kernelgap.certificates.files.statements import start_hypothesis
from kernelgap.networks.fully_connected import gated


def test_a_picked_setting_says_from_how_many(tmp_path):
    network = networks.get("2layer")
    params = network.init(jax.random.key(0), inputs=6, outputs=2, width=4)
    trained = TrainedNetwork(network, params)
    for training, told in (({"candidates": 199}, True), ({"candidates": 1}, False), ({}, False)):
        certify(tmp_path / "cert.zip", problems.hard(d=6, k=2, alpha=0.5), trained, samples=5, training=training)
        found = verify(tmp_path / "cert.zip")
        assert found.holds
        assert any("picked from 199 candidates" in statement for statement in found.trusted) == told


@pytest.mark.parametrize("name", ["2layer", "2layer-signs", "3layer", "3resnet", "3resnet-full", "resnet-2"])
def test_the_start_of_our_networks_is_symmetric_in_the_coordinates(name):
    network = networks.get(name)
    assert start_hypothesis(network).checked
    # by its own draws: the second moments of columns of W, over many starts, are those of independent entries
    drawn = [network.init(jax.random.key(i), inputs=3, outputs=2, width=4)["W"] for i in range(300)]
    columns = jax.numpy.stack(drawn).reshape(-1, 3)
    second = columns.T @ columns / len(columns) * 4
    assert abs(second - jax.numpy.eye(3)).max() < 5 * (2 / 1200) ** 0.5


def test_a_start_that_sees_coordinates_elsewhere_is_not_checked():
    assert not start_hypothesis(gated("2layer")).checked
