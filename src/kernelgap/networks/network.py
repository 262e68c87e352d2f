"""What every network is: a table of its weights, their random start, and pure functions of them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.errors import InputError, unknown
from kernelgap.machine import require_memory

Params = Mapping[str, Float[Array | np.ndarray, "..."]]
Inputs = Float[Array, "n d"]
Outputs = Float[Array, "n k"]
Features = Float[Array, "n m"]

MODES = ("all", "hidden", "last", "ntk")
BYTES = 4  # of a weight
Layer = Literal["first", "second", "output", "gate", "statistics"]
UNTRAINED = ("gate", "statistics")  # in every mode
# Table 1: sigma_w in [m^(-1/2+0.01), m^-0.01] and sigma_v in [polylog(m), m^(3/8-0.01)], as powers of m
SIGMA_W_POWERS = (-0.5 + 0.01, -0.01)
SIGMA_V_POWER = 3 / 8 - 0.01


@runtime_checkable
class Initialisation(Protocol):
    """Says how large the entries of a layer (weights and biases alike) start.

    ``fan_in`` is the number of inputs of the weight's layer: the columns of its matrix, whose bias counts as well.
    """

    def std(self, layer: Layer, width: int, fan_in: int = 0) -> float: ...


@dataclass(frozen=True)
class WidthStart:
    """Section 8.1: every weight and bias is N(0, 1/m). (The mean of 1 printed there is a misprint.)"""

    def std(self, layer: Layer, width: int, fan_in: int = 0) -> float:
        return width**-0.5


@dataclass(frozen=True)
class FanInStart:
    """Footnote 15's other start: N(0, 1/fan_in), where fan_in is what a unit of the layer has as inputs.

    In ``3resnet`` that is d for W, k for V (which reads out1) and m for A; biases are drawn like their matrix.
    """

    def std(self, layer: Layer, width: int, fan_in: int = 0) -> float:
        if fan_in < 1:
            raise InputError(f"The start 1/sqrt(fan_in) needs a layer with inputs, not fan_in = {fan_in}.")
        return fan_in**-0.5


@dataclass(frozen=True)
class TheoremStart:
    """Section 6: W ~ N(0, sigma_w^2), V ~ N(0, sigma_v^2 / m), A ~ N(0, 1/m), biases like their layer.

    Values outside the ranges of Table 1 are refused. The defaults are the middles of these ranges on a log scale. What
    else Table 1 asks for depends on the problem: see ``theory.theorem1``.

    Parameters
    ----------
    sigma_w
        In [m^(-1/2+0.01), m^-0.01]; by default m^(-1/4).
    sigma_v
        In [polylog(m), m^(3/8-0.01)], with 1 in place of the unstated polylog(m); by default m^(3/16).
    """

    sigma_w: float | None = None
    sigma_v: float | None = None

    def std(self, layer: Layer, width: int, fan_in: int = 0) -> float:
        sigma_w = width**-0.25 if self.sigma_w is None else self.sigma_w
        sigma_v = width ** (3 / 16) if self.sigma_v is None else self.sigma_v
        ranges = {"sigma_w": SIGMA_W_POWERS, "sigma_v": (0.0, SIGMA_V_POWER)}
        for (name, powers), value in zip(ranges.items(), (sigma_w, sigma_v), strict=True):
            low, high = (width**power for power in powers)
            if not low <= value <= high:
                raise InputError(f"Table 1 wants {name} in [{low:.4g}, {high:.4g}] at width {width}, not {value:.4g}.")
        return {"first": sigma_w, "output": width**-0.5}.get(layer, sigma_v * width**-0.5)


STARTS: dict[str, Initialisation] = {"experiment": WidthStart(), "theory": TheoremStart(), "fan_in": FanInStart()}


def get_start(name: str) -> Initialisation:
    """A random start by name: "experiment" (sec. 8.1), "theory" (sec. 6) or "fan_in" (footnote 15).

    Parameters
    ----------
    name
        One of these.

    Returns
    -------
    Initialisation
        For ``Network.init``.

    Raises
    ------
    InputError
        If there is no such start.
    """
    if not isinstance(name, str) or name not in STARTS:
        raise unknown("start", name, STARTS)
    return STARTS[name]


class Weight(NamedTuple):
    """The shape of one weight matrix or bias, the layer that it belongs to, and what its entries are drawn from.

    Parameters
    ----------
    shape
        Of the array.
    layer
        What the initialisation goes by. Weights of the layer "gate" stay at their start in every mode, and so do
        "statistics", which are no weights but what batch normalisation has seen.
    signs
        Whether entries are +std and -std, half of each in every row, instead of a normal distribution.
    copies
        The name of another weight that has the same start.
    std
        For weights that have a size of their own, whatever the initialisation.
    start
        For weights that all start at one number.
    """

    shape: tuple[int, ...]
    layer: Layer
    signs: bool = False
    copies: str | None = None
    std: float | None = None
    start: float | None = None


def _fan_in(table: Mapping[str, Weight]) -> dict[str, int]:
    """The inputs of each weight's layer: the columns of a matrix; a bias has those of the matrix before it."""
    sizes, latest = {}, 0
    for name, weight in table.items():
        latest = weight.shape[-1] if len(weight.shape) > 1 else latest
        sizes[name] = latest
    return sizes


def _draw(key: jax.Array, table: tuple[tuple[str, Weight, float], ...]) -> Params:
    """Each weight from a key of its own."""
    keys = jax.random.split(key, len(table))
    return {name: _one(k, weight, std) for k, (name, weight, std) in zip(keys, table, strict=True)}


