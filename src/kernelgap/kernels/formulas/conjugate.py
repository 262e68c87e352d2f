"""Conjugate kernels: the last hidden layer of an infinitely wide random ReLU network, K(x,z) = 2^L E h_L(x) h_L(z) / m.

``ck2`` (one hidden layer: the arc-cosine kernel) and ``ck3`` (two) are depths 1 and 2. On unit vectors K(x,x) = 1.
"""

from dataclasses import dataclass
from typing import ClassVar

from kernelgap.kernels.check import DEEPEST, check_count, check_flag
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.kernels.formulas.relu_layers import relu_layers
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class Conjugate(InnerKernel):
    """Conjugate kernel of a ReLU network with depth hidden layers.

    ``hidden_bias`` gives those after the first a bias, as section 8.1's have.
    """

    name = "ck"
    special: ClassVar = {"ck2": {"depth": 1, "hidden_bias": False}, "ck3": {"depth": 2}}
    depth: int = 1
    hidden_bias: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.depth, "depth", most=DEEPEST)
        check_flag(self.hidden_bias, "hidden_bias")

    def formula(self, pairs: Pairs) -> Value:
        *_, last = relu_layers(pairs, self.depth, self.hidden_bias)
        return last.outputs
