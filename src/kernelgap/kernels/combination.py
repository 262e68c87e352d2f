"""Sums, products and positive multiples of kernels are kernels.

They are kept flat, so that each is made again from its text: sums of sums are one sum, products of products one
product, and of a product's numbers there is one, in front.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, mul
from typing import Self

import numpy as np

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_number
from kernelgap.kernels.kernel import Gram, Kernel
from kernelgap.kernels.pairs import Others, Pairs, Rows, Value


@dataclass(frozen=True, repr=False)
class Combination(Kernel):
    """Kernels of the same inputs, combined entry by entry."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        check_combines(*self.parts)

    @abstractmethod
    def _combined(self, values: Iterable[Value]) -> Value:
        """The entries of the combination, from those of each part."""

    @property
    def has_formula(self) -> bool:
        return all(part.has_formula for part in self.parts)

    @property
    def is_fitted(self) -> bool:
        return all(part.is_fitted for part in self.parts)

    def fit(self, X: object) -> Self:
        return replace(self, parts=tuple(part.fit(X) for part in self.parts))

    def value(self, pairs: Pairs) -> Value:
        return self._combined(part.value(pairs) for part in self.parts)

    def _diagonal(self, X: Rows) -> np.ndarray:
        return self._combined(part._diagonal(X) for part in self.parts)

    def _gram(self, X: Rows, Z: Others) -> Gram:
        return self._combined(part._gram(X, Z) for part in self.parts)


class Sum(Combination):
    """K_1(x,z) + K_2(x,z)."""

    def _combined(self, values: Iterable[Value]) -> Value:
        return reduce(add, values)

    @property
    def spec(self) -> str:
        return " + ".join(part.spec for part in self.parts)


class Product(Combination):
    """K_1(x,z) K_2(x,z)."""

    def _combined(self, values: Iterable[Value]) -> Value:
        return reduce(mul, values)

    @property
    def spec(self) -> str:
        return " * ".join(_factor(part) for part in self.parts)


@dataclass(frozen=True, repr=False)
class Scaled(Combination):
    """c K(x,z), c > 0, of a single part K."""

    scale: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.scale, "What a kernel is multiplied by", positive=True)

    def _combined(self, values: Iterable[Value]) -> Value:
        (value,) = values
        return self.scale * value

    @property
    def spec(self) -> str:
        return f"{self.scale!r} * {_factor(self.parts[0])}"


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
    return rest if number == 1 else Scaled((rest,), number)


def _parts(kernel: Kernel, kind: type[Combination]) -> tuple[Kernel, ...]:
    return kernel.parts if isinstance(kernel, kind) else (kernel,)


def _number_and_rest(kernel: Kernel) -> tuple[float, Kernel]:
    return (kernel.scale, kernel.parts[0]) if isinstance(kernel, Scaled) else (1.0, kernel)


def check_combines(*parts: Kernel) -> None:
    for part in parts:
        if not part.combines:
            raise InputError(f"{part.spec} stands for a whole Gram matrix: combine matrices, not '{part.spec}'.")


def _factor(kernel: Kernel) -> str:
    return f"({kernel.spec})" if isinstance(kernel, Sum) else kernel.spec
