"""Ridge regression with a kernel of distances in a learned metric: a recursive feature machine."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel, Mahalanobis
from kernelgap.kernels.registry import from_text, text_of
from kernelgap.models.expansion import ARRAYS, Expansion
from kernelgap.models.model import Metadata, check_arrays
from kernelgap.tensor_file import Arrays, check


class AdaptiveMetadata(Metadata):
    kind: Literal["adaptive"] = "adaptive"
    kernel: str


@dataclass(frozen=True, eq=False)
class AdaptiveModel(Expansion):
    """K_M(x, points) coefficients + offset, K_M(x,z) = kappa(sqrt((x - z)' M (x - z))), M the kernel's metric."""

    kernel: Mahalanobis

    metadata_type = AdaptiveMetadata

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.kernel.metric) != self.features:
            raise InputError(f"Points of {self.features} columns need a square metric of that size.")

    def metadata(self) -> AdaptiveMetadata:
        return AdaptiveMetadata(kernel=text_of(self.kernel.base))

    def arrays(self) -> dict[str, np.ndarray]:
        return {"metric": self.kernel.metric, **super().arrays()}

    @classmethod
    def rebuild(cls, metadata: AdaptiveMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ("metric", *ARRAYS))
        base = from_text(metadata.kernel)
        check(isinstance(base, DistanceKernel), f"the kernel {metadata.kernel} has no metric")
        assert isinstance(base, DistanceKernel)
        return cls(Mahalanobis(base, arrays["metric"]), *(arrays[name] for name in ARRAYS))
