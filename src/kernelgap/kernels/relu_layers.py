"""Infinitely wide ReLU layers: what they do to the covariance of two inputs (Cho and Saul's arc-cosine kernels).

For u, v jointly Gaussian with variances p, q and the angle t = arccos(E[uv] / sqrt(pq)),
  2 E s(u) s(v)   = sqrt(pq) (sin t + (pi - t) cos t) / pi,
  2 E s'(u) s'(v) = (pi - t) / pi.
The factor 2 keeps the size: E s(u)^2 = E[u^2] / 2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from kernelgap.kernels.pairs import Pairs, Value, geometric_mean


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
            squared_inputs = (squared_inputs[0] + one, squared_inputs[1] + one)
            lengths = geometric_mean(*squared_inputs, math)
            inputs = outputs + one
            polar = math.polar(inputs / lengths)
        else:
            inputs, polar = outputs, math.polar(kappa)
