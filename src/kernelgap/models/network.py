"""A trained network: scale out(x) + offset."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.models.model import Metadata, Model, check_arrays, set_arrays
from kernelgap.networks import Network, Params
from kernelgap.networks import get as get_network
from kernelgap.rows import check_finite
from kernelgap.tensor_file import Arrays
from kernelgap.training import Predictor, get_model
from kernelgap.training.modes import Layers
from kernelgap.training.sgd import outputs

WEIGHTS, TRAINED = "weights.", "trained."  # before the names of weights in a file

Weights = Mapping[str, np.ndarray]  # by name, float32, of the shapes that the network asks for


class NetworkMetadata(Metadata):
    kind: Literal["network"] = "network"
    network: str
    train: Literal["all", "hidden", "last", "ntk"] = "all"
    scale: float


@dataclass(frozen=True, eq=False)
class NetworkModel(Model):
    """A network in one of its ways of training: scale out(x) + offset. It computes in float32.

    Parameters
    ----------
    network
        The network.
    weights
        All of its weights by name: those after training where ``train`` is "all" or "hidden", else those of the start.
    offset, scale
        What is added to each output, after it was multiplied by the scale.
    train
        What was trained: "all", "hidden", "last" or "ntk".
    trained
        What was trained beside the start: A for "last", and for "ntk" the displacement of each weight in the linearised
        network. Empty for "all" and "hidden".

    Raises
    ------
    InputError
        If the network has no such mode, or a weight has another name or shape, or is not finite.
    """

    network: Network
    weights: Weights
    offset: Float[np.ndarray, " k"]
    scale: float
    train: str = "all"
    trained: Weights = field(default_factory=dict)

    metadata_type = NetworkMetadata

    def __post_init__(self) -> None:
        model, weights = get_model(self.network, self.train), check_weights(self.network, self.weights)
        beside = {} if isinstance(model, Layers) else {n: w.shape for n, w in model.split(weights)[0].items()}
        what = f"{self.network.name} that '{self.train}' trains beside its start"
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "trained", check_shapes(self.trained, beside, what))
        set_arrays(self, {"offset": 1})
        if len(self.offset) != len(self.weights["A"]):
            raise InputError(f"{len(self.weights['A'])} outputs need as many offsets, not {len(self.offset)}.")
        object.__setattr__(self, "scale", float(self.scale))
        if not np.isfinite(self.scale):
            raise InputError(f"The scale of a network's outputs must be finite, not {self.scale}.")

    @classmethod
    def from_predictor(cls, predictor: Predictor, train: str, offset: Float[np.ndarray, " k"], scale: float) -> Self:
        """A member of a grid that was trained in the mode ``train``, on targets less ``offset`` and over ``scale``."""
        trained, frozen = predictor.trained, predictor.frozen
        if isinstance(predictor.model, Layers):
            return cls(predictor.model.network, {**trained, **frozen}, offset, scale, train)
        return cls(predictor.model.network, frozen, offset, scale, train, trained)

    @property
    def features(self) -> int:
        return self.weights["W"].shape[1]

    @property
    def _row_size(self) -> int:
        return self.features + self.targets  # hidden layers are computed for a few rows at a time

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        model = get_model(self.network, self.train)
        trained, frozen = (self.trained, self.weights) if self.trained else model.split(self.weights)
        with np.errstate(over="ignore"):  # inputs beyond float32 give outputs that are not finite
            return self.scale * outputs(model, trained, frozen, X)

    def first_output(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """out1(x), the output of the first residual block, on the scale of the targets.

        Parameters
        ----------
        X
            Inputs, one row a sample.

        Returns
        -------
        The first block's outputs, one row a sample.

        Raises
        ------
        InputError
            If the network has no first block, or its layers were not trained themselves ("last", "ntk").
        """
        first = self.network.first_output
        if self.trained or first is None:
            raise InputError(f"first_output needs a trained ResNet (all or hidden), not mode '{self.train}'.")
        out = first(jax.tree.map(jnp.asarray, dict(self.weights)), jnp.asarray(X, dtype=jnp.float32))
        return self.scale * np.asarray(out, dtype=float) + self.offset

    def metadata(self) -> NetworkMetadata:
        return NetworkMetadata(network=self.network.name, train=self.train, scale=self.scale)  # type: ignore[arg-type]

    def arrays(self) -> dict[str, np.ndarray]:
        return {"offset": self.offset, **name_part(WEIGHTS, self.weights), **name_part(TRAINED, self.trained)}

    @classmethod
    def rebuild(cls, metadata: NetworkMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ("offset",), (WEIGHTS, TRAINED))
        network, weights = get_network(metadata.network), get_part(WEIGHTS, arrays)
        return cls(network, weights, arrays["offset"], metadata.scale, metadata.train, get_part(TRAINED, arrays))


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
