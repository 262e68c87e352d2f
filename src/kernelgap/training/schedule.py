"""How long to train, in which batches, and how the rate changes on the way."""

from typing import Annotated

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from pydantic import BaseModel, ConfigDict, Field

from kernelgap.errors import InputError, validated


class Schedule(BaseModel):
    """Multi-pass SGD of section 8.1: momentum 0.9, batches of 50, 800 epochs, rate / 10 at half time.

    ``warmup`` is the share of the epochs over which the rate grows linearly to its value; the paper has none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    epochs: Annotated[int, Field(ge=1, le=10**8)] = 800
    batch: Annotated[int, Field(ge=1, le=10**8)] = 50
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.9
    drop_at: Annotated[float, Field(gt=0, le=1)] = 0.5
    drop: Annotated[float, Field(ge=1)] = 10.0
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.0

    @classmethod
    def checked(cls, **fields: object) -> "Schedule":
        """A schedule, or one sentence about the first field that is wrong."""
        return validated(cls, fields)

    def factor(self, epoch: jax.Array) -> Float[Array, ""]:
        """By what the rate is multiplied in this epoch, counted from 0."""
        rising = jnp.minimum(1.0, (epoch + 1) / (1.0 + self.warmup * self.epochs))
        return jnp.where(epoch >= self.drop_at * self.epochs, rising / self.drop, rising)

    def check_samples(self, n: int) -> None:
        """Refuse a batch that the training sample cannot fill."""
        if n < self.batch:
            what = f"{n} training samples do not fill a batch of {self.batch}"
            raise InputError(f"{what}: use more samples or batch={n}.")


def evaluation_epochs(epochs: int) -> tuple[int, ...]:
    """Where curves are drawn by default: 0, then 1, 2, 5, 10, ... while that is dense, then every eighth."""
    early = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    eighths = [epochs * i // 8 for i in range(1, 9)]
    return tuple(sorted({0, *(e for e in early if e < epochs / 8), *eighths}))
