"""Normalisation of the maps that a convolution gives: over groups of channels of one image, or over a batch.

Group normalisation is a function of a single image, so that the gradient of an output, and with it the network's
kernels, are defined image by image. Batch normalisation is such a function only once its statistics are fixed: while it
trains it uses the batch's own, and afterwards those that it has kept, which are "statistics" among the weights.
"""

from collections.abc import MutableMapping
from math import gcd
from typing import Protocol, runtime_checkable

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from kernelgap.errors import unknown
from kernelgap.networks.network import Params, Weight

Maps = Float[Array, "n _ _ _"]  # n, height, width, channels
Seen = MutableMapping[str, Array]  # statistics of the batch, by their names

EPSILON = 1e-5  # added to variances
CHANNELS = 8  # of a group, where there are as many: one alone would lose how strong it is


@runtime_checkable
class Normalisation(Protocol):
    def weights(self, layer: str, channels: int) -> dict[str, Weight]: ...

    def __call__(self, params: Params, layer: str, z: Maps, seen: Seen | None) -> Maps:
        """``z`` normalised, then times a gain and plus a shift for each channel.

        ``seen`` takes what was seen of the batch; without it, kept statistics are used.
        """
        ...


class Group:
    """Mean 0 and variance 1 over all positions of a group of channels, in each image."""

    name = "group"

    def weights(self, layer: str, channels: int) -> dict[str, Weight]:
        return _gain_and_shift(layer, channels)

    def __call__(self, params: Params, layer: str, z: Maps, seen: Seen | None) -> Maps:
        groups = z.shape[3] // gcd(CHANNELS, z.shape[3])
        mean = _over_groups(jnp.mean(z, axis=(1, 2)), groups)
        centred = z - mean[:, None, None]
        variance = _over_groups(jnp.mean(centred * centred, axis=(1, 2)), groups)
        scale = lax.rsqrt(variance + EPSILON) * params[f"{layer}_gain"]
        return centred * scale[:, None, None] + params[f"{layer}_shift"]


class Batch:
    """Mean 0 and variance 1 of each channel over all positions and images of the batch."""

    name = "batch"

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


NORMALISATIONS: dict[str, Normalisation] = {"group": Group(), "batch": Batch()}


def get_normalisation(name: str) -> Normalisation:
    if not isinstance(name, str) or name not in NORMALISATIONS:
        raise unknown("normalisation", name, NORMALISATIONS)
    return NORMALISATIONS[name]


def _gain_and_shift(layer: str, channels: int) -> dict[str, Weight]:
    return {
        f"{layer}_gain": Weight((channels,), "second", start=1.0),
        f"{layer}_shift": Weight((channels,), "second", start=0.0),
    }


def _over_groups(values: Float[Array, "n channels"], groups: int) -> Float[Array, "n channels"]:
    """The mean over each group of neighbouring channels, at each of them."""
    means = jnp.mean(values.reshape(len(values), groups, -1), axis=2, keepdims=True)
    return jnp.broadcast_to(means, (len(values), groups, values.shape[1] // groups)).reshape(values.shape)
