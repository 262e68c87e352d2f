"""Two layers, fully connected.

2layer        out = A s(Wx + b1)
2layer-signs  out = A s(Wx), without biases, A = +-1/sqrt(m), half and half (section 8.2; the paper trains W alone)
"""

from jax.nn import relu

from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight


def weights(d: int, k: int, m: int) -> dict[str, Weight]:
    return {"W": Weight((m, d), "first"), "b1": Weight((m,), "first"), "A": Weight((k, m), "output")}


def features(params: Params, x: Inputs) -> Features:
    return relu(affine(x, params["W"], params["b1"]))


def apply(params: Params, x: Inputs) -> Outputs:
    return features(params, x) @ params["A"].T


def signs_weights(d: int, k: int, m: int) -> dict[str, Weight]:
    return {"W": Weight((m, d), "first"), "A": Weight((k, m), "output", signs=True)}


def signs_features(params: Params, x: Inputs) -> Features:
    # No weight of its own: coordinates that are the same in all rows of x may be folded into it.
    b1 = params.get("b1", 0.0)
    return relu(x @ params["W"].T + b1)


def signs_apply(params: Params, x: Inputs) -> Outputs:
    return signs_features(params, x) @ params["A"].T


two_layer = Network("2layer", "A s(Wx + b1)", weights, features, apply)
two_layer_signs = Network(
    "2layer-signs", "A s(Wx), A = +-1/sqrt(m), half and half", signs_weights, signs_features, signs_apply
)
