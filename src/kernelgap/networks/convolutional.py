"""Convolutional ResNets for images (He et al., Deep residual learning), with ReLUs or with frozen gates.

A first convolution, then three stages of n blocks with m/4, m/2 and m channels, the later two at half the height and
width of the one before, then the mean over positions and the output's weights: 6n + 2 layers, ResNet-8 to ResNet-32 for
n = 1 to 5. m = 64 is the usual width, of 16, 32 and 64 channels. A block is
  h = s(N(W1 * x)),  out = s(x + N(W2 * h)),
with * a convolution of 3 x 3 positions and N a normalisation. Where a stage begins, x is every second position of the
one before, with zeros for the new channels.

Group normalisation is a function of a single image, so that the gradient of an output, and with it the network's
kernels, are defined image by image. Batch normalisation is such a function only once its statistics are fixed: while it
trains it uses the batch's own, and afterwards those that it has kept, which are "statistics" among the weights.

With gates, each ReLU of what came before it, s(z), becomes gate(z') z, where z' is z with weights (filters, gains and
shifts) that stay as they started, and gate(z') = 1 / (1 + exp(-sharpness z')). At the start z' = z: so the network
starts as the one with ReLUs does, but for how smooth the gate is. Each layer is then linear in its trained weights: a
kernel of its input.
"""

import math
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from kernelgap.calls import format_call
from kernelgap.errors import InputError, shown, unknown
from kernelgap.networks.convolution import FILTER, Maps, convolve
from kernelgap.networks.layers import PREFIX, SHARPNESS, check_sharpness
from kernelgap.networks.network import Features, Inputs, Layer, Network, Outputs, Params, Weight

Seen = MutableMapping[str, Array]  # statistics of the batch, by their names

EPSILON = 1e-5  # added to variances
STAGES = 3
LONGEST_SIDE = 10_000
DEPTHS = (8, 14, 20, 26, 32)
CHANNELS = 8  # of a group, where there are as many: one alone would lose how strong it is


class Group:
    """Mean 0 and variance 1 over all positions of a group of channels, in each image.

    A call normalises ``z``, then multiplies by a gain and adds a shift for each channel.
    """

    def weights(self, layer: str, channels: int) -> dict[str, Weight]:
        return _gain_and_shift(layer, channels)

    def __call__(self, params: Params, layer: str, z: Maps, seen: Seen | None) -> Maps:
        groups = z.shape[3] // math.gcd(CHANNELS, z.shape[3])
        mean = _over_groups(jnp.mean(z, axis=(1, 2)), groups)
        centred = z - mean[:, None, None]
        variance = _over_groups(jnp.mean(centred * centred, axis=(1, 2)), groups)
        scale = lax.rsqrt(variance + EPSILON) * params[f"{layer}_gain"]
        return centred * scale[:, None, None] + params[f"{layer}_shift"]


class Batch:
    """Mean 0 and variance 1 of each channel over all positions and images of the batch.

    ``seen`` takes the batch's statistics; without it, those among the weights are used.
    """

    def weights(self, layer: str, channels: int) -> dict[str, Weight]:
        return _gain_and_shift(layer, channels) | {
            f"{layer}_mean": Weight((channels,), "statistics", start=0.0),
            f"{layer}_variance": Weight((channels,), "statistics", start=1.0),
        }

    def __call__(self, params: Params, layer: str, z: Maps, seen: Seen | None) -> Maps:
        names = f"{layer}_mean", f"{layer}_variance"
        if seen is not None:
            seen[names[0]] = jnp.mean(z, axis=(0, 1, 2))
            seen[names[1]] = jnp.mean((z - seen[names[0]]) ** 2, axis=(0, 1, 2))
        mean, variance = (jnp.asarray((params if seen is None else seen)[name]) for name in names)
        scale = lax.rsqrt(variance + EPSILON) * params[f"{layer}_gain"]
        return (z - mean) * scale + params[f"{layer}_shift"]


Normalisation = Group | Batch
NORMALISATIONS: dict[str, Normalisation] = {"group": Group(), "batch": Batch()}


def get_normalisation(name: str) -> Normalisation:
    if not isinstance(name, str) or name not in NORMALISATIONS:
        raise unknown("normalisation", name, NORMALISATIONS)
    return NORMALISATIONS[name]


def _gain_and_shift(layer: str, channels: int) -> dict[str, Weight]:
    return {f"{layer}_{name}": Weight((channels,), "second", start=at) for name, at in (("gain", 1.0), ("shift", 0.0))}


