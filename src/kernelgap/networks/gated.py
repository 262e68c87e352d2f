"""Networks in which every ReLU is a frozen random gate times a trained linear part, as at the end of the talk."""

import math
import re
from functools import lru_cache
from numbers import Real

from kernelgap.calls import format_call, parse_call
from kernelgap.errors import InputError, unknown
from kernelgap.networks.deep_resnet import deep_resnet
from kernelgap.networks.gated_deep_resnet import GatedBlocks
from kernelgap.networks.gated_layer import Gate
from kernelgap.networks.gated_patch_resnet import GatedPatchResNet
from kernelgap.networks.gated_resnet import GatedResNet
from kernelgap.networks.gated_three_layer import GatedThreeLayer
from kernelgap.networks.gated_two_layer import GatedTwoLayer
from kernelgap.networks.network import Network
from kernelgap.networks.patch_resnet import NAME, check_patches, patch_resnet

SHARPNESS = 4.0  # a slope of 1 at 0, in units of the gate's size
FORMULAS = {
    "2layer": "A g(x), g(x) = gate(W1 x + b1) * (W2 x + b2)",
    "3layer": "A g'(g(x)), g(x) = gate(W1 x + b1) * (W2 x + b2)",
    "3resnet": "out1 + A g'(out1), out1 = A g(x), g(x) = gate(W1 x + b1) * (W2 x + b2)",
}


def gated(name: str, sharpness: float = SHARPNESS) -> Network:
    """The network ``name`` (2layer, 3layer, 3resnet, resnet-2, ..., 3resnet-conv(patches=4), ...) with frozen gates.

    It is named ``<name>-gated``; with another than the usual sharpness its name says so:
    ``3resnet-gated(sharpness=8.0)``.
    """
    if isinstance(sharpness, bool) or not isinstance(sharpness, Real) or not 0 < sharpness < math.inf:
        raise InputError(f"The sharpness of a gate must be a positive finite number, not {sharpness!r}.")
    plain, arguments = parse_call(name)
    if plain == NAME and set(arguments) == {"patches"}:
        check_patches(arguments["patches"])
        return _gated_on_patches(arguments["patches"], float(sharpness))
    return _gated(name, float(sharpness))


@lru_cache(maxsize=64)
def _gated_on_patches(patches: int, sharpness: float) -> Network:
    told = {} if sharpness == SHARPNESS else {"sharpness": sharpness}
    net = GatedPatchResNet(patches, Gate(sharpness))
    return Network(
        format_call(f"{NAME}-gated", {"patches": patches, **told}),
        f"{patch_resnet(patches).formula}; every s a frozen gate times its linear part",
        net.weights,
        net.features,
        net.apply,
        net.first_output,
        patches=patches,
        smallest=(patches, 1, 1),
    )


@lru_cache(maxsize=256)
def _gated(name: str, sharpness: float) -> Network:
    gate = Gate(sharpness)
    called = f"{name}-gated" if sharpness == SHARPNESS else f"{name}-gated(sharpness={sharpness!r})"
    deep = re.fullmatch(r"resnet-([1-9]\d{0,2})", name)
    if deep:
        blocks = GatedBlocks(gate, int(deep[1]))
        formula = f"{deep_resnet(blocks.depth).formula}; every s a frozen gate times its linear part"
        return Network(called, formula, blocks.weights, blocks.features, blocks.apply)
    if name not in FORMULAS:
        raise unknown("network with gates", name, [*FORMULAS, "resnet-2", f"{NAME}(patches=4)"])
    if name == "3resnet":
        net = GatedResNet(gate)
        return Network(called, FORMULAS[name], net.weights, net.features, net.apply, net.first_output)
    plain = GatedTwoLayer(gate) if name == "2layer" else GatedThreeLayer(gate)
    return Network(called, FORMULAS[name], plain.weights, plain.features, plain.apply)
