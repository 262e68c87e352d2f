"""The random start of section 6 in float64, and one pass through the network: outputs and gates."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

Matrix = Any  # numpy or JAX: what follows uses only operators that both have


@dataclass(frozen=True)
class Start:
    """A ~ N(0, 1/m) (k, m), W(0) ~ N(0, sigma_w^2) (m, d+1), V(0) ~ N(0, sigma_v^2/m) (m, k+1), biases last."""

    A: Float[np.ndarray, "k m"]
    W0: Float[np.ndarray, "m d1"]
    V0: Float[np.ndarray, "m k1"]
    sigma_w: float
    sigma_v: float

    @classmethod
    def draw(cls, rng: np.random.Generator, *, d: int, k: int, m: int, sigma_w: float, sigma_v: float) -> "Start":
        return cls(
            rng.standard_normal((k, m)) / math.sqrt(m),
            sigma_w * rng.standard_normal((m, d + 1)),
            sigma_v / math.sqrt(m) * rng.standard_normal((m, k + 1)),
            sigma_w,
            sigma_v,
        )

    @property
    def width(self) -> int:
        return self.A.shape[1]


class Pass(NamedTuple):
    """out1, out and the diagonals of D_W and D_{V,W}, a row for each input; ``z`` is (out1, 1)."""

    first_output: Matrix
    output: Matrix
    first_gates: Matrix
    second_gates: Matrix
    z: Matrix


def with_one(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d1"]:
    """(x, 1), row by row."""
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def forward(A: Matrix, first: Matrix, second: Matrix, x1: Matrix) -> Pass:
    """out1 = A s(first (x,1)), out = out1 + A s(second (out1,1)), for first = W(0) + W and second = V(0) + V.

    ``x1`` are rows (x, 1). A gate is open where its preactivation is >= 0, as in section 6.1.
    """
    before = x1 @ first.T
    first_gates = before >= 0
    out1 = (first_gates * before) @ A.T
    k = out1.shape[1]
    later = out1 @ second[:, :k].T + second[:, k]
    second_gates = later >= 0
    ones = x1[:, -1:]
    z = type_of(x1).concatenate([out1, ones], axis=1)
    return Pass(out1, out1 + (second_gates * later) @ A.T, first_gates, second_gates, z)


def type_of(array: Matrix) -> Any:
    """numpy for numpy's arrays, else jax.numpy."""
    if isinstance(array, np.ndarray):
        return np
    import jax.numpy as jnp

    return jnp