def _over_groups(values: Float[Array, "n channels"], groups: int) -> Float[Array, "n channels"]:
    """The mean over each group of neighbouring channels, at each of them."""
    means = jnp.mean(values.reshape(len(values), groups, -1), axis=2, keepdims=True)
    return jnp.broadcast_to(means, (len(values), groups, values.shape[1] // groups)).reshape(values.shape)


class Convolution(NamedTuple):
    """One of the network's convolutions: from ``before`` channels to ``after``, at every ``stride``-th position."""

    name: str
    before: int
    after: int
    stride: int


@dataclass(frozen=True)
class ImageResNet:
    """The weights and functions of a ResNet with 6 ``blocks`` + 2 layers.

    ``stride`` is that of the first convolution; ``sharpness`` that of gates, if any.
    """

    image: tuple[int, int, int]
    blocks: int
    normalisation: Normalisation
    stride: int = 1
    sharpness: float | None = None

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        height, width, channels = self.image
        if d != height * width * channels:
            size = f"{height} x {width} x {channels}"
            raise InputError(f"Images of {size} have {height * width * channels} inputs, not {d}.")
        if m % 4:
            raise InputError(f"The width of a convolutional ResNet is its last stage's: a multiple of 4, not {m}.")
        table: dict[str, Weight] = {}
        for c in self.convolutions(m):
            layer: Layer = "first" if c.name == "stem" else "second"
            std = (2 / (FILTER**2 * c.before)) ** 0.5
            table[c.name] = Weight((FILTER, FILTER, c.before, c.after), layer, std=std)
            table |= self.normalisation.weights(c.name, c.after)
        if self.sharpness is not None:
            table |= {PREFIX + name: _gate(name, weight) for name, weight in table.items()}
        return table | {"A": Weight((k, m), "output")}

    def convolutions(self, m: int) -> list[Convolution]:
        """In their order; each block of stage s has the two s<stage>b<block>c1 and c2."""
        made = [Convolution("stem", self.image[2], m // 4, self.stride)]
        for stage in range(1, STAGES + 1):
            for block in range(1, self.blocks + 1):
                before, after = made[-1].after, m * 2**stage // 8
                made.append(Convolution(f"s{stage}b{block}c1", before, after, after // before))
                made.append(Convolution(f"s{stage}b{block}c2", after, after, 1))
        return made

    def multiplications(self, k: int, m: int) -> int:
        """The multiplications for one image, without those of normalisations."""
        height, width, _ = self.image
        total = k * m
        for c in self.convolutions(m):
            height, width = -(-height // c.stride), -(-width // c.stride)
            total += (1 if self.sharpness is None else 2) * height * width * FILTER**2 * c.before * c.after
        return total

    def features(self, params: Params, x: Inputs) -> Features:
        return self._features(params, x, None)

    def apply(self, params: Params, x: Inputs) -> Outputs:
        return self._features(params, x, None) @ params["A"].T

    def apply_batch(self, params: Params, x: Inputs) -> tuple[Outputs, Params]:
        """Outputs with the batch's own statistics, and these."""
        seen: dict[str, Array] = {}
        return self._features(params, x, seen) @ params["A"].T, seen

    def _features(self, params: Params, x: Inputs, seen: Seen | None) -> Features:
        stem, *others = self.convolutions(params["A"].shape[1])
        maps = self._layer(params, stem, x.reshape(-1, *self.image), seen)
        for first, second in zip(others[::2], others[1::2], strict=True):
            inside = self._layer(params, first, maps, seen)
            maps = self._layer(params, second, inside, seen, _shortcut(maps, first))
        return jnp.mean(maps, axis=(1, 2))

    def _layer(self, params: Params, c: Convolution, x: Maps, seen: Seen | None, beside: Maps | None = None) -> Maps:
        """s(beside + N(W * x)), or with gates gate(beside + N'(W' * x)) (beside + N(W * x))."""

        def before_relu(prefix: str) -> Maps:
            name = prefix + c.name
            z = self.normalisation(params, name, convolve(x, jnp.asarray(params[name]), c.stride), seen)
            return z if beside is None else beside + z

        if self.sharpness is None:
            return jax.nn.relu(before_relu(""))
        return jax.nn.sigmoid(self.sharpness * before_relu(PREFIX)) * before_relu("")


def _gate(name: str, weight: Weight) -> Weight:
    """A frozen copy of the start; batch statistics are the gate's own."""
    if weight.layer == "statistics":
        return weight
    return Weight(weight.shape, "gate", copies=name if weight.start is None else None, start=weight.start)


def _shortcut(x: Maps, c: Convolution) -> Maps:
    """What a block is added to: x itself, or every second position of it, with zeros for the new channels."""
    return jnp.pad(x[:, :: c.stride, :: c.stride], [(0, 0)] * 3 + [(0, c.after - c.before)])


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

    Examples
    --------
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
