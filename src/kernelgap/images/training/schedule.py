"""How long to train on images, in which batches, with which augmentation, and how the rate falls on the way."""

import math
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from kernelgap.errors import InputError, validated


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
