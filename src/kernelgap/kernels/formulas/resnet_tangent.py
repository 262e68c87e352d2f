"""The neural tangent kernel of the infinitely wide three-layer ResNet of eq. 2.1, A (s(Wx) + s(U s(Wx))), with full U.

With entries N(0, 1/m), first-layer covariance <x,z> and slopes S_1, second-layer covariance Sigma_2 and slopes S_2
(both scaled as in relu_layers), twice the kernel is
  last layer    E h_1 h_1 + E h_2 h_2, and what h_1 and h_2 share: both are positive on average, so that their product
                does not vanish; the mean of s(u) is the standard deviation of u over sqrt(2 pi)
  U             Sigma_2 S_2 / 2
  W             <x,z> S_1 (1 + S_2 / 2), through the skip and through U.
Scaled so that the h_1 part alone is ck2; the network ``3resnet-full`` tends to half of it (with both biases). The
ResNet with U = VA has another kernel: see ``empirical``.
"""

from dataclasses import dataclass
from typing import ClassVar

from kernelgap.kernels.check import check_flag, check_part
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.kernels.formulas.relu_layers import relu_layers
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class ResNetTangent(InnerKernel):
    """Neural tangent kernel of the three-layer ResNet with full U.

    ``train``: all weights, those of W and U (hidden), or those of A (last: the ResNet's conjugate kernel).
    """

    name = "ntk3res"
    special: ClassVar = {"ck3res": {"train": "last"}}
    hidden_bias: bool = False
    train: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag(self.hidden_bias, "hidden_bias")
        check_part(self.train)

    def formula(self, pairs: Pairs) -> Value:
        first, second = relu_layers(pairs, 2, self.hidden_bias)
        last: Value = 0
        hidden: Value = 0
        if self.train != "hidden":
            math = pairs.arithmetic
            (x1, z1), (x2, z2) = first.squared_inputs, second.squared_inputs
            shared = (math.sqrt(x1) * math.sqrt(z2) + math.sqrt(x2) * math.sqrt(z1)) / (math.pi * math.sqrt(2))
            last = first.outputs + second.outputs / 2 + shared
        if self.train != "last":
            hidden = second.inputs * second.slopes / 2 + first.inputs * first.slopes * (1 + second.slopes / 2)
        return last + hidden
