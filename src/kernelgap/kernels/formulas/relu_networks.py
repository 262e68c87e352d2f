"""Conjugate and neural tangent kernels of infinitely wide ReLU networks, from what a layer does to a covariance.

Arc-cosine kernels (Cho and Saul): for u, v jointly Gaussian with variances p, q and the angle
t = arccos(E[uv] / sqrt(pq)),
  2 E s(u) s(v)   = sqrt(pq) (sin t + (pi - t) cos t) / pi,
  2 E s'(u) s'(v) = (pi - t) / pi.
The factor 2 keeps the size: E s(u)^2 = E[u^2] / 2.

The next layer's angle T has cos T = (sin t + (pi - t) cos t) / pi. Near 1 a cosine has lost half of the angle's digits,
so there T comes from t, by 1 - cos T = 2 sin^2(t/2) - (sin t - t cos t) / pi: it is of the order of t^2, and the
bracket is off by eps t, which moves T by eps.

With layers l = 1..L of input covariance Sigma_l and slopes S_l, the neural tangent kernel (Jacot, Gabriel and Hongler)
sum over layers of <d out(x) / d weights, d out(z) / d weights> has the part Sigma_l S_l S_l+1 ... S_L from the weights
into layer l, and from those of the output the conjugate kernel 2^L E h_L(x) h_L(z) / m.

The three-layer ResNet of eq. 2.1, A (s(Wx) + s(U s(Wx))) with full U and entries N(0, 1/m), has the kernel of which
twice is
  last layer    E h_1 h_1 + E h_2 h_2, and what h_1 and h_2 share: both are positive on average, so that their product
                does not vanish; the mean of s(u) is the standard deviation of u over sqrt(2 pi)
  U             Sigma_2 S_2 / 2
  W             <x,z> S_1 (1 + S_2 / 2), through the skip and through U.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from kernelgap.kernels.check import DEEPEST, check_count, check_flag, check_part
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
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


@dataclass(frozen=True, repr=False)
class ReluNetwork(InnerKernel):
    """A fully connected network with depth hidden layers.

    ``hidden_bias`` gives those after the first a bias, as section 8.1's have.
    """

    depth: int = 1
    hidden_bias: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.depth, "depth", most=DEEPEST)
        check_flag(self.hidden_bias, "hidden_bias")


@dataclass(frozen=True, repr=False)
class Conjugate(ReluNetwork):
    """Conjugate kernel of a ReLU network with depth hidden layers: 1 on the diagonal for unit vectors.

    ck2 (one hidden layer: the arc-cosine kernel) and ck3 (two) are depths 1 and 2.
    """

    name = "ck"
    special: ClassVar = {"ck2": {"depth": 1, "hidden_bias": False}, "ck3": {"depth": 2}}

    def formula(self, pairs: Pairs) -> Value:
        *_, last = relu_layers(pairs, self.depth, self.hidden_bias)
        return last.outputs


@dataclass(frozen=True, repr=False)
class Tangent(ReluNetwork):
    """Neural tangent kernel of a ReLU network with depth hidden layers: depth + 1 on the diagonal for unit vectors.

    ``train`` says over which weights: all, the hidden layers', or the last layer's (the conjugate kernel). ntk2 (one
    hidden layer) and ntk3 (two) are depths 1 and 2. A network of ``kernelgap.networks`` with section 8.1's start tends
    to 2^-depth of it (with both biases) as it widens.
    """

    name = "ntk"
    special: ClassVar = {"ntk2": {"depth": 1, "hidden_bias": False}, "ntk3": {"depth": 2}}
    train: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_part(self.train)

    def formula(self, pairs: Pairs) -> Value:
        hidden: Value = 0
        for layer in relu_layers(pairs, self.depth, self.hidden_bias):
            hidden = (hidden + layer.inputs) * layer.slopes
            last = layer.outputs
        if self.train == "all":
            return hidden + last
        return hidden if self.train == "hidden" else last


@dataclass(frozen=True, repr=False)
class ResNetTangent(InnerKernel):
    """Neural tangent kernel of the three-layer ResNet with full U, scaled so that the h_1 part alone is ck2.

    ``train``: all weights, those of W and U (hidden), or those of A (last: the ResNet's conjugate kernel). The network
    3resnet-full tends to half of it (with both biases); the ResNet with U = VA has another kernel: see ``empirical``.
    """

    name = "ntk3res"
    special: ClassVar = {"ck3res": {"train": "last"}}
    hidden_bias: bool = False
    train: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag(self.hidden_bias, "hidden_bias")
        check_part(self.train)

    def formula(self, pairs: Pairs) -> Value:
        first, second = relu_layers(pairs, 2, self.hidden_bias)
        last: Value = 0
        hidden: Value = 0
        if self.train != "hidden":
            math = pairs.arithmetic
            (x1, z1), (x2, z2) = first.squared_inputs, second.squared_inputs
            shared = (math.sqrt(x1) * math.sqrt(z2) + math.sqrt(x2) * math.sqrt(z1)) / (math.pi * math.sqrt(2))
            last = first.outputs + second.outputs / 2 + shared
        if self.train != "last":
            hidden = second.inputs * second.slopes / 2 + first.inputs * first.slopes * (1 + second.slopes / 2)
        return last + hidden
