"""Layer-wise training touches one layer at a time."""

import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.errors import InputError
from kernelgap.networks import Network
from kernelgap.paper.algorithms.layerwise import train_layerwise
from kernelgap.training import Schedule

PROBLEM = problems.hard(d=6, k=2, alpha=0.3)


def random(network: Network, width: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    weights = network.weights(PROBLEM.d, PROBLEM.outputs, width)
    return {name: (rng.standard_normal(w.shape) / width**0.5).astype(np.float32) for name, w in weights.items()}


def test_one_layer_after_the_other() -> None:
    network = networks.resnet
    params = random(network, 20)
    train, validation, test = (PROBLEM.sample(60, [0, i]) for i in range(3))
    schedule = Schedule(epochs=40, batch=20)
    rates = [1e-4, 0.2]
    both = train_layerwise(
        network, params, rates, [0.0, 0.0], train, validation, schedule=schedule, seed=[0, 3], evaluate={"test": test}
    )
    assert both.chosen == 1
    first, second = both.first.predictor(1), both.second.predictor(1)
    assert set(first.trained) == {"W", "b1"}
    assert set(second.trained) == {"V", "b2"}
    np.testing.assert_array_equal(second.frozen["W"], first.trained["W"])
    out1 = network.first_output({**second.frozen, **second.trained}, jnp.asarray(test[0], jnp.float32))
    np.testing.assert_allclose(first(test[0]), out1, rtol=1e-4, atol=1e-5)
    # The second layer starts where the whole network stands, and brings its training error down.
    assert both.second.curves["train"][1, -1] < both.second.curves["train"][1, 0]


def test_a_first_block_is_needed() -> None:
    params = random(networks.two_layer, 4)
    sample = PROBLEM.sample(5, 0)
    with pytest.raises(InputError, match="no first block"):
        train_layerwise(
            networks.two_layer,
            params,
            [0.1],
            [0.0],
            sample,
            sample,
            schedule=Schedule(epochs=1, batch=5),
            seed=[0],
            evaluate={},
        )
