"""The Gaussian kernel, K(x,z) = exp(-|x - z|^2 / (2 h^2)). The paper's h in sec. 3 is 2 h^2 here."""

from dataclasses import dataclass

from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class Gaussian(DistanceKernel):
    """exp(-|x - z|^2 / (2 h^2)), h the bandwidth times factor."""

    name = "gaussian"

    def value(self, pairs: Pairs) -> Value:
        return pairs.arithmetic.exp(pairs.squared_distance / (-2 * self.length * self.length))

    def slope(self, pairs: Pairs) -> Value:
        return self.value(pairs) / (self.length * self.length)
