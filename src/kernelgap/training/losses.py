"""Losses beside half the squared error: cross-entropy, and either of them with a weight for each row."""

from dataclasses import dataclass
from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from kernelgap.networks import Network, Params
from kernelgap.training.modes import TrainableModel

Loss = Literal["squared", "cross-entropy"]


@dataclass(frozen=True)
class WeightedLoss:
    """A model that is trained by a loss in which each row has a weight, the last column of its labels.

    Parameters
    ----------
    model
        What is trained.
    loss
        "squared": w |y - out(x)|^2, of which training takes half. "cross-entropy": -w sum_i y_i log softmax(out(x))_i.
    """

    model: TrainableModel
    loss: Loss

    @property
    def network(self) -> Network:
        return self.model.network

    def split(self, params: Params) -> tuple[Params, Params]:
        return self.model.split(params)

    def prepare(self, frozen: Params, x: Float[Array, "n _"]) -> Float[Array, "n _"]:
        return self.model.prepare(frozen, x)

    def predict(self, trained: Params, frozen: Params, prepared: Float[Array, "n _"]) -> Float[Array, "n k"]:
        return self.model.predict(trained, frozen, prepared)

    def errors(self, out: Float[Array, "n k"], labels: Float[Array, "n _"]) -> Float[Array, " n"]:
        """The loss of each row."""
        y, weight = labels[:, :-1], labels[:, -1]
        if self.loss == "squared":
            return weight * jnp.sum((y - out) ** 2, axis=-1)
        return -weight * jnp.sum(y * jax.nn.log_softmax(out, axis=-1), axis=-1)


def row_errors(model: TrainableModel, out: Float[Array, "n k"], y: Float[Array, "n _"]) -> Float[Array, " n"]:
    """What curves are the means of: |y - out(x)|^2, or the model's own loss."""
    return model.errors(out, y) if isinstance(model, WeightedLoss) else jnp.sum((y - out) ** 2, axis=-1)


def objective(
    model: TrainableModel, trained: Params, frozen: Params, x: Float[Array, "n _"], y: Float[Array, "n _"]
) -> Array:
    """Eq. 6.1 averaged over the batch: |y - out(x)|^2 / 2; or the mean of the model's own loss."""
    out = model.predict(trained, frozen, x)
    if isinstance(model, WeightedLoss):
        half = 0.5 if model.loss == "squared" else 1.0
        return half * jnp.sum(model.errors(out, y)) / x.shape[0]
    return 0.5 * jnp.sum((y - out) ** 2) / x.shape[0]
