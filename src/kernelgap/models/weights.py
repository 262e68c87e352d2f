"""A network's weights as a model keeps them: by name, float32, of the shapes that the network asks for."""

from collections.abc import Mapping

import numpy as np

from kernelgap.errors import InputError
from kernelgap.networks import Network, Params
from kernelgap.rows import check_finite
from kernelgap.tensor_file import Arrays

WEIGHTS = "weights."  # before the names of weights in a file

Weights = Mapping[str, np.ndarray]


def check_weights(network: Network, weights: Params) -> dict[str, np.ndarray]:
    """All weights of a network in float32; W says how many inputs there are and A how many outputs."""
    names = sorted(network.layers)
    check_names(weights, names, f"The weights of {network.name}")
    own = {name: np.array(values, dtype=np.float32, order="C") for name, values in weights.items()}
    W, A = own["W"], own["A"]
    if W.ndim != 2 or A.ndim != 2:
        raise InputError(f"W and A of {network.name} are matrices, not of the shapes {W.shape} and {A.shape}.")
    for name, weight in network.weights(W.shape[1], *A.shape).items():
        check_weight(own[name], weight.shape, f"{name} of {network.name}")
    return own


def check_names(weights: Params, names: list[str], what: str) -> None:
    if sorted(weights) != sorted(names):
        raise InputError(f"{what} are {', '.join(sorted(names))}, not {', '.join(sorted(weights))}.")


def check_weight(values: np.ndarray, shape: tuple[int, ...], what: str) -> None:
    if values.shape != shape or 0 in shape:
        raise InputError(f"{what} must have the shape {shape}, not {values.shape}.")
    check_finite(values, f"The weight {what}")


def name_part(prefix: str, weights: Params) -> dict[str, np.ndarray]:
    """Weights under their names in a file."""
    return {f"{prefix}{name}": np.asarray(values) for name, values in weights.items()}


def get_part(prefix: str, arrays: Arrays) -> dict[str, np.ndarray]:
    """The weights that a file has under this prefix."""
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}
