"""How far rounding in float64 can move a network's outputs, whatever the point of the cube: a proof, from the weights.

The network's own program is run once on bounds in place of numbers: for every intermediate result the largest magnitude
that it can have at any point, and the largest distance between what is computed and what is exact. With u = 2^-53, a
sum of n products is off by at most gamma_n = n u / (1 - n u) times the sum of their magnitudes, in any order of
operations and with or without fused ones (Higham, Accuracy and Stability of Numerical Algorithms, ch. 3); here gamma is
doubled. What underflows may be flushed to 0. Bounds are rounded up. A program with a step that is not known here has no
bound, and is refused.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kernelgap.errors import InputError
from kernelgap.networks import Network, Params

UNIT = 2.0**-53
TINY = 2.0**-1022  # what underflow can lose
UP = 1 + 1e-9  # more than the rounding of the bounds themselves
FUNCTION = 2.0**-40  # how far a sigmoid can be off: thousands of units more than any in use

MOVED = {  # steps that copy numbers to other places
    *("broadcast_in_dim", "concatenate", "convert_element_type", "copy", "copy_p", "expand_dims"),
    *("pad", "reshape", "rev", "slice", "squeeze", "stop_gradient", "transpose"),
}
CALLS = {"pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat", "checkpoint"}
OF_WEIGHTS = {"sqrt", "rsqrt"}


@dataclass(frozen=True)
class Bounded:
    """Numbers that are at most ``size``, computed and exact ones alike, and whose difference is at most ``error``.

    ``value`` is what is computed, where it is the same at all points: a weight, or something made of weights.
    """

    size: np.ndarray
    error: np.ndarray
    value: np.ndarray | None = None


def output_error(network: Network, params: Params, x: np.ndarray, x_error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Magnitude and rounding error of each output, over all inputs with |x_i| <= x[i], known up to x_error[i].

    ``params`` count as exact. Infinite where nothing finite can be said.
    """
    with jax.enable_x64(True), np.errstate(all="ignore"):
        names = sorted(params)
        weights = [np.asarray(params[name], dtype=np.float64) for name in names]
        row = np.asarray(x, dtype=np.float64)[None, :]

        def apply(*given: jax.Array) -> jax.Array:
            return network.apply(dict(zip(names, given, strict=False)), given[-1])

        program = jax.make_jaxpr(apply)(*weights, row)
        given = [Bounded(np.abs(w), np.zeros_like(w), w) for w in weights]
        given.append(_bounded(np.abs(row), np.asarray(x_error, dtype=np.float64)[None, :]))
        (output,) = _run(network, program.jaxpr, [_constant(c) for c in program.consts], given)
    return output.size[0], output.error[0]


def gamma(n: int) -> float:
    """Twice Higham's gamma_n."""
    return math.inf if n * UNIT >= 0.5 else 2 * n * UNIT / (1 - n * UNIT)


def _constant(value: Any) -> Bounded:
    """A number within the program: exact where it is whole, else rounded once."""
    number = np.asarray(value, dtype=np.float64)
    return Bounded(np.abs(number) * UP, np.where(number == np.round(number), 0.0, UNIT * np.abs(number)), number)


def _bounded(size: Any, error: Any, value: np.ndarray | None = None) -> Bounded:
    """Rounded up; the size covers what is computed as well."""
    up = np.asarray(error, dtype=np.float64) * UP + TINY
    up = np.where(np.isnan(up), np.inf, up)
    large = np.asarray(size, dtype=np.float64) * UP + up
    return Bounded(np.where(np.isnan(large), np.inf, large), up, value)


def _run(network: Network, program: Any, consts: Sequence[Bounded], given: Sequence[Bounded]) -> list[Bounded]:
    known: dict[Any, Bounded] = {}

    def read(variable: Any) -> Bounded:
        return _constant(variable.val) if hasattr(variable, "val") else known[variable]

    known.update(zip(program.constvars, consts, strict=True))
    known.update(zip(program.invars, given, strict=True))
    for step in program.eqns:
        known.update(zip(step.outvars, _step(network, step, [read(v) for v in step.invars]), strict=True))
    return [read(variable) for variable in program.outvars]


