"""Kernels of <x,z>, |x| and |z|, with the option of the bias coordinate: (x, 1) in place of x."""

from abc import abstractmethod
from dataclasses import dataclass

from kernelgap.kernels.check import check_flag
from kernelgap.kernels.kernel import FormulaKernel
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class InnerKernel(FormulaKernel):
    """``bias`` says whether the inputs get one more coordinate, 1."""

    bias: bool = False

    def __post_init__(self) -> None:
        check_flag(self.bias, "bias")

    def value(self, pairs: Pairs) -> Value:
        return self.formula(pairs.with_bias() if self.bias else pairs)

    @abstractmethod
    def formula(self, pairs: Pairs) -> Value:
        """K(x, z), the bias coordinate already in its place."""
