"""The three-layer ResNet of section 6, U = VA: out1 = A s(Wx + b1), out = out1 + A s(V out1 + b2)."""

from jax.nn import relu

from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight


def weights(d: int, k: int, m: int) -> dict[str, Weight]:
    return {
        "W": Weight((m, d), "first"),
        "b1": Weight((m,), "first"),
        "V": Weight((m, k), "second"),
        "b2": Weight((m,), "second"),
        "A": Weight((k, m), "output"),
    }


def features(params: Params, x: Inputs) -> Features:
    hidden = relu(affine(x, params["W"], params["b1"]))
    return hidden + relu(affine(hidden @ params["A"].T, params["V"], params["b2"]))


def first_output(params: Params, x: Inputs) -> Outputs:
    return relu(affine(x, params["W"], params["b1"])) @ params["A"].T


def apply(params: Params, x: Inputs) -> Outputs:
    out1 = first_output(params, x)
    return out1 + relu(affine(out1, params["V"], params["b2"])) @ params["A"].T


resnet = Network("3resnet", "out1 + A s(V out1 + b2), out1 = A s(Wx + b1)", weights, features, apply, first_output)
