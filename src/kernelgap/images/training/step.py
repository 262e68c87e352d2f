"""How to train on images (batches, augmentation, rate), and the compiled part: one step of SGD, and outputs."""

import math
from functools import partial
from typing import Annotated, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, UInt8
from pydantic import BaseModel, ConfigDict, Field

from kernelgap.errors import InputError, validated
from kernelgap.images.data import Scaling
from kernelgap.networks import Params, check_normalised
from kernelgap.training.modes import Layers, TrainableModel

STATISTICS_KEPT = 0.9  # of batch statistics, where there are any, with each step
ROWS = 250  # images whose outputs are computed at once
Pixels = UInt8[np.ndarray, "n height width channels"]
Maps = Float[Array, "n height width channels"]


class Rule(NamedTuple):
    """What a single step needs to know: trainings that differ in nothing of it share a compiled program."""

    momentum: float
    decay: float
    crop: int
    flips: bool
    loss: str


class ImageSchedule(BaseModel):
    """SGD with momentum and weight decay; the rate rises over a share ``warmup`` of the steps, then falls as a cosine.

    An epoch takes as many whole batches as the images fill, and leaves out the few that are over. Each time that an
    image is shown it is moved by up to ``crop`` pixels each way, with zeros (the mean colour) around it, and with
    ``flips`` mirrored or not. The loss is the cross-entropy of the softmax of the outputs, or half the squared distance
    from the class's unit vector, less 1 / classes, that kernel classifiers learn.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    epochs: Annotated[int, Field(ge=1)] = 20
    batch: Annotated[int, Field(ge=1)] = 64
    rate: Annotated[float, Field(gt=0)] = 0.1
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.9
    decay: Annotated[float, Field(ge=0)] = 5e-4
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.05
    crop: Annotated[int, Field(ge=0)] = 2
    flips: bool = True
    loss: Literal["cross-entropy", "squared"] = "cross-entropy"

    @classmethod
    def checked(cls, **fields: object) -> "ImageSchedule":
        """A schedule, or one sentence about the first field that is wrong."""
        return validated(cls, fields)

    @property
    def rule(self) -> Rule:
        return Rule(self.momentum, self.decay, self.crop, self.flips, self.loss)

    def steps_per_epoch(self, images: int) -> int:
        if images < self.batch:
            raise InputError(f"{images} images do not fill a batch of {self.batch}: use more, or batch={images}.")
        return images // self.batch

    def steps(self, images: int) -> int:
        return self.epochs * self.steps_per_epoch(images)

    def rate_at(self, step: int, steps: int) -> float:
        """The rate of a step, counted from 0, of so many."""
        rising = min(1.0, (step + 1) / (1.0 + self.warmup * steps))
        return self.rate * rising * 0.5 * (1.0 + math.cos(math.pi * step / steps))


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


class ImageState(NamedTuple):
    """Trained weights, their momenta, and weights that stay, among them batch statistics, which follow the batches."""

    trained: Params
    momentum: Params
    frozen: Params


def at_rest(model: TrainableModel, params: Params) -> ImageState:
    """The start of a training."""
    if not isinstance(model, Layers):
        check_normalised(model.network)
    trained, frozen = model.split(params)
    return ImageState(dict(trained), {name: jnp.zeros_like(w) for name, w in trained.items()}, dict(frozen))


@partial(jax.jit, static_argnames=("model", "rule"), donate_argnames=("state",))
def advance(
    model: TrainableModel,
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
    followed = {name: STATISTICS_KEPT * state.frozen[name] + (1 - STATISTICS_KEPT) * now for name, now in seen.items()}
    return ImageState(trained, momentum, {**state.frozen, **followed}), value


def outputs(model: TrainableModel, state: ImageState, scaling: Scaling, images: Pixels) -> Float[np.ndarray, "n k"]:
    """out(x) of each image, as it is."""
    blocks = []
    constants = as_constants(scaling)
    for i in range(0, len(images), ROWS):
        block = images[i : i + ROWS]
        padded = np.concatenate([block, np.zeros((ROWS - len(block), *block.shape[1:]), np.uint8)])
        blocks.append(np.asarray(_block(model, state.trained, state.frozen, constants, padded))[: len(block)])
    return np.concatenate(blocks).astype(float)


def as_constants(scaling: Scaling) -> tuple[Array, Array]:
    """Mean and standard deviation of each channel, in float32."""
    return jnp.asarray(scaling.mean, jnp.float32), jnp.asarray(scaling.std, jnp.float32)


@partial(jax.jit, static_argnames=("model",))
def _block(
    model: TrainableModel, trained: Params, frozen: Params, scaling: tuple[Array, Array], images: Array
) -> Array:
    x = _scaled(images, scaling).reshape(len(images), -1)
    return model.predict(trained, frozen, model.prepare(frozen, x))


def _scaled(images: UInt8[Array, "n h w c"], scaling: tuple[Array, Array]) -> Float[Array, "n h w c"]:
    mean, std = scaling
    return (images.astype(jnp.float32) / 255 - mean) / std


def _outputs(model: TrainableModel, trained: Params, frozen: Params, x: Array) -> tuple[Array, Params]:
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
