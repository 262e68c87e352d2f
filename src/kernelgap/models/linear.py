"""Linear regression: x weights + offset."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.models.model import Metadata, Model, check_arrays, set_arrays
from kernelgap.tensor_file import Arrays


class LinearMetadata(Metadata):
    kind: Literal["linear"] = "linear"


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Linear regression: x weights + offset.

    Parameters
    ----------
    weights
        A row for each column of x, a column for each output.
    offset
        What is added to each output.
    """

    weights: Float[np.ndarray, "d k"]
    offset: Float[np.ndarray, " k"]

    metadata_type = LinearMetadata

    def __post_init__(self) -> None:
        set_arrays(self, {"weights": 2, "offset": 1})
        if self.weights.shape[1] != len(self.offset):
            raise InputError(
                f"Weights of {self.weights.shape[1]} outputs need as many offsets, not {len(self.offset)}."
            )

    @property
    def features(self) -> int:
        return len(self.weights)

    @property
    def _row_size(self) -> int:
        return self.features

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return X @ self.weights

    def metadata(self) -> LinearMetadata:
        return LinearMetadata()

    def arrays(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights, "offset": self.offset}

    @classmethod
    def rebuild(cls, metadata: LinearMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ("weights", "offset"))
        return cls(**arrays)
