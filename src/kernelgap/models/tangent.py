"""Ridge regression with the tangent kernel of a finite network at its start."""

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.empirical.kernel import Empirical
from kernelgap.models.expansion import ARRAYS, Expansion
from kernelgap.models.model import Metadata, check_arrays
from kernelgap.models.weights import WEIGHTS, check_weights, get_part, name_part
from kernelgap.networks import get as get_network
from kernelgap.tensor_file import Arrays


class TangentMetadata(Metadata):
    kind: Literal["tangent"] = "tangent"
    network: str
    train: Literal["all", "hidden", "last"]


@dataclass(frozen=True, eq=False)
class TangentModel(Expansion):
    """K(x, points) coefficients + offset, K over the weights that ``train`` names, the same for every output."""

    kernel: Empirical

    metadata_type = TangentMetadata

    def __post_init__(self) -> None:
        weights = check_weights(self.kernel.network, self.kernel.params)
        object.__setattr__(self, "kernel", replace(self.kernel, params=weights))
        super().__post_init__()
        if weights["W"].shape[1] != self.features:
            raise InputError(f"Points of {self.features} columns need a W of as many, not {weights['W'].shape}.")

    def metadata(self) -> TangentMetadata:
        return TangentMetadata(network=self.kernel.network.name, train=self.kernel.train)  # type: ignore[arg-type]

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | name_part(WEIGHTS, self.kernel.params)

    @classmethod
    def rebuild(cls, metadata: TangentMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ARRAYS, (WEIGHTS,))
        kernel = Empirical(get_network(metadata.network), get_part(WEIGHTS, arrays), metadata.train)
        return cls(kernel, *(arrays[name] for name in ARRAYS))
