"""A trained network: scale out(x) + offset."""

from dataclasses import dataclass, field
from typing import Literal, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.models.model import Metadata, Model, check_arrays, set_arrays
from kernelgap.models.weights import WEIGHTS, Weights, check_shapes, check_weights, get_part, name_part
from kernelgap.networks import Network
from kernelgap.networks import get as get_network
from kernelgap.tensor_file import Arrays
from kernelgap.training import Predictor, get_model
from kernelgap.training.modes import Layers
from kernelgap.training.sgd import outputs

TRAINED = "trained."


class NetworkMetadata(Metadata):
    kind: Literal["network"] = "network"
    network: str
    train: Literal["all", "hidden", "last", "ntk"] = "all"
    scale: float


@dataclass(frozen=True, eq=False)
class NetworkModel(Model):
    """A network in one of its ways of training; it computes in float32.

    Where ``train`` is "all" or "hidden", ``weights`` are those after training, and ``trained`` is empty. Else they are
    those of the start, and ``trained`` is what was trained beside them: A for "last", and for "ntk" the displacement of
    each weight in the linearised network.
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
        with np.errstate(over="ignore"):  # beyond float32: not finite, as anyone who looks at the outputs sees
            return self.scale * outputs(model, trained, frozen, X)

    def first_output(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """out1(x), the output of the first residual block, on the scale of the targets.

        Parameters
        ----------
        X : inputs, one row a sample.

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
