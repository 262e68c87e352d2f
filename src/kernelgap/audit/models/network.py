"""A trained network: scale out(x) + offset."""

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float

from kernelgap.audit.models.model import Model, Words, check_arrays, settle
from kernelgap.audit.models.weights import PREFIX, Weights, settled_weights, stored_names, stored_weights
from kernelgap.errors import InputError
from kernelgap.networks import Network
from kernelgap.networks import get as get_network
from kernelgap.tensor_file import Arrays
from kernelgap.training import get_model
from kernelgap.training.grid import Predictor


class NetworkWords(Words):
    kind: Literal["network"]
    network: str
    scale: float


@dataclass(frozen=True, eq=False)
class NetworkModel(Model):
    """All of a trained member's weights, trained and frozen alike; the network computes in float32."""

    network: Network
    weights: Weights
    offset: Float[np.ndarray, " k"]
    scale: float

    words = NetworkWords

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", settled_weights(self.network, self.weights))
        settle(self, {"offset": 1})
        if len(self.offset) != len(self.weights["A"]):
            raise InputError(f"{len(self.weights['A'])} outputs need as many offsets, not {len(self.offset)}.")
        object.__setattr__(self, "scale", float(self.scale))
        if not np.isfinite(self.scale):
            raise InputError(f"The scale of a network's outputs must be finite, not {self.scale}.")

    @property
    def features(self) -> int:
        return self.weights["W"].shape[1]

    @property
    def _row_size(self) -> int:
        return self.features + self.targets  # hidden layers are computed for a few rows at a time

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        predictor = Predictor(get_model(self.network, "all"), dict(self.weights), {})
        with np.errstate(over="ignore"):  # beyond float32: not finite, as anyone who looks at the outputs sees
            return self.scale * predictor(X)

    def describe(self) -> dict[str, Any]:
        return {"kind": "network", "network": self.network.name, "scale": self.scale}

    def arrays(self) -> dict[str, np.ndarray]:
        return {"offset": self.offset, **stored_weights(self.weights)}

    @classmethod
    def rebuild(cls, words: NetworkWords, arrays: Arrays) -> Self:
        stored = stored_names(words.network)
        check_arrays(arrays, ("offset",), stored)
        weights = {name.removeprefix(PREFIX): arrays[name] for name in stored}
        return cls(get_network(words.network), weights, arrays["offset"], words.scale)
