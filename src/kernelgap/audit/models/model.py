"""What every fitted model is: a function from prepared inputs (n, d) to outputs (n, k), made of arrays.

A model says in words what its arrays leave open (``describe``) and is made again from both (``rebuild``).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict

from kernelgap.errors import InputError
from kernelgap.rows import check_finite
from kernelgap.tensor_file import Arrays, check

BLOCK = 2**22  # numbers that a block of rows takes: 32 MiB


class Words(BaseModel):
    """What a model says of itself; each kind adds its own."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    kind: str


class Model(ABC):
    """A fitted function, plus an offset for each output."""

    words: ClassVar[type[Words]]
    offset: Float[np.ndarray, " k"]

    @property
    @abstractmethod
    def features(self) -> int:
        """The columns of its inputs, d."""

    @property
    def targets(self) -> int:
        """The columns of its outputs, k."""
        return len(self.offset)

    def outputs(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """Its outputs in float64, computed some rows at a time."""
        if X.ndim != 2 or X.shape[1] != self.features:
            raise InputError(f"The model takes inputs of {self.features} columns, not of the shape {X.shape}.")
        step = max(1, BLOCK // self._row_size)
        found = np.empty((len(X), self.targets))
        for i in range(0, len(X), step):
            found[i : i + step] = self._block(X[i : i + step]) + self.offset
        return found

    @property
    @abstractmethod
    def _row_size(self) -> int:
        """Numbers that one row takes on the way."""

    @abstractmethod
    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """Outputs without the offset."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Plain numbers and texts, of the shape of ``words``."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """By name, in the types that they are kept in."""

    @classmethod
    @abstractmethod
    def rebuild(cls, words: Any, arrays: Arrays) -> Self:
        """From what ``describe`` and ``arrays`` gave."""


def settle(model: object, dimensions: Mapping[str, int]) -> None:
    """The named arrays of a model in float64, finite, and of so many dimensions."""
    for name, count in dimensions.items():
        values: np.ndarray = np.array(getattr(model, name), dtype=float, order="C")  # its own
        if values.ndim != count or 0 in values.shape:
            raise InputError(f"The {name} of a model must have {count} dimensions, none of them 0, not {values.shape}.")
        check_finite(values, f"The array of {name}")
        object.__setattr__(model, name, values)


def check_arrays(arrays: Arrays, doubles: Iterable[str], singles: Iterable[str] = ()) -> None:
    """Refuse a file whose arrays are not exactly these: ``doubles`` of float64, ``singles`` of float32."""
    wanted = {**dict.fromkeys(doubles, np.float64), **dict.fromkeys(singles, np.float32)}
    check(set(arrays) == set(wanted), "its arrays are not those of its kind of model")
    for name, dtype in wanted.items():
        check(arrays[name].dtype == dtype, f"its array {name} is not of {np.dtype(dtype).name}")
