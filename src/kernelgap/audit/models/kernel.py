"""Ridge regression with a kernel: K(x / scale, points) coefficients + offset."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np
from jaxtyping import Float
from pydantic import Field

from kernelgap.audit.models.model import Model, Words, check_arrays, settle
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels.as_text import from_text, text_of
from kernelgap.kernels.check import check_number
from kernelgap.tensor_file import Arrays


class KernelWords(Words):
    kind: Literal["kernel"]
    kernel: str
    scale: Annotated[float, Field(gt=0)]


@dataclass(frozen=True, eq=False)
class KernelModel(Model):
    """``points`` are inputs that were divided by ``scale`` already."""

    kernel: Kernel
    points: Float[np.ndarray, "p d"]
    coefficients: Float[np.ndarray, "p k"]
    offset: Float[np.ndarray, " k"]
    scale: float = 1.0

    words = KernelWords

    def __post_init__(self) -> None:
        settle(self, {"points": 2, "coefficients": 2, "offset": 1})
        check_expansion(self.points, self.coefficients, self.offset)
        object.__setattr__(self, "scale", check_number(self.scale, "The scale of a model's inputs", positive=True))
        if not self.kernel.settled:
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
        return self.kernel(X / self.scale, self.points) @ self.coefficients

    def describe(self) -> dict[str, Any]:
        return {"kind": "kernel", "kernel": text_of(self.kernel), "scale": self.scale}

    def arrays(self) -> dict[str, np.ndarray]:
        return {"points": self.points, "coefficients": self.coefficients, "offset": self.offset}

    @classmethod
    def rebuild(cls, words: KernelWords, arrays: Arrays) -> Self:
        check_arrays(arrays, ("points", "coefficients", "offset"))
        return cls(from_text(words.kernel), **arrays, scale=words.scale)


def check_expansion(points: np.ndarray, coefficients: np.ndarray, offset: np.ndarray) -> None:
    """A coefficient for each point and output, an offset for each output."""
    if coefficients.shape != (len(points), len(offset)):
        raise InputError(
            f"{len(points)} points and {len(offset)} outputs need coefficients of the shape "
            f"{(len(points), len(offset))}, not {coefficients.shape}."
        )
