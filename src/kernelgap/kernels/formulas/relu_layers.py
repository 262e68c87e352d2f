"""Infinitely wide ReLU layers: what they do to the covariance of two inputs (Cho and Saul's arc-cosine kernels).

For u, v jointly Gaussian with variances p, q and the angle t = arccos(E[uv] / sqrt(pq)),
  2 E s(u) s(v)   = sqrt(pq) (sin t + (pi - t) cos t) / pi,
  2 E s'(u) s'(v) = (pi - t) / pi.
The factor 2 keeps the size: E s(u)^2 = E[u^2] / 2.

The next layer's angle T has cos T = (sin t + (pi - t) cos t) / pi. Near 1 a cosine has lost half of the angle's digits,
so there T comes from t, by 1 - cos T = 2 sin^2(t/2) - (sin t - t cos t) / pi: it is of the order of t^2, and the
bracket is off by eps t, which moves T by eps.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kernelgap.kernels.pairs import Arithmetic, Pairs, Value, geometric_mean


class ReluLayer(NamedTuple):
    """One hidden layer, scaled so that each layer keeps the length of its input."""

    inputs: Value  # covariance of the pre-activations at x and z
    squared_inputs: tuple[Value, Value]  # their variances at x and at z
    outputs: Value  # 2 E s(u) s(v)
    slopes: Value  # 2 E s'(u) s'(v)


def relu_layers(pairs: Pairs, depth: int, hidden_bias: bool = False) -> Iterator[ReluLayer]:
    """The layers one by one.

    With ``hidden_bias`` each layer after the first sees (h, 1) too, its bias drawn like its weights. In a network with
    entries N(0, 1/m), layer l has |h|^2 = |x|^2 / 2^l; scaled up to |x|^2, the coordinate 1 has square 2^l.
    """
    math = pairs.arithmetic
    inputs, squared_inputs, lengths = pairs.inner, pairs.squared_lengths, pairs.lengths
    polar = pairs.polar
    for layer in range(1, depth + 1):
        slopes = 1 - polar.angle / math.pi
        kappa = polar.sine / math.pi + slopes * polar.cosine
        outputs = lengths * kappa
        yield ReluLayer(inputs, squared_inputs, outputs, slopes)
        if layer == depth:
            return
        if hidden_bias:
            one = 2**layer
            before = squared_inputs
            squared_inputs = (before[0] + one, before[1] + one)
            lengths = geometric_mean(*squared_inputs, math)
            inputs = outputs + one
            polar = math.polar_near_one(inputs / lengths, biased(math, one), polar.angle, lengths, *before)
        else:
            inputs, polar = outputs, math.polar_near_one(kappa, unbiased(math), polar.angle)


def unbiased(math: Arithmetic) -> Callable[..., Value]:
    """1 - cos T, of the angle t before the layer."""

    def versine(angle: Value) -> Value:
        half = math.sin(angle / 2)
        before = 2 * half * half  # 1 - cos t
        return before - (math.sin(angle) - angle + angle * before) / math.pi

    return versine


def biased(math: Arithmetic, one: int) -> Callable[..., Value]:
    """1 - cos T for the covariance ab cos(T_0) + one, a^2 + one and b^2 + one, with T_0 the angle without a bias.

    With the length c = sqrt((a^2 + one)(b^2 + one)), 1 - cos T = (ab (1 - cos T_0) + (c - ab - one)) / c and
    c - ab - one = one (a - b)^2 / (c + ab + one).
    """
    without = unbiased(math)

    def versine(angle: Value, lengths: Value, x: Value, z: Value) -> Value:
        a, b = math.sqrt(x), math.sqrt(z)
        apart = one * (a - b) * ((a - b) / (lengths + a * b + one))
        return (a * b * without(angle) + apart) / lengths

    return versine
