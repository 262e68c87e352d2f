"""A layer with frozen gates: gate(W1 x + b1) * (W2 x + b2) in place of s(Wx + b), W1 frozen and W2 trained.

The talk's "smooth approximation of the indicator" is left open there; here it is
  gate(z) = 1 / (1 + exp(-sharpness z / size)),
which shares with the indicator of z >= 0 that gate(z) + gate(-z) = 1, and tends to it as the sharpness grows. ``size``
is the root mean square of the entries of (W1, b1): a start of N(0, 1/m) makes z vanish as networks get wider, where the
indicator stays as it is and a gate of z itself would be 1/2 everywhere.

(W1, b1) are a copy of the start of (W2, b2): the layer then starts as the layer with ReLUs does (up to how smooth the
gate is), and it is for good what ReLUs are to first order in their weights, the NTK of the layer's input.
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
from kernelgap.networks.affine import affine
from kernelgap.networks.network import Params, Weight

PREFIX = "gate_"


@dataclass(frozen=True)
class Gate:
    """A sigmoid; ``sharpness`` / 4 is its slope at 0 in units of ``size``."""

    sharpness: float

    def layer(self, params: Params, x: Float[Array, "n d"], W: str, b: str) -> Float[Array, "n m"]:
        """gate(<w1, x>) * <w2, x>, the second part by the weights named W and b."""
        return self.open(params, x, W, b) * _linear(x, params[W], params[b])

    def open(self, params: Params, x: Float[Array, "n d"], W: str, b: str) -> Float[Array, "n m"]:
        """How far each gate is open: between 0 and 1."""
        W1, b1 = params[PREFIX + W], params[PREFIX + b]
        size = jnp.sqrt((jnp.sum(W1**2) + jnp.sum(b1**2)) / (W1.size + b1.size))
        return jax.nn.sigmoid(self.sharpness / size * _linear(x, W1, b1))


def check_sharpness(sharpness: float) -> None:
    if isinstance(sharpness, bool) or not isinstance(sharpness, Real) or not 0 < sharpness < math.inf:
        raise InputError(f"The sharpness of a gate must be a positive finite number, not {sharpness!r}.")


def with_gates(table: Mapping[str, Weight], *gated: str) -> dict[str, Weight]:
    """The weights of a network, and beside each of the ``gated`` ones its frozen copy."""
    return {**table, **{PREFIX + name: Weight(table[name].shape, "gate", copies=name) for name in gated}}


def _linear(
    x: Float[Array, "n d"], W: Float[Array | np.ndarray, "m d"], b: Float[Array | np.ndarray, " m"]
) -> Float[Array, "n m"]:
    return affine(x, W, b) if W.shape[1] < W.shape[0] else x @ W.T + b
