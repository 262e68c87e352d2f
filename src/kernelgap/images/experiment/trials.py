"""One point of the experiment on images, frozen and validated: a learner, its images, a seed; and its outcome."""

import json
import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from jaxtyping import Int
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from kernelgap import networks
from kernelgap.errors import InputError
from kernelgap.images.training import ImageSchedule
from kernelgap.networks.convolutional import image_resnet
from kernelgap.regression import iterative_memory
from kernelgap.runs.trials.identity import digest

COMPARED = 2000  # images that the kernels of a family are compared on, at most
DIRECT = 10_000  # images at most whose Gram matrix is factorised; more are left to conjugate gradients
CHOSEN_ON = 10_000  # images that the ridge is chosen on where more are learned from
ITERATIONS = 100  # of conjugate gradients, roughly
HELD_OUT = 0.2  # of the images, to choose kernel and ridge on
TRAINED = {"plain": 3.0, "gated": 2.5, "ntk": 5.0}  # times the multiplications of an output, for each image shown


class ImageTrial(BaseModel, ABC):
    """What all have in common. ``images`` is the SHA-256 of the image set."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    images: str
    shape: tuple[int, int, int]
    classes: Annotated[int, Field(ge=2)]
    samples: Annotated[int, Field(ge=2)]
    seed: Annotated[int, Field(ge=0)]
    test: Annotated[int, Field(ge=1)]

    @cached_property
    def id(self) -> str:
        """The id, a digest of all that the outcome depends on."""
        return digest(self.model_dump(mode="json", exclude={"entry", "stored"}))

    @property
    def label(self) -> str:
        return f"{self.method}, {self.samples:,} images, seed {self.seed}"

    @property
    @abstractmethod
    def method(self) -> str:
        """Who learns, in a word."""

    @property
    @abstractmethod
    def multiplications(self) -> float:
        """The multiplications of the trial, roughly."""


class NetworkTrial(ImageTrial):
    """What the two kinds with a network share: ``network`` is its name without its arguments, such as conv-resnet-8."""

    network: str
    width: Annotated[int, Field(ge=4)]
    stride: Literal[1, 2] = 1

    @property
    def spec(self) -> str:
        return f"{self.network}(image={self.shape!r}, stride={self.stride})"

    @property
    def each(self) -> int:
        """Multiplications of one image's outputs."""
        return image_resnet(networks.get(self.spec)).multiplications(self.classes, self.width)


class TrainingTrial(NetworkTrial):
    """A network trained by SGD: all of it, or in mode ntk linearised at its start."""

    kind: Literal["training"] = "training"
    mode: Literal["all", "ntk"] = "all"
    schedule: ImageSchedule

    @property
    def method(self) -> str:
        return self.network if self.mode == "all" else f"{self.network}(NTK)"

    @property
    def shown(self) -> int:
        """How many times an image is shown."""
        return self.schedule.steps(self.samples) * self.schedule.batch

    @property
    def multiplications(self) -> float:
        way = "ntk" if self.mode == "ntk" else "gated" if "gated" in self.network else "plain"
        return float(self.each) * (TRAINED[way] * self.shown + self.test)


class FeaturesTrial(NetworkTrial):
    """The last layer alone: ridge regression over the features of a network at its start."""

    kind: Literal["features"] = "features"

    @property
    def method(self) -> str:
        return f"{self.network}(last)"

    @property
    def multiplications(self) -> float:
        return float(self.each * (self.samples + self.test) + self.samples * self.width**2)


class KernelTrial(ImageTrial):
    """Ridge regression with the best of some kernels of a family, on images shrunk by a factor.

    The kernels see each image "scaled", as networks do, or as pixels from 0 to 1 divided by their length ("unit").
    With ``stored`` the Gram matrices are kept on disk while they are computed, and gone on with.
    """

    kind: Literal["kernel"] = "kernel"
    family: str
    kernels: Annotated[tuple[str, ...], Field(min_length=1)]
    inputs: Annotated[tuple[Literal["scaled", "unit"], ...], Field(min_length=1)] = ("scaled",)
    shrink: Annotated[int, Field(ge=1)] = 1
    stored: bool = False
    entry: Annotated[float, Field(gt=0)]  # multiplications of one entry of the Gram matrix, roughly

    @property
    def method(self) -> str:
        return self.family

    @property
    def iterative(self) -> bool:
        """Whether it is solved by conjugate gradients."""
        return self.samples > DIRECT

    @property
    def memory(self) -> int:
        """At most so many bytes: three copies of the inputs and the solver's memory."""
        n, few = self.samples, min(self.samples, CHOSEN_ON)
        inputs = 3 * 8 * (n + self.test) * int(np.prod(self.shape))
        solving = max(iterative_memory(n, self.classes), 3 * 8 * few**2) if self.iterative else 3 * 8 * n**2
        return inputs + solving

    @property
    def multiplications(self) -> float:
        n, few = self.samples, min(self.samples, COMPARED)
        candidates = len(self.kernels) * len(self.inputs)
        compared = candidates * (few**2 / 2 * self.entry + few**3 / 3) if candidates > 1 else 0.0
        if not self.iterative:
            return compared + (n**2 / 2 + n * self.test) * self.entry + n**3 / 2
        times = 1 if self.stored else 2  # tiles in float32, and again in float64 for the residual
        return compared + (times * n**2 / 2 + n * self.test) * self.entry + CHOSEN_ON**3 / 2 + self._products

    @property
    def _products(self) -> float:
        return float(ITERATIONS * self.samples**2 * self.classes)


AnyImageTrial = TrainingTrial | FeaturesTrial | KernelTrial
_ANY: TypeAdapter[AnyImageTrial] = TypeAdapter(Annotated[AnyImageTrial, Field(discriminator="kind")])


def read_image_trial(text: str) -> AnyImageTrial:
    """A trial from its JSON."""
    return _ANY.validate_json(text)


@dataclass(frozen=True)
class ImageOutcome:
    """``right`` of ``tested`` test images got their class. ``setting`` is what was chosen, ``curves`` what was measured
    on the way, ``status`` "done" or "diverged".
    """

    seconds: float
    right: int
    tested: int
    status: str = "done"
    setting: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, predicted: Int[np.ndarray, " n"], labels: Int[np.ndarray, " n"], **more: Any) -> "ImageOutcome":
        """``seconds`` are those of earlier processes, if any."""
        return cls(more.pop("seconds", 0.0), int(np.sum(predicted == labels)), len(labels), **more)

    def as_json(self) -> str:
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "ImageOutcome":
        """Refused if it cannot be an outcome."""
        outcome = _STORED.validate_json(text)
        _SETTING.validate_python(outcome.setting)
        if not 0 <= outcome.right <= outcome.tested or not outcome.tested:
            raise InputError(f"{outcome.right} of {outcome.tested} images cannot be right.")
        if outcome.status not in ("done", "diverged") or not 0 <= outcome.seconds < math.inf:
            raise InputError(f"It cannot have ended as '{outcome.status}' after {outcome.seconds} s.")
        return outcome


class _Setting(TypedDict, total=False):
    """What is counted; the rest is words."""

    steps: int
    weights: int
    features: int
    ridge: float


_STORED = TypeAdapter(ImageOutcome)
_SETTING = TypeAdapter(_Setting)
