"""Two layers, fully connected: out = A s(Wx + b1)."""

from jax.nn import relu

from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight


def weights(d: int, k: int, m: int) -> dict[str, Weight]:
    return {"W": Weight((m, d), "first"), "b1": Weight((m,), "first"), "A": Weight((k, m), "output")}


def features(params: Params, x: Inputs) -> Features:
    return relu(affine(x, params["W"], params["b1"]))


def apply(params: Params, x: Inputs) -> Outputs:
    return features(params, x) @ params["A"].T


two_layer = Network("2layer", "A s(Wx + b1)", weights, features, apply)
