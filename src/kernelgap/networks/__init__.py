"""Networks that learn by SGD: tables of weights and pure functions."""

import re

from kernelgap.calls import parse_call
from kernelgap.errors import InputError, unknown
from kernelgap.networks.convolutional import conv_resnet
from kernelgap.networks.fully_connected import (
    check_patches,
    deep_resnet,
    gated,
    patch_resnet,
    resnet,
    resnet_full,
    three_layer,
    two_layer,
    two_layer_signs,
)  # fmt: skip
from kernelgap.networks.network import (
    MODES,
    STARTS,
    FanInStart,
    Initialisation,
    Network,
    Params,
    TheoremStart,
    Weight,
    WidthStart,
    check_normalised,
    get_start,
)
from kernelgap.registry import Registry, load_extensions

Experiment, FanIn, Theory = WidthStart, FanInStart, TheoremStart  # their names up to 0.2

_PLAIN = (two_layer, three_layer, resnet, resnet_full, two_layer_signs, deep_resnet(2))
_GATED = tuple(gated(name) for name in ("2layer", "3layer", "3resnet", "resnet-2"))
_ON_PATCHES = (patch_resnet(4), gated("3resnet-conv(patches=4)"))
_ON_IMAGES = tuple(conv_resnet(8, image=(28, 28, 1), gated=gates) for gates in (False, True))
NETWORKS = Registry("network", {n.name: n for n in (*_PLAIN, *_GATED)})
register = NETWORKS.register
# made for inputs of a form: examples, whose arguments can be others
SIZED_NETWORKS: dict[str, Network] = {n.name: n for n in (*_ON_PATCHES, *_ON_IMAGES)}

__all__ = [
    "MODES", "NETWORKS", "SIZED_NETWORKS", "STARTS", "FanInStart", "Initialisation", "Network", "Params",
    "TheoremStart", "Weight", "WidthStart", "check_normalised", "conv_resnet", "deep_resnet", "gated", "get",
    "get_start", "patch_resnet", "register", "resnet", "resnet_full", "three_layer", "two_layer", "two_layer_signs",
]  # fmt: skip


def get(name: str) -> Network:
    """A network by name.

    2layer, 3layer, 3resnet (U = VA, sec. 6), 3resnet-full (eq. 2.1) and 2layer-signs (sec. 8.2) are fully connected;
    resnet-2, resnet-3, ... are ResNets of so many blocks (``deep_resnet``). 2layer-gated, 3layer-gated, 3resnet-gated,
    resnet-2-gated, ... have frozen gates (``gated``) with a sharpness, as in 3resnet-gated(sharpness=8).
    3resnet-conv(patches=4) shares its first layer between the patches of an input (``patch_resnet``), and
    3resnet-conv-gated(patches=4) has frozen gates. conv-resnet-8(image=(28, 28, 1)), ..., conv-resnet-32(...), and
    conv-resnet-8-gated(...), ... are for images (``conv_resnet``).

    Parameters
    ----------
    name
        One of these, or a name that was registered.

    Returns
    -------
    Network
        The same object for the same name.

    Raises
    ------
    InputError
        If there is no such network, or its arguments are wrong.
    """
    if not isinstance(name, str):
        raise unknown("network", name, NETWORKS)
    if deep := re.fullmatch(r"resnet-([1-9]\d{0,2})", name):
        return deep_resnet(int(deep[1]))
    if with_gates := re.fullmatch(r"(2layer|3layer|3resnet|resnet-[1-9]\d{0,2})-gated(\(.*\))?", name):
        return _with_gates(name, with_gates[1])
    if on_patches := re.fullmatch(r"3resnet-conv(-gated)?(\(.*\))?", name):
        return _on_patches(name, gates=on_patches[1] is not None)
    if on_images := re.fullmatch(r"conv-resnet-([1-9]\d{0,2})(-gated)?(\(.*\))?", name):
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
    plain = patch_resnet(check_patches(arguments.pop("patches")))
    return gated(plain.name, **arguments) if gates else plain  # type: ignore[arg-type]