def _step(network: Network, step: Any, given: list[Bounded]) -> list[Bounded]:
    name = step.primitive.name
    if name in CALLS:
        inner = step.params.get("jaxpr") or step.params["call_jaxpr"]
        program, consts = (inner.jaxpr, inner.consts) if hasattr(inner, "jaxpr") else (inner, ())
        return _run(network, program, [_constant(c) for c in consts], given)
    do: Callable[..., np.ndarray] = partial(_do, step)
    value = None
    if all(g.value is not None for g in given):
        value = do(*(g.value for g in given))
    if name in MOVED and step.outvars[0].aval.dtype == np.float64:
        return [Bounded(do(*(g.size for g in given)), do(*(g.error for g in given)), value)]
    rule = RULES.get(name)
    if rule is None or (name in OF_WEIGHTS and value is None):
        raise InputError(f"No bound on rounding is known for {network.name}: its step '{name}' is not among those.")
    size, error = rule(step, do, *given)
    return [_bounded(size, error, value)]


def _do(step: Any, *arrays: np.ndarray) -> np.ndarray:
    """The step itself, on these numbers."""
    return np.asarray(step.primitive.bind(*(jnp.asarray(a) for a in arrays), **step.params))


Rule = tuple[Any, Any]


def _sum(step: Any, do: Any, a: Bounded, b: Bounded) -> Rule:
    size = a.size + b.size
    return size, a.error + b.error + 2 * UNIT * size


def _product(step: Any, do: Any, a: Bounded, b: Bounded, terms: int = 1) -> Rule:
    """Whatever is linear in both: a product of numbers, of matrices, a convolution."""
    size = do(a.size, b.size)
    return size, do(a.error, b.size) + do(a.size, b.error) + gamma(terms + 1) * size + 2 * terms * TINY


def _dot(step: Any, do: Any, a: Bounded, b: Bounded) -> Rule:
    (contracted, _), _ = step.params["dimension_numbers"]
    return _product(step, do, a, b, math.prod(a.size.shape[axis] for axis in contracted))


def _quotient(step: Any, do: Any, a: Bounded, b: Bounded) -> Rule:
    if b.value is None:
        return np.full(a.size.shape, np.inf), np.full(a.size.shape, np.inf)
    least = np.abs(b.value) - b.error
    inverse = np.where(least > 0, 1 / least, np.inf)
    size = a.size * inverse
    return size, a.error * inverse + size * b.error * inverse + 4 * UNIT * size


def _reduce_sum(step: Any, do: Any, a: Bounded) -> Rule:
    terms = math.prod(a.size.shape[axis] for axis in step.params["axes"])
    size = do(a.size)
    return size, do(a.error) + gamma(terms) * size


def _power(step: Any, do: Any, a: Bounded) -> Rule:
    power = step.params.get("y", 2)
    if power < 1:
        return np.full(a.size.shape, np.inf), np.full(a.size.shape, np.inf)
    size = a.size**power
    return size, power * a.size ** (power - 1) * a.error + gamma(power) * size


def _root(step: Any, do: Any, a: Bounded) -> Rule:
    """Of something positive: the derivative at the least value that it can have."""
    assert a.value is not None
    least = a.value - a.error
    root = np.where(least > 0, np.sqrt(least), 0.0)
    if step.primitive.name == "sqrt":
        return np.sqrt(a.size), a.error / root + 4 * UNIT * np.sqrt(a.size)
    return 1 / root, a.error / root**3 + 8 * UNIT / root


RULES: dict[str, Callable[..., Rule]] = {
    "add": _sum,
    "sub": _sum,
    "mul": _product,
    "dot_general": _dot,
    "conv_general_dilated": lambda step, do, a, b: _product(step, do, a, b, terms=b.size.size),
    "div": _quotient,
    "reduce_sum": _reduce_sum,
    "integer_pow": _power,
    "square": _power,
    "sqrt": _root,
    "rsqrt": _root,
    "neg": lambda step, do, a: (a.size, a.error),
    "max": lambda step, do, a, b: (np.maximum(a.size, b.size), np.maximum(a.error, b.error)),
    "logistic": lambda step, do, a: (np.ones_like(a.size), np.minimum(a.error / 4, 1.0) + FUNCTION),
}
