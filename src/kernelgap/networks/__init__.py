"""Who learns by SGD: each network a small file with its weights and pure functions."""

import re

from kernelgap.calls import parse_call
from kernelgap.errors import InputError, unknown
from kernelgap.networks.convolutional import conv_resnet
from kernelgap.networks.deep_resnet import deep_resnet
from kernelgap.networks.gated import gated
from kernelgap.networks.initialisation import Experiment, Initialisation, Theory
from kernelgap.networks.network import MODES, Network, Params, Weight, check_normalised
from kernelgap.networks.patch_resnet import check_patches, patch_resnet
from kernelgap.networks.resnet import resnet, resnet_full
from kernelgap.networks.three_layer import three_layer
from kernelgap.networks.two_layer import two_layer, two_layer_signs
from kernelgap.registry import Registry, load_extensions

_BUILT_IN: dict[str, Network] = {
    n.name: n
    for n in (
        two_layer,
        three_layer,
        resnet,
        resnet_full,
        two_layer_signs,
        deep_resnet(2),
        *(gated(name) for name in ("2layer", "3layer", "3resnet", "resnet-2")),
    )
}
NETWORKS = Registry("network", _BUILT_IN)
register = NETWORKS.register
SIZED_NETWORKS: dict[str, Network] = {  # made for inputs of a form: examples, whose arguments can be others
    n.name: n
    for n in (
        patch_resnet(4),
        gated("3resnet-conv(patches=4)"),
        conv_resnet(8, image=(28, 28, 1)),
        conv_resnet(8, image=(28, 28, 1), gated=True),
    )
}

__all__ = [
    "MODES",
    "NETWORKS",
    "SIZED_NETWORKS",
    "Experiment",
    "Initialisation",
    "Network",
    "Params",
    "Theory",
    "Weight",
    "check_normalised",
    "conv_resnet",
    "deep_resnet",
    "gated",
    "get",
    "patch_resnet",
    "register",
    "resnet",
    "resnet_full",
    "three_layer",
    "two_layer",
    "two_layer_signs",
]


def get(name: str) -> Network:
    """A network by name: 2layer, 3layer, 3resnet (U = VA, sec. 6), 3resnet-full (eq. 2.1), 2layer-signs (sec. 8.2).

    resnet-2, resnet-3, ... are ResNets of so many blocks (``deep_resnet``). 2layer-gated, 3layer-gated, 3resnet-gated,
    resnet-2-gated, ... have frozen gates (``gated``), whose sharpness can be told: 3resnet-gated(sharpness=8).
    3resnet-conv(patches=4) shares its first layer between the patches of an input (``patch_resnet``), and
    3resnet-conv-gated(patches=4) has frozen gates. conv-resnet-8(image=(28, 28, 1)), ..., conv-resnet-32(...), and
    conv-resnet-8-gated(...), ... are for images (``conv_resnet``).
    """
    if not isinstance(name, str):
        raise unknown("network", name, NETWORKS)
    deep = re.fullmatch(r"resnet-([1-9]\d{0,2})", name)
    if deep:
        return deep_resnet(int(deep[1]))
    with_gates = re.fullmatch(r"(2layer|3layer|3resnet|resnet-[1-9]\d{0,2})-gated(\(.*\))?", name)
    if with_gates:
        return _with_gates(name, with_gates[1])
    on_patches = re.fullmatch(r"3resnet-conv(-gated)?(\(.*\))?", name)
    if on_patches:
        return _on_patches(name, gates=on_patches[1] is not None)
    on_images = re.fullmatch(r"conv-resnet-([1-9]\d{0,2})(-gated)?(\(.*\))?", name)
    if on_images:
        return _on_images(name, int(on_images[1]), bool(on_images[2]))
    if name not in NETWORKS:
        load_extensions()
    if name not in NETWORKS:
        raise unknown("network", name, {**NETWORKS, **SIZED_NETWORKS})
    return NETWORKS[name]


def _on_images(text: str, depth: int, with_gates: bool) -> Network:
    _, arguments = parse_call(text)
    known = ("image", "normalisation", "stride", *(("sharpness",) if with_gates else ()))
    for argument in arguments:
        if argument not in known:
            raise unknown(f"argument of {text.partition('(')[0]}", argument, known)
    if "image" not in arguments:
        raise InputError(f"'{text}' needs the size of its images: conv-resnet-8(image=(28, 28, 1)).")
    return conv_resnet(depth, gated=with_gates, **arguments)  # type: ignore[arg-type]


def _with_gates(text: str, name: str) -> Network:
    _, arguments = parse_call(text)
    if set(arguments) - {"sharpness"}:
        raise InputError(f"'{text}': a network with gates takes a sharpness and nothing else, such as (sharpness=8).")
    return gated(name, **arguments)  # type: ignore[arg-type]


def _on_patches(text: str, gates: bool) -> Network:
    _, arguments = parse_call(text)
    if set(arguments) - {"sharpness"} != {"patches"} or ("sharpness" in arguments and not gates):
        takes = "patches and a sharpness" if gates else "patches and nothing else"
        raise InputError(f"'{text}': this network takes {takes}, such as 3resnet-conv(patches=4).")
    patches = arguments.pop("patches")
    check_patches(patches)
    plain = patch_resnet(patches)
    return gated(plain.name, **arguments) if gates else plain  # type: ignore[arg-type]
