"""The arcsin kernel, K(x,z) = arcsin(<x,z> / (|x| |z|)): pi/2 less the angle between x and z."""

from dataclasses import dataclass

from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class Arcsin(InnerKernel):
    """arcsin(<x,z> / (|x| |z|)); odd in x, unless there is a bias."""

    name = "arcsin"

    def formula(self, pairs: Pairs) -> Value:
        return pairs.arithmetic.pi / 2 - pairs.polar.angle
