"""The polynomial kernel, K(x,z) = (<x,z> + c)^p; p = 1 and c = 0 is linear regression."""

from dataclasses import dataclass

from kernelgap.kernels.check import check_count, check_number
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.kernels.pairs import Pairs, Value

HIGHEST = 1000  # degree: beyond it, what is not 0 or 1 overflows


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
class Linear(InnerKernel):
    """<x,z>."""

    name = "linear"

    def formula(self, pairs: Pairs) -> Value:
        return pairs.inner
