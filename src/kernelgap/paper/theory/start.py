"""The random start of section 6 in float64, one pass through the network with its gates, and its gradient.

Fact C.4 has the gradient of Obj = |y - out|^2 / 2 in closed form, with gates as diagonal matrices:
<grad Obj, (-W', -V')> = <y - out, f(W'; x) + g(V'; x)> with
f(W'; x) = A D_V,W (V(0)+V) (A D_W W' (x,1), 0) + A D_W W' (x,1) and g(V'; x) = A D_V,W V' (out1, 1).
All rows at once, in numpy or JAX.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
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
    z = x1.__array_namespace__().concatenate([out1, x1[:, -1:]], axis=1)
    return Pass(out1, out1 + (second_gates * later) @ A.T, first_gates, second_gates, z)


class Gradient(NamedTuple):
    """The gradient with respect to W and V, biases in the last column."""

    W: Matrix
    V: Matrix


def f(A: Matrix, second: Matrix, done: Pass, direction: Matrix, x1: Matrix) -> Matrix:
    """f(W'; x) for each row (x,1) of ``x1``; ``second`` is V(0) + V."""
    inner = (done.first_gates * (x1 @ direction.T)) @ A.T
    return through(A, second, done, inner) + inner


def through(A: Matrix, second: Matrix, done: Pass, inner: Matrix) -> Matrix:
    """A D_V,W (V(0)+V) (inner, 0): what a change of out1 does to the second block."""
    return (done.second_gates * (inner @ second[:, : inner.shape[1]].T)) @ A.T


def g(A: Matrix, done: Pass, direction: Matrix) -> Matrix:
    """g(V'; x) for each row."""
    return (done.second_gates * (done.z @ direction.T)) @ A.T


def gradient(A: Matrix, second: Matrix, done: Pass, x1: Matrix, y: Matrix) -> Gradient:
    """The gradient of the sum of Obj over the rows: Fact C.4 read as a matrix."""
    residual = y - done.output
    later = done.second_gates * (residual @ A)
    first = done.first_gates * ((residual + later @ second[:, : residual.shape[1]]) @ A)
    return Gradient(-first.T @ x1, -later.T @ done.z)


class StartComparison(NamedTuple):
    """Both sides of Fact C.4, what rounding can make of their difference, and whether no gate is in doubt."""

    automatic: float
    formula: float
    rounding: float
    clear: bool


def compare(
    A: Matrix, first: Matrix, second: Matrix, x1: Matrix, y: Matrix, W_direction: Matrix, V_direction: Matrix
) -> StartComparison:
    """Automatic differentiation beside the formula for one input, for float64 arrays of numpy.

    Each side is a sum of products. One whose terms went through n roundings each is off by at most
    gamma_n = nu / (1 - nu) times the same sum with absolute values for all numbers (Higham, Accuracy and Stability of
    Numerical Algorithms, ch. 3). Here n is at most 4m + 2d + 3k + 16, and for automatic differentiation, which ends in
    sums over whole matrices, m (d + k + 2) more. Gates agree where no preactivation is as near to 0 as its rounding.
    """
    k, m = A.shape
    d = first.shape[1] - 1

    def objective(W: Matrix, V: Matrix) -> Matrix:
        out1 = jax.nn.relu(x1 @ W.T) @ A.T
        out = out1 + jax.nn.relu(out1 @ V[:, :k].T + V[:, k]) @ A.T
        return 0.5 * ((y - out) ** 2).sum()

    with jax.enable_x64(True):
        grads = jax.grad(objective, argnums=(0, 1))(jnp.asarray(first), jnp.asarray(second))
        automatic = -float((grads[0] * W_direction).sum() + (grads[1] * V_direction).sum())
    done = forward(A, first, second, x1)
    change = f(A, second, done, W_direction, x1) + g(A, done, V_direction)
    formula = float(((y - done.output) * change).sum())

    # with absolute values every gate is open and every term positive
    A, W, V, x, labels, dW, dV = (np.abs(value) for value in (A, first, second, x1, y, W_direction, V_direction))
    largest = forward(A, W, V, x)
    above = f(A, V, largest, dW, x) + g(A, largest, dV)
    depth = 4 * m + 2 * d + 3 * k + 16
    gamma = _gamma(depth)
    margins = np.abs(x1 @ first.T) - gamma * (x @ W.T), np.abs(done.z @ second.T) - gamma * (largest.z @ V.T)
    rounding = (gamma + _gamma(depth + m * (d + k + 2))) * float(((labels + largest.output) * above).sum())
    return StartComparison(automatic, formula, rounding, bool(min(margin.min() for margin in margins) > 0))


def _gamma(n: int) -> float:
    unit = float(np.finfo(float).eps) / 2
    return n * unit / (1 - n * unit)
