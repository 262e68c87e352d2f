"""What training takes: a schedule, samples as finite float32 with matching rows, and the order of the data."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Int32
from pydantic import BaseModel, ConfigDict, Field

from kernelgap.errors import InputError, validated

Arrays = tuple[np.ndarray, np.ndarray]


class Schedule(BaseModel):
    """Multi-pass SGD of section 8.1: momentum 0.9, batches of 50, 800 epochs, rate / 10 at half time.

    Parameters
    ----------
    epochs
        How often training passes over the sample.
    batch
        Samples in each step.
    momentum
        Of SGD, at least 0 and below 1.
    drop_at, drop
        The share of the epochs after which the rate is divided, and by what.
    warmup
        The share of the epochs over which the rate grows linearly to its value; the paper has none.
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

    def factor(self, epoch: int | jax.Array, numpy: Any = jnp) -> Float[Array | np.ndarray, ""]:
        """By what the rate is multiplied in this epoch, counted from 0, with NumPy or JAX."""
        rising = numpy.minimum(1.0, (epoch + 1) / (1.0 + self.warmup * self.epochs))
        return numpy.where(epoch >= self.drop_at * self.epochs, rising / self.drop, rising)

    def check_samples(self, n: int) -> None:
        """Refuse a batch that the training sample cannot fill."""
        if n < self.batch:
            what = f"{n} training samples do not fill a batch of {self.batch}"
            raise InputError(f"{what}: use more samples or batch={n}.")


def evaluation_epochs(epochs: int) -> tuple[int, ...]:
    """Where curves are drawn by default: 0, then 1, 2, 5, 10, ... while that is dense, then every eighth.

    Parameters
    ----------
    epochs
        How many epochs training has.

    Returns
    -------
    tuple of int
        Epochs from 0 to the last, in order.
    """
    early = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    eighths = [epochs * i // 8 for i in range(1, 9)]
    return tuple(sorted({0, *(e for e in early if e < epochs / 8), *eighths}))


def evaluation_times(chosen: Collection[int], last: int, what: str, *, first: int = 0) -> list[int]:
    """The chosen epochs or steps and the last one, in order; ``what`` begins the error's sentence."""
    if any(not first <= time <= last for time in chosen):
        raise InputError(f"{what} {first} to {last}, not at {sorted(chosen)}.")
    return sorted({last, *chosen})


class Sample(NamedTuple):
    """Inputs, as they are or as a model has prepared them, and labels."""

    x: Float32[np.ndarray, "n _"]
    y: Float32[np.ndarray, "n k"]


def as_samples(sets: Mapping[str, Arrays]) -> dict[str, Sample]:
    """Named (X, Y) pairs, each checked; all of them must have the same columns."""
    samples = {name: _as_sample(name, *pair) for name, pair in sets.items()}
    columns = {(s.x.shape[1], s.y.shape[1]) for s in samples.values()}
    if len(columns) > 1:
        raise InputError(f"The samples {', '.join(samples)} differ in their numbers of columns: {sorted(columns)}.")
    return samples


def _as_sample(name: str, X: np.ndarray, Y: np.ndarray) -> Sample:
    try:
        with np.errstate(over="ignore"):
            X, Y = (np.asarray(a).astype(np.float32) for a in (X, Y))
    except (TypeError, ValueError):
        raise InputError(f"The {name} sample has entries that are not numbers.") from None
    if X.ndim != 2 or Y.ndim != 2 or X.shape[0] != Y.shape[0] or 0 in X.shape or 0 in Y.shape:
        raise InputError(f"The {name} sample needs X (n, d) and Y (n, k) with equal n >= 1, not {X.shape}, {Y.shape}.")
    for letter, values in {"X": X, "Y": Y}.items():
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if bad.size:
            where = f"{letter} of the {name} sample has NaN, infinity or a number too large, first in row {bad[0]}"
            raise InputError(f"{where}: remove, fill or scale it.")
    return Sample(X, Y)


def data_orders(seed: Sequence[int], epochs: range, n: int, rows: int) -> Int32[np.ndarray, "rows n"]:
    """The order in which each epoch visits the sample; it depends on the seed and the epoch alone.

    Rows beyond the epochs are left at 0.
    """
    orders = np.zeros((rows, n), dtype=np.int32)
    for row, epoch in enumerate(epochs):
        orders[row] = np.random.default_rng([*seed, epoch]).permutation(n)
    return orders
