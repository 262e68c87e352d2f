"""Layer-wise training touches one layer at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.errors import InputError
from kernelgap.training import Schedule
from kernelgap.training.layerwise import train_layerwise

PROBLEM = problems.hard(d=6, k=2, alpha=0.3)


def test_one_layer_after_the_other() -> None:
    network = networks.resnet
    params = network.init(jax.random.key(0), inputs=6, outputs=2, width=20)
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
    params = networks.two_layer.init(jax.random.key(0), inputs=6, outputs=2, width=4)
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
