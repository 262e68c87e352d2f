"""What the models by kernels share: K(x, points) coefficients + offset."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.models.model import Model, set_arrays

ARRAYS = ("points", "coefficients", "offset")


@dataclass(frozen=True, eq=False)
class Expansion(Model):
    """A coefficient for each point and output."""

    kernel: Kernel
    points: Float[np.ndarray, "p d"]
    coefficients: Float[np.ndarray, "p k"]
    offset: Float[np.ndarray, " k"]

    def __post_init__(self) -> None:
        set_arrays(self, {"points": 2, "coefficients": 2, "offset": 1})
        shape = len(self.points), len(self.offset)
        if self.coefficients.shape != shape:
            raise InputError(
                f"{shape[0]} points and {shape[1]} outputs need coefficients of the shape {shape}, "
                f"not {self.coefficients.shape}."
            )
        if not self.kernel.is_fitted:
            raise InputError(f"The kernel {self.kernel.spec} still takes something from data: fit it first.")
        if not self.kernel.combines:
            raise InputError(f"The kernel {self.kernel.spec} stands for a matrix: a model needs one that sees inputs.")

    @property
    def features(self) -> int:
        return self.points.shape[1]

    @property
    def _row_size(self) -> int:
        return len(self.points) + self.features

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return self.kernel(X, self.points) @ self.coefficients

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in ARRAYS}
