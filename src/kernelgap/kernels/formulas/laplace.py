"""The Laplace kernel, K(x,z) = exp(-|x - z| / h), with the Euclidean distance."""

from dataclasses import dataclass

import numpy as np

from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class Laplace(DistanceKernel):
    """exp(-|x - z| / h), h the bandwidth times factor."""

    name = "laplace"

    def value(self, pairs: Pairs) -> Value:
        math = pairs.arithmetic
        return math.exp(math.sqrt(pairs.squared_distance) / -self.length)

    def slope(self, pairs: Pairs) -> Value:
        """exp(-r / h) / (h r), and 0 at r = 0, where the kernel has a tip and no direction is steeper than another."""
        r = np.sqrt(np.maximum(pairs.squared_distance, 0.0))
        return np.divide(np.exp(r / -self.length), self.length * r, out=np.zeros_like(r), where=r > 0)
