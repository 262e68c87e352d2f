"""Fact C.4: the gradient of Obj = |y - out|^2 / 2 in closed form, with gates as diagonal matrices.

<grad Obj, (-W', -V')> = <y - out, f(W'; x) + g(V'; x)> with
f(W'; x) = A D_V,W (V(0)+V) (A D_W W' (x,1), 0) + A D_W W' (x,1) and g(V'; x) = A D_V,W V' (out1, 1).
All rows at once, in numpy or JAX.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kernelgap.paper.theory.start import Matrix, Pass, forward


class Gradient(NamedTuple):
    """With respect to W and V, biases in the last column."""

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


class Comparison(NamedTuple):
    """Both sides of Fact C.4, what rounding can make of their difference, and whether no gate is in doubt."""

    automatic: float
    formula: float
    rounding: float
    clear: bool


def compare(
    A: Matrix, first: Matrix, second: Matrix, x1: Matrix, y: Matrix, W_direction: Matrix, V_direction: Matrix
) -> Comparison:
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

    absolute = [np.abs(value) for value in (A, first, second, x1, y, W_direction, V_direction)]
    largest = forward(*absolute[:4])  # every gate open, every term positive
    above = f(absolute[0], absolute[2], largest, absolute[5], absolute[3]) + g(absolute[0], largest, absolute[6])
    depth = 4 * m + 2 * d + 3 * k + 16
    gammas = _gamma(depth) + _gamma(depth + m * (d + k + 2))
    margins = (
        np.abs(x1 @ first.T) - _gamma(depth) * (absolute[3] @ absolute[1].T),
        np.abs(done.z @ second.T) - _gamma(depth) * (largest.z @ absolute[2].T),
    )
    return Comparison(
        automatic,
        formula,
        gammas * float(((absolute[4] + largest.output) * above).sum()),
        bool(min(margin.min() for margin in margins) > 0),
    )


def _gamma(n: int) -> float:
    unit = float(np.finfo(float).eps) / 2
    return n * unit / (1 - n * unit)
