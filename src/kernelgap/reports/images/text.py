"""Who learned from images, how each is drawn, and what was chosen, in words."""

import re
from collections.abc import Iterable

from kernelgap.audit.statistics.results import FROZEN, Family
from kernelgap.images.experiment.comparison import GATED, KERNEL, NETWORK, OWN_KERNEL, ImagePoint
from kernelgap.reports.audit.text import COLOURS, contender_looks
from kernelgap.reports.common.looks import Look
from kernelgap.reports.common.words import rounded

NAMES = {
    NETWORK: "network",
    GATED: "network with frozen gates",
    OWN_KERNEL: "the network's own kernels",
    KERNEL: "kernels on pixels",
}
DRAWN_AS: dict[str, Family] = {NETWORK: "network", GATED: "adaptive", OWN_KERNEL: FROZEN, KERNEL: "kernel"}
KERNELS = {
    "gaussian": "Gaussian kernel on pixels, a function of the distance",
    "laplace": "Laplace kernel on pixels, a function of the distance",
    "ntk": "tangent kernel of infinitely wide networks without convolutions",
    "cntk": "tangent kernel of an infinitely wide convolutional network",
}
INPUTS = {"scaled": "scaled pixels", "unit": "images of length 1"}


def describe_method(method: str) -> str:
    """What a method is, for readers who do not know it."""
    named = re.fullmatch(r"conv-resnet-(\d+)(-gated)?(?:\((last|NTK)\))?", method)
    if named is None:
        pooled = re.fullmatch(r"cntk with pooling, (.+)", method)
        return f"{KERNELS['cntk']} with pooling, on images shrunk to {pooled[1]}" if pooled else KERNELS.get(method, "")
    way = {
        "last": "at its random start, the last layer by ridge regression",
        "NTK": "made linear at its random start (its tangent kernel), trained by SGD",
        None: "all of it trained by SGD",
    }[named[3]]
    return f"convolutional ResNet of {named[1]} layers{' with frozen gates' if named[2] else ''}, {way}"


def colour_of(family: str) -> str:
    return COLOURS[DRAWN_AS[family]]


def method_looks(points: Iterable[ImagePoint]) -> dict[str, Look]:
    """The colour says the family, dash and shape tell its members apart."""
    methods = dict.fromkeys((p.method, DRAWN_AS[p.family]) for p in points)
    return contender_looks(methods)


def describe_setting(point: ImagePoint) -> str:
    """What was chosen, or what a network has: of each seed that differs."""
    return "; ".join(dict.fromkeys(_setting(setting) for setting in point.settings))


def _setting(setting: dict[str, object]) -> str:
    parts = []
    for name, value in setting.items():
        if name == "inputs":
            parts.append(INPUTS.get(str(value), str(value)))
        elif name == "kernel":
            parts.append(rounded(str(value)))
        elif name == "ridge" and isinstance(value, int | float):
            parts.append(f"ridge {value:.3g}")
        elif name == "ridge chosen on" and isinstance(value, int):
            parts.append(f"chosen on {value:,} images")
        elif name in ("weights", "features", "iterations"):
            parts.append(f"{value:,} {name}")
    return ", ".join(parts)


def edge_of(point: ImagePoint) -> str | None:
    """Whether, for some seed, the ridge chosen was the last of its path."""
    edges = [setting.get("edge") for setting in point.settings]
    return next((str(edge) for edge in edges if edge), None)
