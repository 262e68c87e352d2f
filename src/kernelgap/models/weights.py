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
    """All weights of a network; W says how many inputs there are and A how many outputs."""
    W, A = (np.shape(weights.get(name, 0.0)) for name in ("W", "A"))
    if {"W", "A"} <= set(weights) and not len(W) == len(A) == 2:
        raise InputError(f"W and A of {network.name} are matrices, not of the shapes {W} and {A}.")
    table = network.weights(W[1], *A) if len(W) == len(A) == 2 else network.weights(*network.smallest)
    return check_shapes(weights, {name: w.shape for name, w in table.items()}, network.name)


def check_shapes(weights: Params, shapes: Mapping[str, tuple[int, ...]], what: str) -> dict[str, np.ndarray]:
    """The weights in float32, if they have these names and shapes and are finite."""
    if sorted(weights) != sorted(shapes):
        raise InputError(f"The weights of {what} are {', '.join(sorted(shapes))}, not {', '.join(sorted(weights))}.")
    own = {name: np.array(values, dtype=np.float32, order="C") for name, values in weights.items()}
    for name, shape in shapes.items():
        if own[name].shape != shape or 0 in shape:
            raise InputError(f"{name} of {what} must have the shape {shape}, not {own[name].shape}.")
        check_finite(own[name], f"{name} of {what}")
    return own


def name_part(prefix: str, weights: Params) -> dict[str, np.ndarray]:
    """Weights under their names in a file."""
    return {f"{prefix}{name}": np.asarray(values) for name, values in weights.items()}


def get_part(prefix: str, arrays: Arrays) -> dict[str, np.ndarray]:
    """The weights that a file has under this prefix."""
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}
