"""Three layers with frozen gates, fully connected: out = A g_U(g_W(x)), g_W(x) = gate(W1 x + b1') * (Wx + b1)."""

from dataclasses import dataclass

from kernelgap.networks.gated_layer import Gate, with_gates
from kernelgap.networks.network import Features, Inputs, Outputs, Params, Weight
from kernelgap.networks.three_layer import weights


@dataclass(frozen=True)
class GatedThreeLayer:
    gate: Gate

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return with_gates(weights(d, k, m), "W", "b1", "U", "b2")

    def features(self, params: Params, x: Inputs) -> Features:
        return self.gate.layer(params, self.gate.layer(params, x, "W", "b1"), "U", "b2")

    def apply(self, params: Params, x: Inputs) -> Outputs:
        return self.features(params, x) @ params["A"].T
