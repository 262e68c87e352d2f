"""Train a network on images, from its start or from the checkpoint of an earlier process."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jaxtyping import Float, Int

from kernelgap import tensor_file
from kernelgap.errors import InputError
from kernelgap.images.data import Images, Scaling
from kernelgap.images.data.images import digest as images_digest
from kernelgap.images.training.step import ImageSchedule, ImageState, Pixels, advance, as_constants, at_rest, outputs
from kernelgap.machine import memory_kept
from kernelgap.networks import Params
from kernelgap.tensor_file import TRAINING, Arrays, check, digest
from kernelgap.training.modes import TrainableModel
from kernelgap.training.schedule import data_orders, evaluation_times

Curves = dict[str, list[float]]
EVERY = 30.0  # seconds between checkpoints
REPORTED = 20  # steps between reports of progress


@dataclass
class TrainingProgress:
    """Steps that are done, the losses of the present epoch so far, and what was measured at the end of some epochs.

    ``seconds`` is how long that took, in all processes.
    """

    step: int = 0
    losses: list[float] = field(default_factory=list)
    curves: Curves = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)


def write_checkpoint(path: Path, description: dict[str, Any], state: ImageState, progress: TrainingProgress) -> None:
    """Whole or not at all: the checkpoint before it stays until this one is there."""
    arrays = {f"{part}.{name}": np.asarray(w) for part, ws in state._asdict().items() for name, w in ws.items()}
    tensor_file.write(TRAINING, {"description": description, **asdict(progress)}, arrays, path)


def read_checkpoint(path: Path, description: dict[str, Any], start: ImageState) -> tuple[ImageState, TrainingProgress]:
    """Where the training stood, if the file is of the same one, which began at ``start``."""

    def build(header: dict[str, Any], arrays: Arrays) -> tuple[ImageState, TrainingProgress]:
        held = header["description"]
        other = sorted(key for key in {*held, *description} if held.get(key) != description.get(key))
        check(not other, f"it holds another training (it differs in {', '.join(other)})")
        parts = start._asdict().items()
        state = ImageState(*({name: arrays[f"{part}.{name}"] for name in weights} for part, weights in parts))
        steps, seconds = int(header["step"]), float(header["seconds"])
        return state, TrainingProgress(steps, list(header["losses"]), dict(header["curves"]), seconds)

    try:
        return tensor_file.read(TRAINING, path, build)
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}. Move it away to begin anew.") from None


@dataclass(frozen=True)
class ImageTraining:
    """A trained network and its curves, taken at ``curves["epoch"]``: "loss" (the mean over the epoch that ends there,
    of augmented images) and for each named set of images "accuracy NAME". ``diverged`` says that the loss became
    infinite or NaN; the training then ended. ``earlier`` are the seconds of the processes that this one went on from.
    """

    model: TrainableModel
    state: ImageState
    scaling: Scaling
    schedule: ImageSchedule
    steps: int
    curves: Curves
    diverged: bool
    earlier: float = 0.0

    def outputs(self, images: Pixels) -> Float[np.ndarray, "n k"]:
        return outputs(self.model, self.state, self.scaling, images)

    def predict(self, images: Pixels) -> Int[np.ndarray, " n"]:
        """The number of each image's class."""
        return np.argmax(self.outputs(images), axis=1)

    def accuracy(self, images: Images) -> float:
        return float(np.mean(self.predict(images.images) == images.labels))

    @property
    def params(self) -> dict[str, np.ndarray]:
        """All weights of the network, by name (of a linearised one: the displacement for those that are trained)."""
        return {name: np.asarray(w) for name, w in {**self.state.frozen, **self.state.trained}.items()}


def train_images(
    model: TrainableModel,
    params: Params,
    train: Images,
    *,
    schedule: ImageSchedule,
    seed: Sequence[int],
    evaluate: Mapping[str, Images] | None = None,
    epochs: Sequence[int] | None = None,
    checkpoint: str | Path | None = None,
    every: float = EVERY,
    on_progress: Callable[[float], None] = lambda share: None,
) -> ImageTraining:
    """Train a network on images, scaled by their own mean and standard deviation.

    Parameters
    ----------
    model, params
        What is trained, and its start.
    train
        The images to learn from.
    schedule
        How long, in which batches, at which rate, with which augmentation and loss.
    seed
        Decides the order of the images and how each is moved and mirrored.
    evaluate
        Images to take accuracies on, by name.
    epochs
        After which epochs; by default the first, each eighth and the last.
    checkpoint, every
        A file that is written at least every so many seconds and at the end. A training that finds one goes on from
        there, and ends bit for bit as one that was not interrupted.
    on_progress
        Is called with the share done.

    Returns
    -------
    ImageTraining
        The trained network and its curves.
    """
    sets = dict(evaluate or {})
    run = _Run(model, train, schedule, [int(s) for s in np.atleast_1d(seed)], sets, _looks(epochs, schedule.epochs))
    _check(model, params, train, sets)
    start = jax.tree.map(np.array, at_rest(model, params))
    description = run.description(params)
    path = None if checkpoint is None else Path(checkpoint)
    state, progress = (
        read_checkpoint(path, description, start) if path and path.exists() else (start, TrainingProgress())
    )
    earlier, began = progress.seconds, time.monotonic()
    written = began
    with memory_kept():
        while progress.step < run.steps and not run.diverged(progress):
            state = run.advance(state, progress)
            if progress.step % REPORTED == 0:
                on_progress(progress.step / run.steps)
            now = time.monotonic()
            if path and (now - written >= every or progress.step == run.steps):
                progress.seconds = earlier + now - began
                written = _store(path, description, state, progress)
    on_progress(1.0)
    diverged = run.diverged(progress)
    return ImageTraining(model, state, run.scaling, schedule, progress.step, progress.curves, diverged, earlier)


