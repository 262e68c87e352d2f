"""Kernels of <x,z>, |x| and |z|, with the option of the bias coordinate: (x, 1) in place of x."""

from abc import abstractmethod
from dataclasses import dataclass

from kernelgap.kernels.check import DEEPEST, check_count, check_flag, check_number
from kernelgap.kernels.kernel import FormulaKernel
from kernelgap.kernels.pairs import Pairs, Value

HIGHEST = 1000  # degree: beyond it, what is not 0 or 1 overflows


@dataclass(frozen=True, repr=False)
class InnerKernel(FormulaKernel):
    """A kernel of <x,z>, |x| and |z|; with ``bias`` the inputs get one more coordinate, 1."""

    bias: bool = False

    def __post_init__(self) -> None:
        check_flag(self.bias, "bias")

    def value(self, pairs: Pairs) -> Value:
        return self.formula(pairs.with_bias() if self.bias else pairs)

    @abstractmethod
    def formula(self, pairs: Pairs) -> Value:
        """K(x, z), the bias coordinate already in its place."""


@dataclass(frozen=True, repr=False)
class Linear(InnerKernel):
    """<x,z>."""

    name = "linear"

    def formula(self, pairs: Pairs) -> Value:
        return pairs.inner


@dataclass(frozen=True, repr=False)
class Polynomial(InnerKernel):
    """(<x,z> + offset)^degree."""

    name = "polynomial"
    degree: int = 3
    offset: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.degree, "degree", most=HIGHEST)
        object.__setattr__(self, "offset", check_number(self.offset, "offset"))  # less than 0 would be no kernel

    def formula(self, pairs: Pairs) -> Value:
        return (pairs.inner + self.offset) ** self.degree


@dataclass(frozen=True, repr=False)
class Arcsin(InnerKernel):
    """arcsin(<x,z> / (|x| |z|)), pi/2 less the angle between x and z; odd in x, unless there is a bias."""

    name = "arcsin"

    def formula(self, pairs: Pairs) -> Value:
        return pairs.arithmetic.pi / 2 - pairs.polar.angle


@dataclass(frozen=True, repr=False)
class Recursive(InnerKernel):
    """K -> 1 / (2 - K) depth times, from the cosine of x and z.

    The recursive kernel of Zhang, Lee and Jordan. One step is sum_p 2^-(p+1) K^p, so that every power of the cosine has
    weight; K(x,x) stays 1.
    """

    name = "recursive"
    depth: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.depth, "depth", most=DEEPEST)

    def formula(self, pairs: Pairs) -> Value:
        value = pairs.polar.cosine
        for _ in range(self.depth):
            value = 1 / (2 - value)
        return value
