"""Ridge regression with a kernel: K(x / scale, points) coefficients + offset."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from jaxtyping import Float
from pydantic import Field

from kernelgap.kernels.check import check_number
from kernelgap.kernels.registry import from_text, text_of
from kernelgap.models.expansion import ARRAYS, Expansion
from kernelgap.models.model import Metadata, check_arrays
from kernelgap.tensor_file import Arrays


class KernelMetadata(Metadata):
    kind: Literal["kernel"] = "kernel"
    kernel: str
    scale: Annotated[float, Field(gt=0)]


@dataclass(frozen=True, eq=False)
class KernelModel(Expansion):
    """``points`` are inputs that were divided by ``scale`` already."""

    scale: float = 1.0

    metadata_type = KernelMetadata

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scale", check_number(self.scale, "The scale of a model's inputs", positive=True))

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return super()._block(X / self.scale)

    def metadata(self) -> KernelMetadata:
        return KernelMetadata(kernel=text_of(self.kernel), scale=self.scale)

    @classmethod
    def rebuild(cls, metadata: KernelMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ARRAYS)
        return cls(from_text(metadata.kernel), **arrays, scale=metadata.scale)
