"""Ridge regression with a kernel of distances in a learned metric: the adaptive kernel."""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float

from kernelgap.audit.models.kernel import check_expansion
from kernelgap.audit.models.model import Model, Words, check_arrays, settle
from kernelgap.errors import InputError
from kernelgap.kernels.as_text import from_text, text_of
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.formulas.mahalanobis import Mahalanobis
from kernelgap.tensor_file import Arrays, check

ARRAYS = ("metric", "points", "coefficients", "offset")


class AdaptiveWords(Words):
    kind: Literal["adaptive"]
    kernel: str


@dataclass(frozen=True, eq=False)
class AdaptiveModel(Model):
    """K_M(x, points) coefficients + offset, K_M(x,z) = kappa(sqrt((x - z)' M (x - z))), M the ``metric``."""

    kernel: DistanceKernel
    metric: Float[np.ndarray, "d d"]
    points: Float[np.ndarray, "p d"]
    coefficients: Float[np.ndarray, "p k"]
    offset: Float[np.ndarray, " k"]
    adapted: Mahalanobis = field(init=False, repr=False)

    words = AdaptiveWords

    def __post_init__(self) -> None:
        settle(self, {name: 1 if name == "offset" else 2 for name in ARRAYS})
        check_expansion(self.points, self.coefficients, self.offset)
        if self.metric.shape != (self.features, self.features):
            raise InputError(f"Points of {self.features} columns need a square metric of that size.")
        object.__setattr__(self, "adapted", Mahalanobis(self.kernel, self.metric))
        if not self.kernel.settled:
            raise InputError(f"The kernel {self.kernel.spec} still takes its bandwidth from data: fit it first.")

    @property
    def features(self) -> int:
        return self.points.shape[1]

    @property
    def _row_size(self) -> int:
        return len(self.points) + 2 * self.features

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return self.adapted(X, self.points) @ self.coefficients

    def describe(self) -> dict[str, Any]:
        return {"kind": "adaptive", "kernel": text_of(self.kernel)}

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def rebuild(cls, words: AdaptiveWords, arrays: Arrays) -> Self:
        check_arrays(arrays, ARRAYS)
        kernel = from_text(words.kernel)
        check(isinstance(kernel, DistanceKernel), f"the kernel {words.kernel} has no metric")
        assert isinstance(kernel, DistanceKernel)
        return cls(kernel, **arrays)
