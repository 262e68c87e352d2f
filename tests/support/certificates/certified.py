"""Networks that certificates are about."""

import jax

from kernelgap import networks
from kernelgap.certificates import TrainedNetwork

PROBLEM = "hard(d=9, k=3, alpha=0.5)"


def started(seed, name="3resnet", width=8, inputs=9, outputs=3):
    network = networks.get(name)
    params = network.init(jax.random.key(seed), inputs=inputs, outputs=outputs, width=width)
    return TrainedNetwork(network, params)
