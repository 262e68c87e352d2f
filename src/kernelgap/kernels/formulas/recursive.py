"""The recursive kernel of Zhang, Lee and Jordan: K_0 = <x,z> / (|x| |z|), then K -> 1 / (2 - K), ``depth`` times."""

from dataclasses import dataclass

from kernelgap.kernels.check import DEEPEST, check_count
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class Recursive(InnerKernel):
    """K -> 1 / (2 - K) depth times, from the cosine of x and z.

    One step is sum_p 2^-(p+1) K^p, so that every power of the cosine has weight; K(x,x) stays 1.
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
