"""Convolutional ResNets for images (He et al., Deep residual learning), with ReLUs or with frozen gates.

A first convolution, then three stages of n blocks with m/4, m/2 and m channels, the later two at half the height and
width of the one before, then the mean over positions and the output's weights: 6n + 2 layers, ResNet-8 to ResNet-32 for
n = 1 to 5. m = 64 is the usual width, of 16, 32 and 64 channels. A block is
  h = s(N(W1 * x)),  out = s(x + N(W2 * h)),
with * a convolution of 3 x 3 positions and N a normalisation. Where a stage begins, x is every second position of the
one before, with zeros for the new channels.

With gates, each ReLU of what came before it, s(z), becomes gate(z') z, where z' is z with weights (filters, gains and
shifts) that stay as they started, and gate(z') = 1 / (1 + exp(-sharpness z')). At the start z' = z: so the network
starts as the one with ReLUs does, but for how smooth the gate is. Each layer is then linear in its trained weights: a
kernel of its input.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from kernelgap.errors import InputError
from kernelgap.networks.convolutional.normalisation import Maps, Normalisation, Seen
from kernelgap.networks.initialisation import Layer
from kernelgap.networks.layers import PREFIX
from kernelgap.networks.network import Features, Inputs, Outputs, Params, Weight

STAGES = 3
FILTER = 3


class Convolution(NamedTuple):
    """One of the network's convolutions: from so many channels to so many, and at every which position."""

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
        """Of one image's outputs, those of normalisations not counted."""
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
            z = self.normalisation(params, name, _convolve(x, jnp.asarray(params[name]), c.stride), seen)
            return z if beside is None else beside + z

        if self.sharpness is None:
            return jax.nn.relu(before_relu(""))
        return jax.nn.sigmoid(self.sharpness * before_relu(PREFIX)) * before_relu("")


def _gate(name: str, weight: Weight) -> Weight:
    """A frozen copy of the start; batch statistics are the gate's own."""
    if weight.layer == "statistics":
        return weight
    return Weight(weight.shape, "gate", copies=name if weight.start is None else None, start=weight.start)


def _convolve(x: Maps, filters: Float[Array, "f f before after"], stride: int) -> Maps:
    """Zeros around the maps."""
    side = FILTER // 2
    sides = ((side, side), (side, side))
    return lax.conv_general_dilated(x, filters, (stride, stride), sides, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _shortcut(x: Maps, c: Convolution) -> Maps:
    """What a block is added to: x itself, or every second position of it, with zeros for the new channels."""
    return jnp.pad(x[:, :: c.stride, :: c.stride], [(0, 0)] * 3 + [(0, c.after - c.before)])
