"""What every fitted model is: a function from inputs (n, d) to outputs (n, k), made of arrays.

A file holds its ``arrays`` and, as ``metadata``, what they leave open; ``rebuild`` makes the model from both.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict

from kernelgap.errors import InputError
from kernelgap.rows import check_finite
from kernelgap.tensor_file import Arrays, check

BLOCK = 2**22  # numbers that a block of rows takes: 32 MiB


class Metadata(BaseModel):
    """What a file says of a model beside its arrays; each kind adds its own fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    kind: str


class Model(ABC):
    """A fitted function plus an offset for each output."""

    metadata_type: ClassVar[type[Metadata]]
    offset: Float[np.ndarray, " k"]

    @property
    @abstractmethod
    def features(self) -> int:
        """The number of columns of its inputs, d."""

    @property
    def targets(self) -> int:
        """The number of columns of its outputs, k."""
        return len(self.offset)

    def predict(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """Outputs in float64, computed some rows at a time.

        Parameters
        ----------
        X
            Inputs, one row a sample, with ``features`` columns.

        Returns
        -------
        The outputs, one row a sample, with ``targets`` columns.

        Raises
        ------
        InputError
            If X has another number of columns.
        """
        if X.ndim != 2 or X.shape[1] != self.features:
            raise InputError(f"The model takes inputs of {self.features} columns, not of the shape {X.shape}.")
        step = max(1, BLOCK // self._row_size)
        outputs = np.empty((len(X), self.targets))
        for i in range(0, len(X), step):
            outputs[i : i + step] = self._block(X[i : i + step]) + self.offset
        return outputs

    def save(self, path: str | Path) -> Path:
        """Write the model to a .safetensors file that ``kernelgap.models.load`` reads.

        Parameters
        ----------
        path
            The file, written whole or not at all.

        Returns
        -------
        The path.

        Raises
        ------
        InputError
            If no file can hold the model (a kernel that is code of yours), or the path cannot be written.
        """
        from kernelgap.models.file import write

        return write(path, self)

    @property
    @abstractmethod
    def _row_size(self) -> int:
        """Numbers that one row takes while its outputs are computed."""

    @abstractmethod
    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """Outputs without the offset."""

    @abstractmethod
    def metadata(self) -> Metadata:
        """What the arrays leave open, of the type ``metadata_type``."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by name, in the types that a file keeps them in."""

    @classmethod
    @abstractmethod
    def rebuild(cls, metadata: Any, arrays: Arrays) -> Self:
        """The model of this metadata and these arrays, which may come from an untrusted file."""


def set_arrays(model: object, dimensions: Mapping[str, int]) -> None:
    """Make the named arrays the model's own: float64, finite, and of the given numbers of dimensions."""
    for name, count in dimensions.items():
        values: np.ndarray = np.array(getattr(model, name), dtype=float, order="C")
        if values.ndim != count or 0 in values.shape:
            raise InputError(f"The {name} of a model must have {count} dimensions, none of them 0, not {values.shape}.")
        check_finite(values, f"The array of {name}")
        object.__setattr__(model, name, values)


def check_arrays(arrays: Arrays, doubles: Iterable[str], single_parts: tuple[str, ...] = ()) -> None:
    """Refuse a file unless it has all ``doubles``, in float64, and beside them only float32 under these prefixes."""
    names = set(doubles)
    others = {name for name in arrays if name.startswith(single_parts)} if single_parts else set()
    check(set(arrays) - others == names, "its arrays are not those of its kind of model")
    for name, values in arrays.items():
        dtype = np.dtype(np.float64 if name in names else np.float32)
        check(values.dtype == dtype, f"its array {name} is not of {dtype.name}")
