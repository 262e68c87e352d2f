"""The compiled part: augmentation, one step of SGD on a batch of images, and a network's outputs on many."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, UInt8

from kernelgap.images.data import Scaling
from kernelgap.images.training.schedule import Rule
from kernelgap.networks import Params, check_normalised
from kernelgap.training.modes import Layers, Model

Maps = Float[Array, "n height width channels"]


def augmented(key: jax.Array, x: Maps, *, crop: int, flips: bool) -> Maps:
    """Each image moved by -crop to crop pixels down and right, with zeros where it was not, and mirrored or not."""
    where, mirrored = jax.random.split(key)
    if crop:
        n, height, width, channels = x.shape
        padded = jnp.pad(x, [(0, 0), (crop, crop), (crop, crop), (0, 0)])
        starts = jax.random.randint(where, (n, 2), 0, 2 * crop + 1)

        def cut(image: Array, start: Array) -> Array:
            return lax.dynamic_slice(image, (start[0], start[1], 0), (height, width, channels))

        x = jax.vmap(cut)(padded, starts)
    if flips:
        turned = jax.random.bernoulli(mirrored, 0.5, (len(x), 1, 1, 1))
        x = jnp.where(turned, x[:, :, ::-1], x)
    return x


KEPT = 0.9  # of batch statistics, where there are any, with each step
ROWS = 250  # images whose outputs are computed at once

Pixels = UInt8[np.ndarray, "n height width channels"]


class ImageState(NamedTuple):
    """Trained weights, their momenta, and weights that stay, among them batch statistics, which follow the batches."""

    trained: Params
    momentum: Params
    frozen: Params


def at_rest(model: Model, params: Params) -> ImageState:
    """The start of a training."""
    if not isinstance(model, Layers):
        check_normalised(model.network)
    trained, frozen = model.split(params)
    return ImageState(dict(trained), {name: jnp.zeros_like(w) for name, w in trained.items()}, dict(frozen))


@partial(jax.jit, static_argnames=("model", "rule"), donate_argnames=("state",))
def advance(
    model: Model,
    rule: Rule,
    state: ImageState,
    scaling: tuple[Array, Array],
    images: UInt8[Array, "n height width channels"],
    labels: Int[Array, " n"],
    key: Array,
    rate: Float[Array, ""],
) -> tuple[ImageState, Float[Array, ""]]:
    """One step of PyTorch's SGD, v <- momentum v + gradient + decay w, then w <- w - rate v; and the loss before it."""
    x = augmented(key, _scaled(images, scaling), crop=rule.crop, flips=rule.flips).reshape(len(images), -1)

    def loss(trained: Params) -> tuple[Array, Params]:
        outputs, seen = _outputs(model, trained, state.frozen, x)
        return _losses(rule, outputs, labels).mean(), seen

    (value, seen), gradient = jax.value_and_grad(loss, has_aux=True)(state.trained)
    momentum = jax.tree.map(
        lambda v, g, w: rule.momentum * v + g + rule.decay * w, state.momentum, gradient, state.trained
    )
    trained = jax.tree.map(lambda w, v: w - rate * v, state.trained, momentum)
    followed = {name: KEPT * state.frozen[name] + (1 - KEPT) * now for name, now in seen.items()}
    return ImageState(trained, momentum, {**state.frozen, **followed}), value


def outputs(model: Model, state: ImageState, scaling: Scaling, images: Pixels) -> Float[np.ndarray, "n k"]:
    """out(x) of each image, as it is."""
    found = []
    constants = as_constants(scaling)
    for i in range(0, len(images), ROWS):
        block = images[i : i + ROWS]
        padded = np.concatenate([block, np.zeros((ROWS - len(block), *block.shape[1:]), np.uint8)])
        found.append(np.asarray(_block(model, state.trained, state.frozen, constants, padded))[: len(block)])
    return np.concatenate(found).astype(float)


def as_constants(scaling: Scaling) -> tuple[Array, Array]:
    """Mean and standard deviation of each channel, in float32."""
    return jnp.asarray(scaling.mean, jnp.float32), jnp.asarray(scaling.std, jnp.float32)


@partial(jax.jit, static_argnames=("model",))
def _block(model: Model, trained: Params, frozen: Params, scaling: tuple[Array, Array], images: Array) -> Array:
    x = _scaled(images, scaling).reshape(len(images), -1)
    return model.predict(trained, frozen, model.prepare(frozen, x))


def _scaled(images: UInt8[Array, "n h w c"], scaling: tuple[Array, Array]) -> Float[Array, "n h w c"]:
    mean, std = scaling
    return (images.astype(jnp.float32) / 255 - mean) / std


def _outputs(model: Model, trained: Params, frozen: Params, x: Array) -> tuple[Array, Params]:
    """While training: with batch statistics where the network has them."""
    if model.network.apply_batch is not None:
        return model.network.apply_batch({**frozen, **trained}, x)
    return model.predict(trained, frozen, model.prepare(frozen, x)), {}


def _losses(rule: Rule, outputs: Float[Array, "n k"], labels: Int[Array, " n"]) -> Float[Array, " n"]:
    k = outputs.shape[1]
    if rule.loss == "squared":
        targets = jax.nn.one_hot(labels, k) - 1 / k
        return 0.5 * jnp.sum((outputs - targets) ** 2, axis=1)
    return -jnp.take_along_axis(jax.nn.log_softmax(outputs), labels[:, None], axis=1)[:, 0]
