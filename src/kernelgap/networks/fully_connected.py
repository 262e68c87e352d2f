"""Fully connected networks and ResNets, with ReLUs or with frozen gates (``layers``), as at the end of the talk.

A layer g_W(x) is s(Wx + b), or gate(W1 x + b1') * (Wx + b) where (W1, b1') stay at their start.

2layer        out = A g_W(x)
2layer-signs  out = A s(Wx), without biases, A = +-1/sqrt(m), half and half (section 8.2; the paper trains W alone)
3layer        out = A g_U(g_W(x))
3resnet       out = out1 + A g_V(out1), out1 = A g_W(x), which is U = VA (section 6). With gates the second block is an
              NTK of what the first has learned.
3resnet-full  out = A (g_W(x) + g_U(g_W(x))), with a full m x m matrix U (eq. 2.1)
3resnet-conv  out = out1 + A g_V(A h_1, ..., A h_P), out1 = A sum_j h_j, h_j = g_W(x_j): the learner of
              sum_j F(x_j) + alpha G(sum_j v_j F(x_j)) on inputs of P patches, which lie one behind the other. All
              patches share the filter (W, b1), so that A h_j can become F(x_j) for every j at once. V = (V_1, ..., V_P)
              is a filter over all positions, with the v_j within its reach. With one patch this is 3resnet.
resnet-L      h_0 = Wx + b1, h_l = h_(l-1) + L^(-1/2) B_l g_l(h_(l-1)), out = A s(h_L): L residual blocks of two layers.
              At a start of N(0, 1/m) each block adds 1 / (2L) of |h|^2 to it, so that |h_L|^2 stays within
              sqrt(e) |h_0|^2 (but for what biases add) however deep the network is. With gates, s(h_L) is
              gate(D h_L + a) * h_L with random (D, a): the network starts as the one with ReLUs but for them.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from jax.nn import relu
from jaxtyping import Array, Float

from kernelgap.calls import format_call, parse_call
from kernelgap.errors import InputError, unknown
from kernelgap.networks.layers import LAST, PREFIX, SHARPNESS, Gate, Relu, affine, check_sharpness
from kernelgap.networks.network import Features, Inputs, Network, Outputs, Params, Weight

MOST_BLOCKS = 64
MOST_PATCHES = 1024
PATCHED = "3resnet-conv"
GATED_FORMULAS = {
    "2layer": "A g(x), g(x) = gate(W1 x + b1) * (W2 x + b2)",
    "3layer": "A g'(g(x)), g(x) = gate(W1 x + b1) * (W2 x + b2)",
    "3resnet": "out1 + A g'(out1), out1 = A g(x), g(x) = gate(W1 x + b1) * (W2 x + b2)",
}


def _table(d: int, k: int, m: int, **second: tuple[int, ...]) -> dict[str, Weight]:
    """W, b1, the weights of the second layer by their shapes, and A."""
    first = {"W": Weight((m, d), "first"), "b1": Weight((m,), "first")}
    return {**first, **{n: Weight(shape, "second") for n, shape in second.items()}, "A": Weight((k, m), "output")}


@dataclass(frozen=True)
class Architecture(ABC):
    """The weights and functions of a network. An unpickled one is the same object, with its compiled programs."""

    layers: Relu | Gate

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), *(getattr(self, field.name) for field in fields(self)))

    @abstractmethod
    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]: ...

    @abstractmethod
    def features(self, params: Params, x: Inputs) -> Features: ...

    def apply(self, params: Params, x: Inputs) -> Outputs:
        return self.features(params, x) @ params["A"].T


class TwoLayer(Architecture):
    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return self.layers.weights(_table(d, k, m), "W", "b1")

    def features(self, params: Params, x: Inputs) -> Features:
        return self.layers.layer(params, x, "W", "b1")


class TwoLayerSigns(Architecture):
    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return {"W": Weight((m, d), "first"), "A": Weight((k, m), "output", signs=True)}

    def features(self, params: Params, x: Inputs) -> Features:
        # b1 is no weight: coordinates that are the same in all rows of x may be folded into it
        return relu(x @ params["W"].T + params.get("b1", 0.0))


class ThreeLayer(Architecture):
    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return self.layers.weights(_table(d, k, m, U=(m, m), b2=(m,)), "W", "b1", "U", "b2")

    def features(self, params: Params, x: Inputs) -> Features:
        return self.layers.layer(params, self.layers.layer(params, x, "W", "b1"), "U", "b2")


class ResNet(Architecture):
    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        return self.layers.weights(_table(d, k, m, V=(m, k), b2=(m,)), "W", "b1", "V", "b2")

    def features(self, params: Params, x: Inputs) -> Features:
        hidden = self.layers.layer(params, x, "W", "b1")
        return hidden + self.layers.layer(params, hidden @ params["A"].T, "V", "b2")

    def first_output(self, params: Params, x: Inputs) -> Outputs:
        return self.layers.layer(params, x, "W", "b1") @ params["A"].T

    def apply(self, params: Params, x: Inputs) -> Outputs:
        out1 = self.first_output(params, x)
        return out1 + self.layers.layer(params, out1, "V", "b2") @ params["A"].T


class FullResNet(ThreeLayer):
    first_output = ResNet.first_output

    def features(self, params: Params, x: Inputs) -> Features:
        hidden = self.layers.layer(params, x, "W", "b1")
        return hidden + self.layers.layer(params, hidden, "U", "b2")


@dataclass(frozen=True)
class PatchResNet(Architecture):
    patches: int

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        if d % self.patches:
            what = f"{d} inputs are not {self.patches} patches of equal length"
            raise InputError(f"{what}: choose patches that divides {d}.")
        table = _table(d // self.patches, k, m, V=(m, self.patches * k), b2=(m,))
        return self.layers.weights(table, "W", "b1", "V", "b2")

    def features(self, params: Params, x: Inputs) -> Features:
        hidden = self._hidden(params, x)
        return self._summed(x, hidden) + self.layers.layer(params, self._map(params, hidden), "V", "b2")

    def first_output(self, params: Params, x: Inputs) -> Outputs:
        return self._summed(x, self._map(params, self._hidden(params, x)))

    def apply(self, params: Params, x: Inputs) -> Outputs:
        each = self._map(params, self._hidden(params, x))
        return self._summed(x, each) + self.layers.layer(params, each, "V", "b2") @ params["A"].T

    def _hidden(self, params: Params, x: Inputs) -> Float[Array, "nP m"]:
        """h_j, every patch a row: one product for all of them."""
        return self.layers.layer(params, x.reshape(x.shape[0] * self.patches, -1), "W", "b1")

    def _map(self, params: Params, hidden: Float[Array, "nP m"]) -> Float[Array, "n Pk"]:
        """A h_j, one behind the other."""
        return (hidden @ params["A"].T).reshape(hidden.shape[0] // self.patches, -1)

    def _summed(self, x: Inputs, each: Float[Array, "..."]) -> Float[Array, "n _"]:
        return each.reshape(x.shape[0], self.patches, -1).sum(axis=1)


@dataclass(frozen=True)
class DeepResNet(Architecture):
    depth: int

    def weights(self, d: int, k: int, m: int) -> dict[str, Weight]:
        shapes = {"V": (m, m), "c": (m,), "B": (m, m)}
        blocks = {f"{name}{i}": shape for i in range(1, self.depth + 1) for name, shape in shapes.items()}
        table = self.layers.weights(_table(d, k, m, **blocks), *(name for name in blocks if name[0] != "B"))
        gates = {PREFIX + name: Weight(shape, "gate") for name, shape in zip(LAST, ((m, m), (m,)), strict=True)}
        return table | (gates if isinstance(self.layers, Gate) else {})

    def features(self, params: Params, x: Inputs) -> Features:
        h = affine(x, params["W"], params["b1"])
        for i in range(1, self.depth + 1):
            h = h + self.depth**-0.5 * (self.layers.layer(params, h, f"V{i}", f"c{i}") @ params[f"B{i}"].T)
        return self.layers.last(params, h)


@lru_cache(maxsize=256)
def _made(kind: type[Architecture], *arguments: Any) -> Architecture:
    return kind(*arguments)


@lru_cache(maxsize=256)
def _network(name: str, formula: str, kind: type[Architecture], *arguments: Any) -> Network:
    """The same object each time, with its compiled programs."""
    net = _made(kind, *arguments)
    first_output = getattr(net, "first_output", None)
    sizes: dict[str, Any] = {}
    if isinstance(net, PatchResNet):
        sizes = {"patches": net.patches, "smallest": (net.patches, 1, 1)}
    return Network(name, formula, net.weights, net.features, net.apply, first_output, **sizes)


two_layer = _network("2layer", "A s(Wx + b1)", TwoLayer, Relu())
two_layer_signs = _network("2layer-signs", "A s(Wx), A = +-1/sqrt(m), half and half", TwoLayerSigns, Relu())
three_layer = _network("3layer", "A s(U s(Wx + b1) + b2)", ThreeLayer, Relu())
resnet = _network("3resnet", "out1 + A s(V out1 + b2), out1 = A s(Wx + b1)", ResNet, Relu())
resnet_full = _network("3resnet-full", "A (s(Wx + b1) + s(U s(Wx + b1) + b2))", FullResNet, Relu())


def deep_resnet(depth: int) -> Network:
    """The ResNet of ``depth`` residual blocks, named ``resnet-<depth>``.

    Parameters
    ----------
    depth
        The number of residual blocks, from 1 to 64.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= MOST_BLOCKS:
        raise InputError(f"A deep ResNet has a whole number between 1 and {MOST_BLOCKS} of blocks, not {depth!r}.")
    formula = f"A s(h), h = Wx + b1, then {depth} times h <- h + B s(V h + c) / sqrt({depth})"
    return _network(f"resnet-{depth}", formula, DeepResNet, Relu(), depth)


