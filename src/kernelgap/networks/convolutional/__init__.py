"""Convolutional ResNets by depth: ResNet-8 to ResNet-32, ordinary and with frozen gates."""

import math
from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral

from kernelgap.calls import format_call
from kernelgap.errors import InputError, shown
from kernelgap.networks.convolutional.normalisation import NORMALISATIONS, get_normalisation
from kernelgap.networks.convolutional.resnet import ImageResNet
from kernelgap.networks.layers import SHARPNESS, check_sharpness
from kernelgap.networks.network import Network

__all__ = ["NORMALISATIONS", "ImageResNet", "conv_resnet", "image_resnet"]

LONGEST_SIDE = 10_000
DEPTHS = (8, 14, 20, 26, 32)


def conv_resnet(
    depth: int = 8,
    *,
    image: Sequence[int],
    stride: int = 1,
    gated: bool = False,
    sharpness: float = SHARPNESS,
    normalisation: str = "group",
) -> Network:
    """A convolutional ResNet. Its width is the number of channels of the last stage, 64 in the usual ones.

    Parameters
    ----------
    depth
        The number of layers: 8, 14, 20, 26 or 32.
    image
        (height, width, channels) of the images, which are flattened in that order.
    stride
        Of the first convolution. 2 takes every second position: a quarter of the work, for simple images.
    gated, sharpness
        Whether frozen gates take the place of ReLUs, and how steep they are.
    normalisation
        "group" or "batch".

    >>> conv_resnet(8, image=(28, 28, 1), gated=True).name
    'conv-resnet-8-gated(image=(28, 28, 1))'
    """
    if not isinstance(depth, int) or depth not in DEPTHS:
        raise InputError(f"A convolutional ResNet has {', '.join(map(str, DEPTHS))} layers, not {depth!r}.")
    sides = image if isinstance(image, tuple | list) else ()
    if len(sides) != 3 or any(isinstance(n, bool) or not isinstance(n, Integral) or n < 1 for n in sides):
        raise InputError(f"image must be (height, width, channels), such as (28, 28, 1), not {shown(image)}.")
    if max(sides) > LONGEST_SIDE:
        raise InputError(f"The sides of an image must be at most {LONGEST_SIDE:,}, not {shown(image)}.")
    if isinstance(stride, bool) or not isinstance(stride, int) or stride not in (1, 2):
        raise InputError(f"The stride of the first convolution is 1 or 2, not {stride!r}.")
    check_sharpness(sharpness)
    if not gated and sharpness != SHARPNESS:
        raise InputError("Only a network with gates has a sharpness: conv-resnet-8-gated(sharpness=8, ...).")
    get_normalisation(normalisation)
    size = int(sides[0]), int(sides[1]), int(sides[2])
    return _conv_resnet(depth, size, stride, float(sharpness) if gated else None, normalisation)


def image_resnet(network: Network) -> ImageResNet:
    """What ``conv_resnet`` made the network of."""
    made = getattr(network.apply, "__self__", None)
    if not isinstance(made, ImageResNet):
        raise InputError(f"{network.name} is not a convolutional ResNet on images.")
    return made


@lru_cache(maxsize=256)
def _conv_resnet(
    depth: int, image: tuple[int, int, int], stride: int, sharpness: float | None, normalisation: str
) -> Network:
    net = ImageResNet(image, (depth - 2) // 6, get_normalisation(normalisation), stride, sharpness)
    named: dict[str, object] = {"image": image}
    named |= {} if stride == 1 else {"stride": stride}
    named |= {} if normalisation == "group" else {"normalisation": normalisation}
    named |= {} if sharpness in (None, SHARPNESS) else {"sharpness": sharpness}
    gates = "" if sharpness is None else ", every s a frozen gate times its linear part"
    return Network(
        format_call(f"conv-resnet-{depth}" + ("" if sharpness is None else "-gated"), named),
        f"A mean over positions of 3 stages of {net.blocks} blocks s(x + N(W2 * s(N(W1 * x)))){gates}",
        net.weights,
        net.features,
        net.apply,
        apply_batch=net.apply_batch if normalisation == "batch" else None,
        smallest=(math.prod(image), 1, 4),
    )
