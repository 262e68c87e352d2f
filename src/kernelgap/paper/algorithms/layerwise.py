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
class OneLayer:
    """One hidden layer is trained. For the "first" out1 is fitted to the labels: the second block is not there yet."""

    network: Network
    layer: str

    def split(self, params: Params) -> tuple[Params, Params]:
        layers = self.network.layers
        trained = {name: w for name, w in params.items() if layers[name] == self.layer}
        return trained, {name: jax.numpy.asarray(w) for name, w in params.items() if name not in trained}

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        return x

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Outputs:
        output = self.network.first_output if self.layer == "first" else self.network.apply
        assert output is not None
        return output({**frozen, **trained}, prepared)


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
    if network.first_output is None:
        raise InputError(f"{network.name} has no first block with an output of its own: take 3resnet or 3resnet-full.")

    def search(layer: str, start: Params) -> GridResult:
        data = {"validation": validation, **evaluate}
        model = OneLayer(network, layer)
        return train_grid(model, start, rates, decays, train, schedule=schedule, seed=seed, evaluate=data)

    first = search("first", params)
    chosen = int(first.final("validation").argmin())
    return Layerwise(first, chosen, search("second", {**params, **first.predictor(chosen).trained}))
