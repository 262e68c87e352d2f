"""The networks are what the paper writes: each against its formula, written out neuron by neuron in float64."""

from collections.abc import Callable
from functools import partial

import jax
import numpy as np

from kernelgap import networks
from kernelgap.networks import Network
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, holds_if

SIZES = {"quick": ((5, 3, 17), (12, 4, 40)), "full": ((5, 3, 17), (12, 4, 40), (30, 15, 200))}  # (d, k, m)
INPUTS = 20
ROUNDING = 1e-12
Params = dict[str, np.ndarray]
Formula = Callable[[Params, np.ndarray], np.ndarray]


def layer(W: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """s(Wx + b), one neuron after another."""
    return np.array(
        [max(0.0, sum(w * c for w, c in zip(row, x, strict=True)) + bias) for row, bias in zip(W, b, strict=True)]
    )


def output(A: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    return np.array([sum(a * h for a, h in zip(row, hidden, strict=True)) for row in A])


def resnet_formula(p: Params, x: np.ndarray) -> np.ndarray:
    """Eq. 2.1: A (s(Wx + b1) + s(U s(Wx + b1) + b2))."""
    hidden = layer(p["W"], p["b1"], x)
    return output(p["A"], hidden + layer(p["U"], p["b2"], hidden))


def bottleneck_formula(p: Params, x: np.ndarray) -> np.ndarray:
    """Sec. 6: out1 = A s(W(x,1)), out = out1 + A s(V(out1,1))."""
    out1 = output(p["A"], layer(p["W"], p["b1"], x))
    return out1 + output(p["A"], layer(p["V"], p["b2"], out1))


def two_layer_formula(p: Params, x: np.ndarray) -> np.ndarray:
    return output(p["A"], layer(p["W"], p["b1"], x))


def three_layer_formula(p: Params, x: np.ndarray) -> np.ndarray:
    return output(p["A"], layer(p["U"], p["b2"], layer(p["W"], p["b1"], x)))


def apart(network: Network, formula: Formula, scale: str, seed: int) -> float:
    """The largest deviation of the network from its formula, relative to the largest output, over random weights."""
    return max(_deviation(network, formula, *_random(network, size, seed + i)) for i, size in enumerate(SIZES[scale]))


def _random(network: Network, size: tuple[int, int, int], seed: int) -> tuple[Params, np.ndarray]:
    """Weights of size 1, biases included, so that neither they nor any layer is negligible."""
    rng = np.random.default_rng(seed)
    table = network.weights(*size)
    params = {name: rng.standard_normal(w.shape) / np.sqrt(w.shape[-1]) for name, w in table.items()}
    return params, rng.standard_normal((INPUTS, size[0]))


def _deviation(network: Network, formula: Formula, params: Params, X: np.ndarray) -> float:
    with jax.enable_x64(True):
        output = np.asarray(network.apply({n: jax.numpy.asarray(w) for n, w in params.items()}, jax.numpy.asarray(X)))
    expected = np.array([formula(params, x) for x in X])
    return float(np.abs(output - expected).max() / np.abs(expected).max())


FORMULAS: dict[str, tuple[Network, Formula]] = {
    "3resnet-full": (networks.resnet_full, resnet_formula),
    "3resnet": (networks.resnet, bottleneck_formula),
    "2layer": (networks.two_layer, two_layer_formula),
    "3layer": (networks.three_layer, three_layer_formula),
}


def measure(names: tuple[str, ...], scale: str, seed: int) -> Numbers:
    return {name: apart(*FORMULAS[name], scale, seed) for name in names}


def measure_bottleneck(scale: str, seed: int) -> Numbers:
    """Beside its formula: the full ResNet with U = VA is the same function."""
    alike = []
    for i, size in enumerate(SIZES[scale]):
        params, X = _random(networks.resnet, size, seed + i)
        full = {**{n: w for n, w in params.items() if n != "V"}, "U": params["V"] @ params["A"]}
        alike.append(_deviation(networks.resnet_full, partial(_bottleneck_at, params), full, X))
    return {**measure(("3resnet",), scale, seed), "3resnet-full with U = VA": max(alike)}


def _bottleneck_at(params: Params, _: Params, x: np.ndarray) -> np.ndarray:
    return bottleneck_formula(params, x)


def judge(numbers: Numbers) -> Verdict:
    measured = ", ".join(f"{name} {value:.1e}" for name, value in numbers.items())
    return holds_if(
        max(numbers.values()) < ROUNDING,
        measured,
        f"Largest relative deviation from the formula in float64; rounding is below {ROUNDING:g}.",
    )


claims = (
    Claim(
        "net.resnet",
        "eq. 2.1",
        "The three-layer ResNet with one skip is A(s(Wx + b1) + s(U s(Wx + b1) + b2)) with a full matrix U.",
        "equal to rounding",
        partial(measure, ("3resnet-full",)),
        judge,
        identity=True,
    ),
    Claim(
        "net.bottleneck",
        "sec. 6",
        "With U = VA it is out1 + A s(V(out1, 1)) with out1 = A s(W(x, 1)): the bottleneck network is that formula, "
        "and the full one with U = VA the same function.",
        "equal to rounding",
        measure_bottleneck,
        judge,
        identity=True,
    ),
    Claim(
        "net.fc",
        "sec. 8.1",
        "The fully connected networks are A s(Wx + b1) and A s(U s(Wx + b1) + b2).",
        "equal to rounding",
        partial(measure, ("2layer", "3layer")),
        judge,
        identity=True,
    ),
)
