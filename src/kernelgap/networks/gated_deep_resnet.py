"""The ResNet of L blocks with frozen gates: h_l = h_(l-1) + L^(-1/2) B_l g_l(h_(l-1)), out = A (gate(D h_L + a) * h_L).

g_l(h) = gate(V1 h + c1) * (V_l h + c_l). The last ReLU, s(h_L), has no weights of its own: its linear part is h_L, and
its gates (D, a) are random and no copy of anything, so this network starts as the one with ReLUs but for them.
"""

from dataclasses import dataclass

from kernelgap.networks.affine import affine
from kernelgap.networks.deep_resnet import Blocks
from kernelgap.networks.gated_layer import PREFIX, Gate, with_gates
from kernelgap.networks.network import Features, Inputs, Outputs, Params, Weight

LAST = ("A", "a")  # the gates of what A reads


@dataclass(frozen=True)
class GatedBlocks:
    gate: Gate
    depth: int

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        gated = [f"{name}{i}" for i in range(1, self.depth + 1) for name in ("V", "c")]
        last = {PREFIX + name: Weight(shape, "gate") for name, shape in zip(LAST, ((m, m), (m,)), strict=True)}
        return with_gates(Blocks(self.depth).weights(d, k, m), *gated) | last

    def features(self, params: Params, x: Inputs) -> Features:
        h = affine(x, params["W"], params["b1"])
        for i in range(1, self.depth + 1):
            h = h + self.depth**-0.5 * (self.gate.layer(params, h, f"V{i}", f"c{i}") @ params[f"B{i}"].T)
        return self.gate.open(params, h, *LAST) * h

    def apply(self, params: Params, x: Inputs) -> Outputs:
        return self.features(params, x) @ params["A"].T
