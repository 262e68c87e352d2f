"""A network's weights as they are kept: by name, float32, of the shapes that the network asks for."""

from collections.abc import Mapping

import numpy as np

from kernelgap.errors import InputError
from kernelgap.networks import Network
from kernelgap.networks import get as get_network
from kernelgap.rows import check_finite

PREFIX = "weights."

Weights = Mapping[str, np.ndarray]


def settled_weights(network: Network, weights: Weights) -> dict[str, np.ndarray]:
    """Checked and in float32; W says how many inputs there are and A how many outputs."""
    names = sorted(network.layers)
    if sorted(weights) != names:
        raise InputError(f"The weights of {network.name} are {', '.join(names)}, not {', '.join(sorted(weights))}.")
    found = {name: np.array(values, dtype=np.float32, order="C") for name, values in weights.items()}
    W, A = found["W"], found["A"]
    if W.ndim != 2 or A.ndim != 2:
        raise InputError(f"W and A of {network.name} are matrices, not of the shapes {W.shape} and {A.shape}.")
    for name, weight in network.weights(W.shape[1], *A.shape).items():
        if found[name].shape != weight.shape or 0 in weight.shape:
            raise InputError(f"{name} of {network.name} must have the shape {weight.shape}, not {found[name].shape}.")
        check_finite(found[name], f"The weight {name}")
    return found


def stored_weights(weights: Weights) -> dict[str, np.ndarray]:
    """Under their names in a file."""
    return {f"{PREFIX}{name}": values for name, values in weights.items()}


def stored_names(network: str) -> list[str]:
    """The names that the weights of a network have in a file."""
    return [f"{PREFIX}{name}" for name in get_network(network).layers]
