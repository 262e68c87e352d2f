"""The three-layer ResNets.

3resnet       out1 = A s(Wx + b1), out = out1 + A s(V out1 + b2), which is U = VA (section 6)
3resnet-full  out = A (s(Wx + b1) + s(U s(Wx + b1) + b2)), with a full m x m matrix U (eq. 2.1)
"""

from jax.nn import relu

from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight
from kernelgap.networks.three_layer import three_layer


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


def full_features(params: Params, x: Inputs) -> Features:
    hidden = relu(affine(x, params["W"], params["b1"]))
    return hidden + relu(hidden @ params["U"].T + params["b2"])


def full_apply(params: Params, x: Inputs) -> Outputs:
    return full_features(params, x) @ params["A"].T


resnet = Network("3resnet", "out1 + A s(V out1 + b2), out1 = A s(Wx + b1)", weights, features, apply, first_output)
resnet_full = Network(
    "3resnet-full",
    "A (s(Wx + b1) + s(U s(Wx + b1) + b2))",
    three_layer.weights,
    full_features,
    full_apply,
    first_output,
)
