"""The three-layer ResNet of eq. 2.1, with a full m x m matrix U: out = A (s(Wx + b1) + s(U s(Wx + b1) + b2))."""

from jax.nn import relu

from kernelgap.networks.affine import affine
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params
from kernelgap.networks.resnet import first_output
from kernelgap.networks.three_layer import weights


def features(params: Params, x: Inputs) -> Features:
    hidden = relu(affine(x, params["W"], params["b1"]))
    return hidden + relu(hidden @ params["U"].T + params["b2"])


def apply(params: Params, x: Inputs) -> Outputs:
    return features(params, x) @ params["A"].T


resnet_full = Network("3resnet-full", "A (s(Wx + b1) + s(U s(Wx + b1) + b2))", weights, features, apply, first_output)