def _looks(epochs: Sequence[int] | None, last: int) -> list[int]:
    """The epochs after which accuracies are taken."""
    chosen = {1, *(last * i // 8 for i in range(1, 9))} - {0} if epochs is None else set(epochs)
    return evaluation_times(chosen, last, "Accuracies can be taken after epochs", first=1)


def _store(path: Path, description: dict[str, Any], state: ImageState, progress: TrainingProgress) -> float:
    """Write a checkpoint, or warn if the disk has no room for it; gives the time."""
    try:
        write_checkpoint(path, description, state, progress)
    except InputError as error:
        warnings.warn(f"{str(error).rstrip('.')}: training goes on without it.", UserWarning, stacklevel=3)
    return time.monotonic()


@dataclass
class _Run:
    """What stays the same from step to step."""

    model: TrainableModel
    train: Images
    schedule: ImageSchedule
    seed: list[int]
    evaluate: dict[str, Images]
    times: list[int]

    def __post_init__(self) -> None:
        self.per_epoch = self.schedule.steps_per_epoch(len(self.train))
        self.steps = self.schedule.steps(len(self.train))
        self.scaling = self.train.scaling()
        self._constants = as_constants(self.scaling)
        self._key = jax.random.key(int(np.random.default_rng(self.seed).integers(2**31)))
        self._order: tuple[int, np.ndarray] = (-1, np.empty(0, int))

    def description(self, params: Params) -> dict[str, Any]:
        """What decides how the training goes."""
        return {
            "network": self.model.network.name,
            "mode": repr(self.model),
            "schedule": self.schedule.model_dump(),
            "seed": self.seed,
            "images": _fingerprint(self.train),
            "start": digest("", {name: np.asarray(w) for name, w in params.items()}),
            "curves": {name: _fingerprint(images) for name, images in self.evaluate.items()},
            "epochs": self.times,
        }

    def diverged(self, progress: TrainingProgress) -> bool:
        """Seen at the end of an epoch."""
        return bool(progress.curves.get("loss")) and not np.isfinite(progress.curves["loss"][-1])

    def advance(self, state: ImageState, progress: TrainingProgress) -> ImageState:
        """One step, and at the end of an epoch what is to be measured there."""
        epoch, batch = divmod(progress.step, self.per_epoch)
        rows = self._rows(epoch)[batch * self.schedule.batch : (batch + 1) * self.schedule.batch]
        rate = np.float32(self.schedule.rate_at(progress.step, self.steps))
        images, labels = self.train.images[rows], self.train.labels[rows].astype(np.int32)
        key = jax.random.fold_in(self._key, progress.step)
        state, loss = advance(self.model, self.schedule.rule, state, self._constants, images, labels, key, rate)
        progress.losses.append(float(loss))
        progress.step += 1
        if batch + 1 == self.per_epoch:
            self._end_of_epoch(epoch + 1, state, progress)
        return state

    def _rows(self, epoch: int) -> np.ndarray:
        if self._order[0] != epoch:
            self._order = epoch, data_orders(self.seed, range(epoch, epoch + 1), len(self.train), rows=1)[0]
        return self._order[1]

    def _end_of_epoch(self, epoch: int, state: ImageState, progress: TrainingProgress) -> None:
        loss = float(np.mean(progress.losses))
        progress.losses = []
        if epoch not in self.times and np.isfinite(loss):
            return
        measured = {"epoch": float(epoch), "loss": loss}
        for name, images in self.evaluate.items():
            right = np.argmax(outputs(self.model, state, self.scaling, images.images), axis=1) == images.labels
            measured[f"accuracy {name}"] = float(np.mean(right))
        for name, value in measured.items():
            progress.curves.setdefault(name, []).append(value)


def _check(model: TrainableModel, params: Params, train: Images, evaluate: Mapping[str, Images]) -> None:
    """Refuse images that the network was not made for, or sets that do not belong together."""
    classes = params["A"].shape[0]
    for name, images in {"training": train, **evaluate}.items():
        if images.shape != train.shape or images.classes != train.classes:
            raise InputError(f"The {name} images differ from the training images in their size or their classes.")
    if len(train.classes) != classes:
        given = f"The network has {classes} outputs, and the images {len(train.classes)} classes"
        raise InputError(f"{given}: one for each.")
    table = model.network.weights(int(np.prod(train.shape)), *params["A"].shape)
    wrong = [name for name, weight in table.items() if name not in params or params[name].shape != weight.shape]
    if wrong:
        raise InputError(f"The weights {', '.join(wrong)} do not fit {model.network.name} on these images.")


def _fingerprint(images: Images) -> str:
    return images_digest(images.images.shape, images.classes, images)
