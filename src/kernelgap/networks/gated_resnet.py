"""The three-layer ResNet (U = VA) with frozen gates: out = out1 + A g_V(out1), out1 = A g_W(x).

g_W(x) = gate(W1 x + b1') * (Wx + b1), and g_V likewise: the second block is an NTK of what the first has learned.
"""

from dataclasses import dataclass

from kernelgap.networks.gated_layer import Gate, with_gates
from kernelgap.networks.network import Features, Inputs, Outputs, Params, Weight
from kernelgap.networks.resnet import weights


@dataclass(frozen=True)
class GatedResNet:
    gate: Gate

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return with_gates(weights(d, k, m), "W", "b1", "V", "b2")

    def features(self, params: Params, x: Inputs) -> Features:
        hidden = self.gate.layer(params, x, "W", "b1")
        return hidden + self.gate.layer(params, hidden @ params["A"].T, "V", "b2")

    def first_output(self, params: Params, x: Inputs) -> Outputs:
        return self.gate.layer(params, x, "W", "b1") @ params["A"].T

    def apply(self, params: Params, x: Inputs) -> Outputs:
        out1 = self.first_output(params, x)
        return out1 + self.gate.layer(params, out1, "V", "b2") @ params["A"].T
