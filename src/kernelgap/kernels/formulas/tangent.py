"""Neural tangent kernels of infinitely wide fully connected ReLU networks (Jacot, Gabriel and Hongler).

K(x,z) = sum over layers of <d out(x) / d weights, d out(z) / d weights>: with layers l = 1..L of input covariance
Sigma_l and slopes S_l, the weights into layer l give Sigma_l S_l S_l+1 ... S_L, those of the output give the conjugate
kernel. ``ntk2`` (one hidden layer) and ``ntk3`` (two) are depths 1 and 2. On unit vectors K(x,x) = L + 1.
A network of ``kernelgap.networks`` with section 8.1's start tends to 2^-L of it (with both biases) as it widens.
"""

from dataclasses import dataclass
from typing import ClassVar

from kernelgap.kernels.check import DEEPEST, check_count, check_flag, check_part
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.kernels.formulas.relu_layers import relu_layers
from kernelgap.kernels.pairs import Pairs, Value


@dataclass(frozen=True, repr=False)
class Tangent(InnerKernel):
    """Neural tangent kernel of a fully connected ReLU network with depth hidden layers.

    ``train`` says over which weights: all, the hidden layers', or the last layer's (the conjugate kernel).
    """

    name = "ntk"
    special: ClassVar = {"ntk2": {"depth": 1, "hidden_bias": False}, "ntk3": {"depth": 2}}
    depth: int = 1
    hidden_bias: bool = False
    train: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.depth, "depth", most=DEEPEST)
        check_flag(self.hidden_bias, "hidden_bias")
        check_part(self.train)

    def formula(self, pairs: Pairs) -> Value:
        hidden: Value = 0
        for layer in relu_layers(pairs, self.depth, self.hidden_bias):
            hidden = (hidden + layer.inputs) * layer.slopes
            last = layer.outputs
        if self.train == "all":
            return hidden + last
        return hidden if self.train == "hidden" else last
