"""The Laplace kernel, K(x,z) = exp(-|x - z| / h), with the Euclidean distance."""

from dataclasses import dataclass

from kernelgap.kernels.distance_kernel import DistanceKernel
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class Laplace(DistanceKernel):
    """exp(-|x - z| / h), h the bandwidth times factor."""

    name = "laplace"

    def value(self, pairs: Pairs) -> Value:
        math = pairs.arithmetic
        return math.exp(math.sqrt(pairs.squared_distance) / -self.length)
