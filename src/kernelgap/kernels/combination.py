"""Sums, products and positive multiples of kernels are kernels.

They are kept flat, so that each is made again from its text: sums of sums are one sum, products of products one
product, and of a product's numbers there is one, in front.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_number
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
    def is_fitted(self) -> bool:
        return all(part.is_fitted for part in self.parts)

    def fit(self, X: object) -> Self:
        return replace(self, parts=tuple(part.fit(X) for part in self.parts))

    def value(self, pairs: Pairs) -> Value:
        return reduce(self._join, (part.value(pairs) for part in self.parts))

    def _diagonal(self, X: Rows) -> np.ndarray:
        return reduce(self._join, (part._diagonal(X) for part in self.parts))

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
        check_number(self.scale, "What a kernel is multiplied by", positive=True)

    @property
    def has_formula(self) -> bool:
        return self.kernel.has_formula

    @property
    def is_fitted(self) -> bool:
        return self.kernel.is_fitted

    def fit(self, X: object) -> Self:
        return replace(self, kernel=self.kernel.fit(X))

    def value(self, pairs: Pairs) -> Value:
        return self.scale * self.kernel.value(pairs)

    def _diagonal(self, X: Rows) -> np.ndarray:
        return self.scale * self.kernel._diagonal(X)

    def _gram(self, X: Rows, Z: Rows) -> Gram:
        return self.scale * self.kernel._gram(X, Z)

    @property
    def spec(self) -> str:
        return f"{self.scale!r} * {_factor(self.kernel)}"


def added(first: Kernel, second: Kernel) -> Kernel:
    """K_1 + K_2 as one sum of what they are sums of."""
    return Sum(_parts(first, Sum) + _parts(second, Sum))


def multiplied(first: Kernel, second: Kernel) -> Kernel:
    """K_1 K_2 as one product of their factors, its number in front."""
    (a, x), (b, z) = _number_and_rest(first), _number_and_rest(second)
    return scaled(Product(_parts(x, Product) + _parts(z, Product)), a * b)


def scaled(kernel: Kernel, scale: object) -> Kernel:
    """c K, its number joined with that of K."""
    check_combines(kernel)
    number, rest = _number_and_rest(kernel)
    number *= check_number(scale, "What a kernel is multiplied by", positive=True)
    return rest if number == 1 else Scaled(rest, number)


def _parts(kernel: Kernel, kind: type[Joined]) -> tuple[Kernel, ...]:
    return kernel.parts if isinstance(kernel, kind) else (kernel,)


def _number_and_rest(kernel: Kernel) -> tuple[float, Kernel]:
    return (kernel.scale, kernel.kernel) if isinstance(kernel, Scaled) else (1.0, kernel)


def check_combines(*parts: Kernel) -> None:
    for part in parts:
        if not part.combines:
            raise InputError(f"{part.spec} stands for a whole Gram matrix: combine matrices, not '{part.spec}'.")


def _factor(kernel: Kernel) -> str:
    return f"({kernel.spec})" if isinstance(kernel, Sum) else kernel.spec
