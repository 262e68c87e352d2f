"""Sums, products and positive multiples of kernels are kernels."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.kernel import Gram, Kernel
from kernelgap.kernels.pairs import Pairs, Rows, Value


@dataclass(frozen=True, repr=False)
class Joined(Kernel):
    """Kernels of the same inputs, joined entry by entry."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        check_combines(*self.parts)

    @abstractmethod
    def _join(self, first: Value, second: Value) -> Value: ...

    @property
    def has_formula(self) -> bool:
        return all(part.has_formula for part in self.parts)

    @property
    def settled(self) -> bool:
        return all(part.settled for part in self.parts)

    def fit(self, X: object) -> Self:
        return replace(self, parts=tuple(part.fit(X) for part in self.parts))

    def value(self, pairs: Pairs) -> Value:
        return reduce(self._join, (part.value(pairs) for part in self.parts))

    def diagonal(self, X: object) -> np.ndarray:
        return reduce(self._join, (part.diagonal(X) for part in self.parts))

    def _gram(self, X: Rows, Z: Rows) -> Gram:
        return reduce(self._join, (part._gram(X, Z) for part in self.parts))


class Sum(Joined):
    """K_1(x,z) + K_2(x,z)."""

    def _join(self, first: Value, second: Value) -> Value:
        return first + second

    @property
    def spec(self) -> str:
        return " + ".join(part.spec for part in self.parts)


class Product(Joined):
    """K_1(x,z) K_2(x,z)."""

    def _join(self, first: Value, second: Value) -> Value:
        return first * second

    @property
    def spec(self) -> str:
        return " * ".join(_factor(part) for part in self.parts)


@dataclass(frozen=True, repr=False)
class Scaled(Kernel):
    """c K(x,z), c > 0."""

    kernel: Kernel
    scale: float

    def __post_init__(self) -> None:
        check_combines(self.kernel)
        if not 0 < self.scale < np.inf:
            raise InputError(f"A kernel can be multiplied by a positive number, not by {self.scale!r}.")

    @property
    def has_formula(self) -> bool:
        return self.kernel.has_formula

    @property
    def settled(self) -> bool:
        return self.kernel.settled

    def fit(self, X: object) -> Self:
        return replace(self, kernel=self.kernel.fit(X))

    def value(self, pairs: Pairs) -> Value:
        return self.scale * self.kernel.value(pairs)

    def diagonal(self, X: object) -> np.ndarray:
        return self.scale * self.kernel.diagonal(X)

    def _gram(self, X: Rows, Z: Rows) -> Gram:
        return self.scale * self.kernel._gram(X, Z)

    @property
    def spec(self) -> str:
        return f"{self.scale!r} * {_factor(self.kernel)}"


def check_combines(*parts: Kernel) -> None:
    for part in parts:
        if not part.combines:
            raise InputError(f"{part.spec} stands for a whole Gram matrix: combine matrices, not '{part.spec}'.")


def _factor(kernel: Kernel) -> str:
    return f"({kernel.spec})" if isinstance(kernel, Sum) else kernel.spec
