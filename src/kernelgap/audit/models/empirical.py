"""Ridge regression with the tangent kernel of a finite network at its start."""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float

from kernelgap.audit.models.kernel import check_expansion
from kernelgap.audit.models.model import Model, Words, check_arrays, settle
from kernelgap.audit.models.weights import PREFIX, Weights, settled_weights, stored_names, stored_weights
from kernelgap.errors import InputError
from kernelgap.kernels.empirical.kernel import Empirical
from kernelgap.networks import Network
from kernelgap.networks import get as get_network
from kernelgap.tensor_file import Arrays

ARRAYS = ("points", "coefficients", "offset")


class EmpiricalWords(Words):
    kind: Literal["empirical"]
    network: str
    train: Literal["all", "hidden", "last"]


@dataclass(frozen=True, eq=False)
class EmpiricalModel(Model):
    """K(x, points) coefficients + offset, K over the weights that ``train`` names, the same for every output."""

    network: Network
    weights: Weights
    train: str
    points: Float[np.ndarray, "p d"]
    coefficients: Float[np.ndarray, "p k"]
    offset: Float[np.ndarray, " k"]
    kernel: Empirical = field(init=False, repr=False)

    words = EmpiricalWords

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", settled_weights(self.network, self.weights))
        settle(self, {"points": 2, "coefficients": 2, "offset": 1})
        check_expansion(self.points, self.coefficients, self.offset)
        if self.weights["W"].shape[1] != self.features:
            raise InputError(f"Points of {self.features} columns need a W of as many, not {self.weights['W'].shape}.")
        object.__setattr__(self, "kernel", Empirical(self.network, self.weights, self.train))

    @property
    def features(self) -> int:
        return self.points.shape[1]

    @property
    def _row_size(self) -> int:
        return len(self.points) + self.features

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return self.kernel(X, self.points) @ self.coefficients

    def describe(self) -> dict[str, Any]:
        return {"kind": "empirical", "network": self.network.name, "train": self.train}

    def arrays(self) -> dict[str, np.ndarray]:
        return {**{name: getattr(self, name) for name in ARRAYS}, **stored_weights(self.weights)}

    @classmethod
    def rebuild(cls, words: EmpiricalWords, arrays: Arrays) -> Self:
        stored = stored_names(words.network)
        check_arrays(arrays, ARRAYS, stored)
        weights = {name.removeprefix(PREFIX): arrays[name] for name in stored}
        return cls(get_network(words.network), weights, words.train, **{name: arrays[name] for name in ARRAYS})