def patch_resnet(patches: int) -> Network:
    """The convolutional ResNet on inputs of ``patches`` patches: ``3resnet-conv(patches=<P>)``.

    Parameters
    ----------
    patches
        The number of patches, from 1 to 1024; it must divide the number of inputs.
    """
    check_patches(patches)
    formula = "out1 + A s(sum_j V_j A h_j + b2), out1 = A sum_j h_j, h_j = s(W x_j + b1)"
    return _network(f"{PATCHED}(patches={patches})", formula, PatchResNet, Relu(), patches)


def check_patches(patches: object) -> int:
    if isinstance(patches, bool) or not isinstance(patches, int) or not 1 <= patches <= MOST_PATCHES:
        raise InputError(f"{PATCHED} takes a whole number between 1 and {MOST_PATCHES} of patches, not {patches!r}.")
    return patches


def gated(name: str, sharpness: float = SHARPNESS) -> Network:
    """A network with frozen gates in place of its ReLUs.

    Parameters
    ----------
    name
        2layer, 3layer, 3resnet, resnet-2, ... or 3resnet-conv(patches=4), ...
    sharpness
        How steep the gates are, a positive number.

    Returns
    -------
    Network
        Its name is ``<name>-gated``; another than the default sharpness is in it: ``3resnet-gated(sharpness=8.0)``.
    """
    check_sharpness(sharpness)
    layers, arguments = Gate(float(sharpness)), {} if sharpness == SHARPNESS else {"sharpness": float(sharpness)}
    plain, given = parse_call(name)
    if plain == PATCHED and set(given) == {"patches"}:
        patches = check_patches(given["patches"])
        called = format_call(f"{plain}-gated", given | arguments)
        return _gated(patch_resnet(patches), called, PatchResNet, layers, patches)
    called = format_call(f"{name}-gated", arguments)
    if deep := re.fullmatch(r"resnet-([1-9]\d{0,2})", name):
        return _gated(deep_resnet(int(deep[1])), called, DeepResNet, layers, int(deep[1]))
    if name not in GATED_FORMULAS:
        raise unknown("network with gates", name, [*GATED_FORMULAS, "resnet-2", f"{PATCHED}(patches=4)"])
    kind = {"2layer": TwoLayer, "3layer": ThreeLayer, "3resnet": ResNet}[name]
    return _network(called, GATED_FORMULAS[name], kind, layers)


def _gated(plain: Network, name: str, kind: type[Architecture], *arguments: Any) -> Network:
    formula = f"{plain.formula}; every s a frozen gate times its linear part"
    return _network(name, formula, kind, *arguments)
