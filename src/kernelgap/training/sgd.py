"""The compiled part: SGD with momentum on many members at once, and their errors."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from kernelgap.networks import Params
from kernelgap.training.losses import objective, row_errors
from kernelgap.training.modes import TrainableModel
from kernelgap.training.schedule import Sample, Schedule

ArrayLike = Array | np.ndarray


class State(NamedTuple):
    """Trained weights and momenta; in a group of members each leaf has the members as its first axis."""

    trained: Params
    momentum: Params


@partial(jax.jit, static_argnames=("model", "schedule"), donate_argnames=("state",))
def advance(
    model: TrainableModel,
    schedule: Schedule,
    state: State,
    frozen: Params,
    rates: Float[ArrayLike, " members"],
    decays: Float[ArrayLike, " members"],
    x: Float[ArrayLike, "n _"],
    y: Float[ArrayLike, "n k"],
    orders: Int[ArrayLike, "most n"],
    first: int | Array,
    stop: int | Array,
) -> State:
    """Epochs first..stop-1 for a group of members, all on the same batches.

    An update is PyTorch's: v <- momentum v + gradient + decay w, then w <- w - rate v. Epoch e visits the sample once
    in the order ``orders[e - first]``; a last smaller batch takes what is left. ``most`` may exceed the number of
    epochs, so that one compiled program serves stretches of any length.
    """
    x, y, orders = jnp.asarray(x), jnp.asarray(y), jnp.asarray(orders)
    full, rest = divmod(x.shape[0], schedule.batch)

    def step(state: State, rows: Array, now: Array) -> State:
        def member(state: State, rate: Array, decay: Array) -> State:
            gradient = jax.grad(lambda w: objective(model, w, frozen, x[rows], y[rows]))(state.trained)
            momentum = jax.tree.map(
                lambda v, g, w: schedule.momentum * v + g + decay * w, state.momentum, gradient, state.trained
            )
            return State(jax.tree.map(lambda w, v: w - rate * v, state.trained, momentum), momentum)

        return jax.vmap(member)(state, now, jnp.asarray(decays))

    def epoch(e: Array, state: State) -> State:
        order = orders[e - first]
        now = jnp.asarray(rates) * schedule.factor(e)
        batches = order[: full * schedule.batch].reshape(full, schedule.batch)
        state, _ = jax.lax.scan(lambda s, rows: (step(s, rows, now), None), state, batches)
        return step(state, order[full * schedule.batch :], now) if rest else state

    return jax.lax.fori_loop(first, stop, epoch, state)


ROWS = 256  # inputs evaluated at once: members x rows x width stays within a few megabytes


@partial(jax.jit, static_argnames=("model", "first"))
def _blocked_errors(model: TrainableModel, first: bool, trained: Params, frozen: Params, x: Array, y: Array) -> Array:
    def out(w: Params, rows: Array) -> Array:
        if not first:
            return model.predict(w, frozen, rows)
        assert model.network.first_output is not None
        return model.network.first_output({**w, **frozen}, rows)

    def block(xy: tuple[Array, Array]) -> Array:
        return jax.vmap(lambda w: row_errors(model, out(w, xy[0]), xy[1]))(trained)

    return jax.lax.map(block, (x, y))


def squared_errors(
    model: TrainableModel, trained: Params, frozen: Params, sample: Sample, *, first: bool = False
) -> Float[np.ndarray, "members n"]:
    """|y - out(x)|^2 for every member and row, or the model's own loss; with ``first`` |y - out1(x)|^2."""
    blocks = _blocks(sample.x), _blocks(sample.y)
    errors = np.asarray(_blocked_errors(model, first, trained, frozen, *blocks), dtype=float)
    return errors.transpose(1, 0, 2).reshape(errors.shape[1], -1)[:, : len(sample.x)]


def _blocks(a: Float[np.ndarray, "n _"]) -> Float[np.ndarray, "blocks rows _"]:
    """Rows in blocks of ROWS, the last one filled up with zeros."""
    count = -(-len(a) // ROWS)
    return np.pad(a, ((0, count * ROWS - len(a)), (0, 0))).reshape(count, ROWS, -1)


@partial(jax.jit, static_argnames=("model",))
def _blocked_outputs(model: TrainableModel, trained: Params, frozen: Params, x: Array) -> Array:
    return jax.lax.map(lambda rows: model.predict(trained, frozen, model.prepare(frozen, rows)), x)


def outputs(
    model: TrainableModel, trained: Params, frozen: Params, x: Float[np.ndarray, "n d"]
) -> Float[np.ndarray, "n k"]:
    """out(x) of one member, row by row."""
    values = np.asarray(_blocked_outputs(model, trained, frozen, _blocks(x.astype(np.float32))), dtype=float)
    return values.reshape(-1, values.shape[-1])[: len(x)]
