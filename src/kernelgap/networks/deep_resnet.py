"""A deeper ResNet, of L residual blocks with two layers each.

  h_0 = Wx + b1,  h_l = h_(l-1) + L^(-1/2) B_l s(V_l h_(l-1) + c_l),  out = A s(h_L).

At a start of N(0, 1/m) each block adds 1 / (2L) of |h|^2 to it, so that |h_L|^2 stays within sqrt(e) |h_0|^2 (but for
what biases add) however deep the network is: this is what the factor L^(-1/2) is for.
"""

from dataclasses import dataclass
from functools import lru_cache

from jax.nn import relu

from kernelgap.errors import InputError
from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight

MOST_BLOCKS = 64


@dataclass(frozen=True)
class Blocks:
    """The weights and functions of a ResNet with ``depth`` blocks."""

    depth: int

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        table = {"W": Weight((m, d), "first"), "b1": Weight((m,), "first")}
        for i in range(1, self.depth + 1):
            table[f"V{i}"] = Weight((m, m), "second")
            table[f"c{i}"] = Weight((m,), "second")
            table[f"B{i}"] = Weight((m, m), "second")
        return table | {"A": Weight((k, m), "output")}

    def features(self, params: Params, x: Inputs) -> Features:
        h = affine(x, params["W"], params["b1"])
        for i in range(1, self.depth + 1):
            inside = relu(h @ params[f"V{i}"].T + params[f"c{i}"])
            h = h + self.depth**-0.5 * (inside @ params[f"B{i}"].T)
        return relu(h)

    def apply(self, params: Params, x: Inputs) -> Outputs:
        return self.features(params, x) @ params["A"].T


@lru_cache(maxsize=MOST_BLOCKS, typed=True)
def deep_resnet(depth: int) -> Network:
    """The ResNet of so many blocks, named ``resnet-<depth>``; the same object each time, with its compiled programs."""
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= MOST_BLOCKS:
        raise InputError(f"A deep ResNet has a whole number between 1 and {MOST_BLOCKS} of blocks, not {depth!r}.")
    formula = f"A s(h), h = Wx + b1, then {depth} times h <- h + B s(V h + c) / sqrt({depth})"
    blocks = Blocks(depth)
    return Network(f"resnet-{depth}", formula, blocks.weights, blocks.features, blocks.apply)
