"""Three layers, fully connected: out = A s(U s(Wx + b1) + b2)."""

from jax.nn import relu

from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight


def weights(d: int, k: int, m: int) -> dict[str, Weight]:
    return {
        "W": Weight((m, d), "first"),
        "b1": Weight((m,), "first"),
        "U": Weight((m, m), "second"),
        "b2": Weight((m,), "second"),
        "A": Weight((k, m), "output"),
    }


def features(params: Params, x: Inputs) -> Features:
    hidden = relu(affine(x, params["W"], params["b1"]))
    return relu(hidden @ params["U"].T + params["b2"])


def apply(params: Params, x: Inputs) -> Outputs:
    return features(params, x) @ params["A"].T


three_layer = Network("3layer", "A s(U s(Wx + b1) + b2)", weights, features, apply)
