"""A convolutional three-layer ResNet on inputs of P patches, the learner of sum_j F(x_j) + alpha G(sum_j v_j F(x_j)).

  h_j = s(W x_j + b1),  out1 = A sum_j h_j,  out = out1 + A s(sum_j V_j A h_j + b2).

The first layer is a filter (W, b1) of a patch's length that all patches share, so that A h_j can become F(x_j) for
every j at once. The second sees the map of all A h_j: V = (V_1, ..., V_P) is a filter over all positions, with the v_j
within its reach. Patches lie one behind the other and do not overlap. With one patch this is ``3resnet``.
"""

from dataclasses import dataclass
from functools import lru_cache

from jax.nn import relu
from jaxtyping import Array, Float

from kernelgap.errors import InputError
from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight
from kernelgap.networks.resnet import resnet

MOST_PATCHES = 1024
NAME = "3resnet-conv"


@dataclass(frozen=True)
class PatchResNet:
    """The weights and functions of the network on so many patches; ``layer`` is what a subclass may change."""

    patches: int

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        if d % self.patches:
            raise InputError(
                f"{d} inputs are not {self.patches} patches of equal length: choose patches that divides {d}."
            )
        return {**resnet.weights(d // self.patches, k, m), "V": Weight((m, self.patches * k), "second")}

    def layer(self, params: Params, x: Float[Array, "rows _"], W: str, b: str) -> Float[Array, "rows m"]:
        """s(Wx + b), the weights by their names."""
        return relu(affine(x, params[W], params[b]))

    def features(self, params: Params, x: Inputs) -> Features:
        hidden = self._hidden(params, x)
        second = self.layer(params, self._map(params, hidden), "V", "b2")
        return hidden.reshape(x.shape[0], self.patches, -1).sum(axis=1) + second

    def first_output(self, params: Params, x: Inputs) -> Outputs:
        return self._summed(self._map(params, self._hidden(params, x)))

    def apply(self, params: Params, x: Inputs) -> Outputs:
        each = self._map(params, self._hidden(params, x))
        return self._summed(each) + self.layer(params, each, "V", "b2") @ params["A"].T

    def _hidden(self, params: Params, x: Inputs) -> Float[Array, "nP m"]:
        """h_j, every patch a row: one product for all of them."""
        return self.layer(params, x.reshape(x.shape[0] * self.patches, -1), "W", "b1")

    def _map(self, params: Params, hidden: Float[Array, "nP m"]) -> Float[Array, "n Pk"]:
        """A h_j, one behind the other."""
        return (hidden @ params["A"].T).reshape(hidden.shape[0] // self.patches, -1)

    def _summed(self, each: Float[Array, "n Pk"]) -> Outputs:
        return each.reshape(each.shape[0], self.patches, -1).sum(axis=1)


@lru_cache(maxsize=64, typed=True)
def patch_resnet(patches: int) -> Network:
    """The network on so many patches, named ``3resnet-conv(patches=<P>)``; the same object each time."""
    check_patches(patches)
    net = PatchResNet(patches)
    formula = "out1 + A s(sum_j V_j A h_j + b2), out1 = A sum_j h_j, h_j = s(W x_j + b1)"
    called = f"{NAME}(patches={patches})"
    return Network(
        called,
        formula,
        net.weights,
        net.features,
        net.apply,
        net.first_output,
        patches=patches,
        smallest=(patches, 1, 1),
    )


def check_patches(patches: object) -> None:
    if isinstance(patches, bool) or not isinstance(patches, int) or not 1 <= patches <= MOST_PATCHES:
        raise InputError(f"{NAME} takes a whole number between 1 and {MOST_PATCHES} of patches, not {patches!r}.")
