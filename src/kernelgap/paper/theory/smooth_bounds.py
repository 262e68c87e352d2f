"""Bounds of smooth functions: Fact A.3 on size and slope, beside sqrt(k) p C_s(F), and the rounding of their values.

One term is g(x) = phi(u) <w2, z> with z = (x,1) and u = <w1, z> / |z|. Its gradient in z is
phi(u) w2 + phi'(u) (w1 - u z/|z|) <w2, z>/|z|, and |w1 - u z/|z|| = sqrt(1 - u^2), so that
|g| <= sum_i |c_i| |z| and |grad g| <= |phi(u)| + |phi'(u)| sqrt(1 - u^2) <= sum_i (i+1) |c_i|: C_s with C* = 1, where
the paper's proof has three times as much (and C* to hide it). |F(x)| is bounded by |(x,1)|, not by |x| as printed:
F(0) need not vanish.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.paper.theory.complexity import PLAIN, complexity
from kernelgap.problems.smooth import Function, GeneralFunction, SmoothFunction

STEPS = 500
RATE = 0.1
UNIT = 2.0**-53  # unit roundoff of float64
# Relative error of one activation's value against the sum of its terms' absolute series, in units of roundoff: an
# elementary function is good to 4 units in the last place, a lowered one near 0 is a Horner scheme of 30 orders (60).
_EVALUATION = 70
# Besides its d products: a normalisation of x, of w and of (x,1), and a division.
_ARGUMENT = 12


def plain_bound(function: Function) -> float:
    """sqrt(k) p max sum_i (i+1) |c_i|: the bound of Fact A.3 without C*."""
    return math.sqrt(function.outputs) * function.p * complexity(function, PLAIN).C_s


def size_ratios(function: GeneralFunction, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
    """|F(x)| / (bound |(x,1)|)."""
    lengths = np.sqrt(1.0 + (X**2).sum(axis=1))
    return np.linalg.norm(function(X), axis=1) / (plain_bound(function) * lengths)


def slope_ratios(
    function: GeneralFunction, X: Float[np.ndarray, "n d"], Y: Float[np.ndarray, "n d"]
) -> Float[np.ndarray, " n"]:
    """|F(x) - F(y)| / (bound |x - y|)."""
    rise = np.linalg.norm(function(X) - function(Y), axis=1)
    return rise / (plain_bound(function) * np.linalg.norm(X - Y, axis=1))


def steepest(
    coefficients: Float[np.ndarray, "restarts p orders"], k: int, d: int, seed: int
) -> tuple[Float[np.ndarray, " restarts"], dict[str, Float[np.ndarray, "..."]]]:
    """Gradient ascent on the steepness |dF(x) v| / bound over a, w1, w2, x and a unit v, for polynomial activations.

    Every output uses the same p activations. Returns the steepness reached from each random start, and where.
    """
    restarts, p, _ = coefficients.shape
    key = jax.random.key(seed)
    shapes = {"a": (k, p), "w1": (k, p, d + 1), "w2": (k, p, d + 1), "x": (d,), "v": (d,)}
    keys = jax.random.split(key, len(shapes))
    start = {
        name: jax.random.normal(sub, (restarts, *shape))
        for sub, (name, shape) in zip(keys, shapes.items(), strict=True)
    }
    values, places = _ascend(start, jnp.asarray(coefficients, dtype=jnp.float32))
    return np.asarray(values, dtype=float), {name: np.asarray(v, dtype=float) for name, v in places.items()}


@jax.jit
def _ascend(
    start: dict[str, Float[Array, "restarts ..."]], coefficients: Float[Array, "restarts p orders"]
) -> tuple[Float[Array, " restarts"], dict[str, Float[Array, "restarts ..."]]]:
    def one(begin: dict[str, Any], rows: Any) -> tuple[Any, dict[str, Any]]:
        def step(state: tuple[Any, Any, Any], t: Any) -> tuple[tuple[Any, Any, Any], None]:
            place, first, second = state
            gradient = jax.grad(_steepness)(place, rows)
            first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
            second = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, second, gradient)
            rate = RATE * (1.0 - t / STEPS)
            place = jax.tree.map(lambda w, m, s: w + rate * m / (jnp.sqrt(s) + 1e-8), place, first, second)
            return (place, first, second), None

        zeros = jax.tree.map(jnp.zeros_like, begin)
        (place, _, _), _ = jax.lax.scan(step, (begin, zeros, zeros), jnp.arange(STEPS))
        return _steepness(place, rows), {**_normalised(place), "x": place["x"]}

    return jax.vmap(one)(start, coefficients)


def _normalised(place: dict[str, Any]) -> dict[str, Any]:
    unit = {name: place[name] / jnp.linalg.norm(place[name], axis=-1, keepdims=True) for name in ("w1", "w2", "v")}
    return {"a": jnp.sin(place["a"]), **unit}


def _steepness(place: dict[str, Any], rows: Any) -> Any:
    """|dF(x) v| over the bound."""
    weights = _normalised(place)

    def F(x: Any) -> Any:
        z = jnp.append(x, 1.0)
        u = jnp.einsum("rpd,d->rp", weights["w1"], z) / jnp.linalg.norm(z)
        phi = jnp.zeros_like(u)
        for order in range(rows.shape[1] - 1, -1, -1):  # Horner
            phi = phi * u + rows[:, order]
        return (weights["a"] * phi * jnp.einsum("rpd,d->rp", weights["w2"], z)).sum(axis=1)

    _, rise = jax.jvp(F, (place["x"],), (weights["v"],))
    k, p = place["a"].shape
    bound = math.sqrt(k) * p * jnp.max(jnp.abs(rows) @ (jnp.arange(rows.shape[1]) + 1.0))
    return jnp.linalg.norm(rise) / bound


def rounding_bound(function: Function, size: float) -> Float[np.ndarray, " outputs"]:
    """A bound on |computed in float64 - exact| in each output, for |x| <= size, to first order in the roundoff.

    A scalar product of n numbers is off by at most n u |w| |x|, which moves phi(z) by |phi'(z)| times that; phi's value
    itself is off by a multiple of u sum_i |c_i| |z|^i; adding up p terms costs p u of their absolute sum. For the form
    of Definition A.1, |<w2, (x,1)>| <= |(x,1)| multiplies all of it.
    """
    if isinstance(function, SmoothFunction):
        reach, factor, products, factors = size / math.sqrt(2), 1.0, function.inputs, 0
    else:  # <w1, z>, |z|^2 and <w2, z> have n + 1 products each; the last one is a factor
        reach, factor, products, factors = 1.0, math.hypot(size, 1.0), 2 * (function.inputs + 1), function.inputs + 1
    costs = {
        phi: (products + _ARGUMENT) * reach * math.exp(phi.derivative.log_majorant(reach))
        + (factors + _EVALUATION + function.p) * math.exp(phi.log_majorant(reach))
        for phi in function.distinct
    }
    rows = zip(function.a, function.activations, strict=True)
    sums = [sum(abs(a) * costs[phi] for a, phi in zip(r, row, strict=True)) for r, row in rows]
    return UNIT * factor * np.array(sums, dtype=float)
