"""Layers of ReLUs, s(Wx + b), and layers with frozen gates in their place, gate(W1 x + b1) * (W2 x + b2), W2 trained.

The talk leaves its "smooth approximation of the indicator" open; here it is
  gate(z) = 1 / (1 + exp(-sharpness z / size)),
which shares with the indicator of z >= 0 that gate(z) + gate(-z) = 1, and tends to it as the sharpness grows. ``size``
is the root mean square of the entries of (W1, b1): a start of N(0, 1/m) makes z vanish as networks get wider, where the
indicator stays as it is and a gate of z itself would be 1/2 everywhere.

(W1, b1) are a copy of the start of (W2, b2). The layer then starts as the layer with ReLUs does (up to how smooth the
gate is), and it stays what ReLUs are to first order in their weights: the NTK of the layer's input.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.errors import InputError
from kernelgap.networks.network import Params, Weight

AnyArray = Array | np.ndarray
PREFIX = "gate_"
SHARPNESS = 4.0  # a slope of 1 at 0, in units of the gate's size
NARROW = ("W", "V")  # matrices with one short side, d or k
LAST = ("A", "a")  # the gates of a deep ResNet's last ReLU, which has no weights of its own


def affine(x: Float[AnyArray, "n d"], W: Float[AnyArray, "m d"], b: Float[AnyArray, " m"]) -> Float[Array, "n m"]:
    """Wx + b as the paper writes it, the matrix (W, b) times (x, 1): the gradient of b then costs no reduction.

    Training many members at once is a seventh faster for it. It copies W, so it is for matrices with one short side.
    """
    ones = jnp.ones((x.shape[0], 1), x.dtype)
    return jnp.concatenate([x, ones], axis=1) @ jnp.concatenate([W, b[:, None]], axis=1).T


@dataclass(frozen=True)
class Relu:
    """Layers s(Wx + b). Weights are given by their names."""

    def weights(self, table: Mapping[str, Weight], *gated: str) -> dict[str, Weight]:
        return dict(table)

    def layer(self, params: Params, x: Float[Array, "n d"], W: str, b: str) -> Float[Array, "n m"]:
        return jax.nn.relu(affine(x, params[W], params[b]) if W in NARROW else x @ params[W].T + params[b])

    def last(self, params: Params, h: Float[Array, "n m"]) -> Float[Array, "n m"]:
        return jax.nn.relu(h)


@dataclass(frozen=True)
class Gate:
    """Layers gate(W1 x + b1) * (W2 x + b2); ``sharpness`` / 4 is the slope of the gate at 0 in units of ``size``."""

    sharpness: float

    def weights(self, table: Mapping[str, Weight], *gated: str) -> dict[str, Weight]:
        """The weights of a network, and beside each of the ``gated`` ones its frozen copy."""
        return {**table, **{PREFIX + name: Weight(table[name].shape, "gate", copies=name) for name in gated}}

    def layer(self, params: Params, x: Float[Array, "n d"], W: str, b: str) -> Float[Array, "n m"]:
        return self._open(params, x, W, b) * _linear(x, params[W], params[b])

    def last(self, params: Params, h: Float[Array, "n m"]) -> Float[Array, "n m"]:
        """The gates of what A reads are random and no copy of anything."""
        return self._open(params, h, *LAST) * h

    def _open(self, params: Params, x: Float[Array, "n d"], W: str, b: str) -> Float[Array, "n m"]:
        """How far each gate is open: between 0 and 1."""
        W1, b1 = params[PREFIX + W], params[PREFIX + b]
        size = jnp.sqrt((jnp.sum(W1**2) + jnp.sum(b1**2)) / (W1.size + b1.size))
        return jax.nn.sigmoid(self.sharpness / size * _linear(x, W1, b1))


def check_sharpness(sharpness: float) -> None:
    if isinstance(sharpness, bool) or not isinstance(sharpness, Real) or not 0 < sharpness < math.inf:
        raise InputError(f"The sharpness of a gate must be a positive finite number, not {sharpness!r}.")


def _linear(x: Float[Array, "n d"], W: Float[AnyArray, "m d"], b: Float[AnyArray, " m"]) -> Float[Array, "n m"]:
    return affine(x, W, b) if W.shape[1] < W.shape[0] else x @ W.T + b
