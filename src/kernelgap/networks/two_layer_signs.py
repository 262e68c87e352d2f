"""Section 8.2: two layers without biases, out = a' s(Wx), a = +-1/sqrt(m), half and half. The paper trains W alone."""

from jax.nn import relu

from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight


def weights(d: int, k: int, m: int) -> dict[str, Weight]:
    return {"W": Weight((m, d), "first"), "A": Weight((k, m), "output", signs=True)}


def features(params: Params, x: Inputs) -> Features:
    # No weight of its own: coordinates that are the same in all rows of x may be folded into it.
    b1 = params.get("b1", 0.0)
    return relu(x @ params["W"].T + b1)


def apply(params: Params, x: Inputs) -> Outputs:
    return features(params, x) @ params["A"].T


two_layer_signs = Network("2layer-signs", "A s(Wx), A = +-1/sqrt(m), half and half", weights, features, apply)
