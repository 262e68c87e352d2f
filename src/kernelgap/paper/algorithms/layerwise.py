"""Layer-wise training, for contrast (sec. 2.1): the first layer alone, then frozen, and only then the second."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax

from kernelgap.errors import InputError
from kernelgap.networks import Network, Params
from kernelgap.training.grid import GridResult, train_grid
from kernelgap.training.modes import Batch, Outputs
from kernelgap.training.schedule import Arrays, Schedule


@dataclass(frozen=True)
class FirstLayer:
    """out1 alone is fitted to the labels, by its hidden weights; the second block is not there yet."""

    network: Network

    def split(self, params: Params) -> tuple[Params, Params]:
        return _of_layer(self.network, params, "first")

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        return x

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Outputs:
        assert self.network.first_output is not None
        return self.network.first_output({**frozen, **trained}, prepared)


@dataclass(frozen=True)
class SecondLayer:
    """The whole network, of which the second hidden layer alone is trained."""

    network: Network

    def split(self, params: Params) -> tuple[Params, Params]:
        return _of_layer(self.network, params, "second")

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        return x

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Outputs:
        return self.network.apply({**frozen, **trained}, prepared)


@dataclass(frozen=True)
class Layerwise:
    """What came of it: the first layer at each rate and decay, and upon the best of them the second at each."""

    first: GridResult
    chosen: int
    second: GridResult


def train_layerwise(
    network: Network,
    params: Params,
    rates: Sequence[float],
    decays: Sequence[float],
    train: Arrays,
    validation: Arrays,
    *,
    schedule: Schedule,
    seed: Sequence[int],
    evaluate: dict[str, Arrays],
) -> Layerwise:
    """Each layer over the whole schedule on the same sample, which is twice what joint training has.

    Of the first layer's members (rate and decay) the best on the validation sample is built upon.
    """
    check_blocks(network)
    others = {"validation": validation, **evaluate}
    first = train_grid(FirstLayer(network), params, rates, decays, train, schedule=schedule, seed=seed, evaluate=others)
    chosen = int(first.final("validation").argmin())
    done = {**params, **first.predictor(chosen).trained}
    second = train_grid(SecondLayer(network), done, rates, decays, train, schedule=schedule, seed=seed, evaluate=others)
    return Layerwise(first, chosen, second)


def check_blocks(network: Network) -> None:
    """Refuse a network that has no first block to train by itself."""
    if network.first_output is None:
        raise InputError(f"{network.name} has no first block with an output of its own: take 3resnet or 3resnet-full.")


def _of_layer(network: Network, params: Params, layer: str) -> tuple[Params, Params]:
    layers = network.layers
    trained = {name: w for name, w in params.items() if layers[name] == layer}
    return trained, {name: jax.numpy.asarray(w) for name, w in params.items() if name not in trained}
