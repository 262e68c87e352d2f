"""Which part of a network is trained, and what function the trained part then defines."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from kernelgap.errors import InputError, unknown
from kernelgap.networks import MODES, Network, Params
from kernelgap.networks.network import UNTRAINED

Batch = Float[Array, "n _"]
Outputs = Float[Array, "n k"]


@runtime_checkable
class DifferentiableModel(Protocol):
    """A function of trained weights, frozen weights and inputs that were prepared once with the frozen weights."""

    def split(self, params: Params) -> tuple[Params, Params]:
        """The start as (trained, frozen)."""
        ...

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        """What of the inputs can be computed once, before training."""
        ...

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Outputs: ...


@runtime_checkable
class TrainableModel(DifferentiableModel, Protocol):
    """One whose weights are those of a network.

    Attributes
    ----------
    network
        The network.
    """

    @property
    def network(self) -> Network: ...


@dataclass(frozen=True)
class Layers:
    """Modes all and hidden: the network itself, some of its layers trained."""

    network: Network
    with_output: bool

    def split(self, params: Params) -> tuple[Params, Params]:
        layers = self.network.layers
        untrained = UNTRAINED if self.with_output else (*UNTRAINED, "output")
        trained = {n: w for n, w in params.items() if layers[n] not in untrained}
        return trained, {n: w for n, w in params.items() if n not in trained}

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        return x

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Outputs:
        return self.network.apply({**trained, **frozen}, prepared)


@dataclass(frozen=True)
class LastLayer:
    """Mode last: A over features frozen at their random start, which is the conjugate kernel.

    In the ResNet with U = VA the inner A belongs to the features and stays at its start; else it would be no kernel.
    """

    network: Network

    def split(self, params: Params) -> tuple[Params, Params]:
        return {"A": params["A"]}, params

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        return self.network.features(frozen, x)

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Outputs:
        return prepared @ trained["A"].T


@dataclass(frozen=True)
class Linearised:
    """Mode ntk: out(params0; x) + <d out / d params0, displacement>, trained in the displacement, which starts at 0.

    Weight decay acts on the displacement, so that the minimiser is ridge regression with the neural tangent kernel.
    """

    network: Network

    def split(self, params: Params) -> tuple[Params, Params]:
        gates = self.network.gates
        return {name: jnp.zeros_like(w) for name, w in params.items() if name not in gates}, params

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        return x

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Outputs:
        start = {name: frozen[name] for name in trained}
        out, change = jax.jvp(lambda moving: self.network.apply({**frozen, **moving}, prepared), (start,), (trained,))
        return out + change


def get_model(network: Network, mode: str) -> TrainableModel:
    """The model that trains some part of a network.

    Parameters
    ----------
    network
        The network.
    mode
        "all" layers, the "hidden" ones, the "last", or "ntk": all layers of the network linearised at its start.

    Returns
    -------
    TrainableModel
        It splits weights into trained and frozen ones, and predicts with both.
    """
    if not isinstance(mode, str) or mode not in MODES:
        raise unknown("mode", mode, MODES)
    if mode not in network.modes:
        raise InputError(f"{network.name} cannot be trained in mode '{mode}', only in: {', '.join(network.modes)}.")
    if mode in ("all", "hidden"):
        return Layers(network, with_output=mode == "all")
    return LastLayer(network) if mode == "last" else Linearised(network)
