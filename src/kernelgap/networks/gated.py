"""Networks in which every ReLU is a frozen random gate times a trained linear part, as at the end of the talk.

With g_W(x) = gate(W1 x + b1') * (Wx + b1), where (W1, b1') stay at their start (``gated_layer``):

  2layer        out = A g_W(x)
  3layer        out = A g_U(g_W(x))
  3resnet       out = out1 + A g_V(out1), out1 = A g_W(x): the second block is an NTK of what the first has learned
  3resnet-conv  out = out1 + A g_V(A h_1, ..., A h_P), out1 = A sum_j h_j, h_j = g_W(x_j): one filter for all patches
  resnet-L      h_l = h_(l-1) + L^(-1/2) B_l g_l(h_(l-1)), out = A (gate(D h_L + a) * h_L)

In resnet-L the last ReLU, s(h_L), has no weights of its own: its linear part is h_L, and its gates (D, a) are random
and no copy of anything, so this network starts as the one with ReLUs but for them.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from jaxtyping import Array, Float

from kernelgap.calls import format_call, parse_call
from kernelgap.errors import unknown
from kernelgap.networks.affine import affine
from kernelgap.networks.deep_resnet import Blocks, deep_resnet
from kernelgap.networks.gated_layer import PREFIX, Gate, check_sharpness, with_gates
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight
from kernelgap.networks.patch_resnet import NAME, PatchResNet, check_patches, patch_resnet
from kernelgap.networks.resnet import resnet
from kernelgap.networks.three_layer import three_layer
from kernelgap.networks.two_layer import two_layer

SHARPNESS = 4.0  # a slope of 1 at 0, in units of the gate's size
FORMULAS = {
    "2layer": "A g(x), g(x) = gate(W1 x + b1) * (W2 x + b2)",
    "3layer": "A g'(g(x)), g(x) = gate(W1 x + b1) * (W2 x + b2)",
    "3resnet": "out1 + A g'(out1), out1 = A g(x), g(x) = gate(W1 x + b1) * (W2 x + b2)",
}
LAST = ("A", "a")  # the gates of what A reads in a deep ResNet


@dataclass(frozen=True)
class GatedTwoLayer:
    gate: Gate

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return with_gates(two_layer.weights(d, k, m), "W", "b1")

    def features(self, params: Params, x: Inputs) -> Features:
        return self.gate.layer(params, x, "W", "b1")

    def apply(self, params: Params, x: Inputs) -> Outputs:
        return self.features(params, x) @ params["A"].T


@dataclass(frozen=True)
class GatedThreeLayer(GatedTwoLayer):
    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return with_gates(three_layer.weights(d, k, m), "W", "b1", "U", "b2")

    def features(self, params: Params, x: Inputs) -> Features:
        return self.gate.layer(params, self.gate.layer(params, x, "W", "b1"), "U", "b2")


@dataclass(frozen=True)
class GatedResNet:
    gate: Gate

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return with_gates(resnet.weights(d, k, m), "W", "b1", "V", "b2")

    def features(self, params: Params, x: Inputs) -> Features:
        hidden = self.gate.layer(params, x, "W", "b1")
        return hidden + self.gate.layer(params, hidden @ params["A"].T, "V", "b2")

    def first_output(self, params: Params, x: Inputs) -> Outputs:
        return self.gate.layer(params, x, "W", "b1") @ params["A"].T

    def apply(self, params: Params, x: Inputs) -> Outputs:
        out1 = self.first_output(params, x)
        return out1 + self.gate.layer(params, out1, "V", "b2") @ params["A"].T


@dataclass(frozen=True)
class GatedPatchResNet(PatchResNet):
    gate: Gate

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return with_gates(super().weights(d, k, m), "W", "b1", "V", "b2")

    def layer(self, params: Params, x: Float[Array, "rows _"], W: str, b: str) -> Float[Array, "rows m"]:
        return self.gate.layer(params, x, W, b)


@dataclass(frozen=True)
class GatedBlocks(Blocks):
    gate: Gate

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        gated = [f"{name}{i}" for i in range(1, self.depth + 1) for name in ("V", "c")]
        last = {PREFIX + name: Weight(shape, "gate") for name, shape in zip(LAST, ((m, m), (m,)), strict=True)}
        return with_gates(super().weights(d, k, m), *gated) | last

    def features(self, params: Params, x: Inputs) -> Features:
        h = affine(x, params["W"], params["b1"])
        for i in range(1, self.depth + 1):
            h = h + self.depth**-0.5 * (self.gate.layer(params, h, f"V{i}", f"c{i}") @ params[f"B{i}"].T)
        return self.gate.open(params, h, *LAST) * h


def gated(name: str, sharpness: float = SHARPNESS) -> Network:
    """The network ``name`` (2layer, 3layer, 3resnet, resnet-2, ..., 3resnet-conv(patches=4), ...) with frozen gates.

    It is named ``<name>-gated``; with another than the usual sharpness its name says so:
    ``3resnet-gated(sharpness=8.0)``.
    """
    check_sharpness(sharpness)
    plain, arguments = parse_call(name)
    if plain == NAME and set(arguments) == {"patches"}:
        check_patches(arguments["patches"])
    else:
        plain, arguments = name, {}
    return _gated(plain, arguments.get("patches"), float(sharpness))


@lru_cache(maxsize=256)
def _gated(name: str, patches: int | None, sharpness: float) -> Network:
    gate = Gate(sharpness)
    arguments = {} if patches is None else {"patches": patches}
    called = format_call(f"{name}-gated", arguments | ({} if sharpness == SHARPNESS else {"sharpness": sharpness}))
    if patches is not None:
        on_patches = GatedPatchResNet(patches, gate)
        return Network(
            called,
            _with_gates(patch_resnet(patches)),
            on_patches.weights,
            on_patches.features,
            on_patches.apply,
            on_patches.first_output,
            patches=patches,
            smallest=(patches, 1, 1),
        )
    if deep := re.fullmatch(r"resnet-([1-9]\d{0,2})", name):
        formula = _with_gates(deep_resnet(int(deep[1])))
        blocks = GatedBlocks(int(deep[1]), gate)
        return Network(called, formula, blocks.weights, blocks.features, blocks.apply)
    if name not in FORMULAS:
        raise unknown("network with gates", name, [*FORMULAS, "resnet-2", f"{NAME}(patches=4)"])
    if name == "3resnet":
        net = GatedResNet(gate)
        return Network(called, FORMULAS[name], net.weights, net.features, net.apply, net.first_output)
    layers = GatedTwoLayer(gate) if name == "2layer" else GatedThreeLayer(gate)
    return Network(called, FORMULAS[name], layers.weights, layers.features, layers.apply)


def _with_gates(network: Network) -> str:
    return f"{network.formula}; every s a frozen gate times its linear part"