def _one(key: jax.Array, weight: Weight, std: float) -> Array:
    count = math.prod(weight.shape)
    if weight.signs or count > MOST_SHARED:
        return _drawn(key, std, weight.shape, weight.signs)
    size = next(size for size in SHARED if size >= count)
    return jnp.asarray(np.asarray(_drawn(key, std, (size,), False))[:count].reshape(weight.shape))


# A normal number depends on the key and on its place alone, so that few lengths, cut on the host, serve all shapes: a
# program that draws takes a second to compile.
SHARED = tuple(4**i for i in range(5, 11))
MOST_SHARED = SHARED[-1]


@partial(jax.jit, static_argnames=("shape", "signs"))
def _drawn(key: jax.Array, std: float | Array, shape: tuple[int, ...], signs: bool) -> Array:
    return std * (_signs if signs else jax.random.normal)(key, shape, jnp.float32)


def _signs(key: jax.Array, shape: tuple[int, ...], dtype: type) -> Float[Array, "..."]:
    """As many +1 as -1 in every row, in random order; one more +1 where their number is odd."""
    row = jnp.where(jnp.arange(shape[-1]) % 2 == 0, 1, -1).astype(dtype)
    return jax.random.permutation(key, jnp.broadcast_to(row, shape), axis=-1, independent=True)


def check_normalised(network: "Network") -> None:
    """Refuse a network that is no function of one input until it is trained.

    Parameters
    ----------
    network
        The network.

    Raises
    ------
    InputError
        If it normalises by the batches that it is trained on.
    """
    if network.apply_batch is not None:
        advice = "only train_images of kernelgap.images.training trains it, and its kernels need normalisation='group'"
        raise InputError(f"{network.name} is normalised by the batches that it is trained on: {advice}.")


@dataclass(frozen=True)
class Network:
    """A family of functions out(x) = A features(x), from R^d to R^k, of width m.

    Parameters
    ----------
    name, formula
        Its name, by which ``networks.get`` finds it, and out(x) as a text.
    weights
        The table of weights by name, for d, k and m.
    features
        The last hidden layer, so that training A over frozen features is the conjugate kernel.
    apply
        The network itself, written out where that saves work.
    first_output
        The output of the first residual block, where there is one.
    modes
        Which parts can be trained: all layers, hidden layers only, last layer only, or all layers of the network
        linearised at its start (ntk); gates are trained in none of them.
    apply_batch
        For networks that normalise by the batch that they are trained on: the outputs, and the statistics of this
        batch by their names.
    smallest
        An example of (d, k, m) that the network takes; if it has no W, it takes no other d.
    patches
        W meets so many parts of an input, all of the same length, one after another.
    """

    name: str
    formula: str
    weights: Callable[[int, int, int], dict[str, Weight]]
    features: Callable[[Params, Inputs], Features]
    apply: Callable[[Params, Inputs], Outputs]
    first_output: Callable[[Params, Inputs], Outputs] | None = None
    modes: tuple[str, ...] = MODES
    apply_batch: Callable[[Params, Inputs], tuple[Outputs, Params]] | None = None
    smallest: tuple[int, int, int] = (1, 1, 1)
    patches: int = 1

    def init(
        self, key: jax.Array, *, inputs: int, outputs: int, width: int, initialisation: Initialisation | None = None
    ) -> Params:
        """Random weights for ``inputs`` = d, ``outputs`` = k and ``width`` = m; section 8.1's start by default."""
        for what, value in {"width": width, "inputs": inputs, "outputs": outputs}.items():
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
                raise InputError(f"{self.name} needs {what} of at least 1, a whole number, not {value!r}.")
        start = WidthStart() if initialisation is None else initialisation
        table = self.weights(inputs, outputs, width)
        what = f"{self.name} of width {width:,} with {inputs:,} inputs and {outputs:,} outputs"
        require_memory(BYTES * sum(math.prod(w.shape) for w in table.values()), what, "Take a smaller width.")
        fan_in = _fan_in(table)
        rows = [
            (name, w, start.std(w.layer, width, fan_in[name]) if w.std is None else w.std)
            for name, w in table.items()
            if w.copies is None and w.start is None
        ]
        params = dict(_draw(key, tuple(row for row in rows if row[1].layer != "gate")))
        gates = tuple(row for row in rows if row[1].layer == "gate")
        if gates:  # from a key of their own, so that all else starts as without them
            params |= _draw(jax.random.fold_in(key, len(params)), gates)
        params |= {name: jnp.full(w.shape, w.start, jnp.float32) for name, w in table.items() if w.start is not None}
        return params | {name: jnp.array(params[w.copies]) for name, w in table.items() if w.copies is not None}

    @property
    def layers(self) -> dict[str, Layer]:
        """The layer of each weight."""
        return {name: weight.layer for name, weight in self.weights(*self.smallest).items()}

    @property
    def gates(self) -> tuple[str, ...]:
        """The weights that no mode trains: gates, which stay at their start, and statistics of batches."""
        return tuple(name for name, layer in self.layers.items() if layer in UNTRAINED)

    def takes(self, params: Params) -> tuple[int, int]:
        """How many inputs and outputs the network has with these weights."""
        inputs = self.patches * params["W"].shape[1] if "W" in params else self.smallest[0]
        return inputs, params["A"].shape[0]

    def size(self, *, inputs: int, outputs: int, width: int) -> int:
        """The number of parameters."""
        return sum(math.prod(weight.shape) for weight in self.weights(inputs, outputs, width).values())

    def __repr__(self) -> str:
        return f"<network {self.name}: {self.formula}>"
