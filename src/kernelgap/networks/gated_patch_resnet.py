"""The convolutional ResNet on patches with frozen gates: out = out1 + A g_V(A h_1, ..., A h_P), out1 = A sum_j h_j.

h_j = gate(W1 x_j + b1') * (W x_j + b1), one gate's weights for all patches as one filter, and g_V likewise.
"""

from dataclasses import dataclass

from jaxtyping import Array, Float

from kernelgap.networks.gated_layer import Gate, with_gates
from kernelgap.networks.network import Params, Weight
from kernelgap.networks.patch_resnet import PatchResNet


@dataclass(frozen=True)
class GatedPatchResNet(PatchResNet):
    gate: Gate

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return with_gates(super().weights(d, k, m), "W", "b1", "V", "b2")

    def layer(self, params: Params, x: Float[Array, "rows _"], W: str, b: str) -> Float[Array, "rows m"]:
        return self.gate.layer(params, x, W, b)
