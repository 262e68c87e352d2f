"""A trial as a piece of work for the runner."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kernelgap import console
from kernelgap.errors import InputError
from kernelgap.images.data import ImageData, NoTestPartError, read_images
from kernelgap.images.experiment.learners import by_kernel, by_last_layer, by_training
from kernelgap.images.experiment.trials import AnyImageTrial, FeaturesTrial, ImageOutcome, TrainingTrial

CHECKPOINTS, GRAMS = "checkpoints", "grams"
TEST_SEED = 0  # which test images are taken, where not all are
HELD_OUT = 1 / 6  # of images that have no test part


@dataclass(frozen=True)
class Piece:
    """A trial, the file of its images, and the run's folder, where it may keep what is half done."""

    trial: AnyImageTrial
    data: Path
    folder: Path

    @property
    def id(self) -> str:
        return self.trial.id

    @property
    def label(self) -> str:
        return self.trial.label

    @property
    def cost(self) -> float:
        return self.trial.multiplications


def work(piece: Piece, tell: Callable[[float], None]) -> ImageOutcome:
    """Do it, wherever it is sent."""
    began = time.perf_counter()
    trial = piece.trial
    data, digest = read_set(piece.data)
    if digest != trial.images:
        raise InputError(f"'{piece.data}' has changed since the run began: begin anew in another folder.")
    train = data.train.subset(trial.samples, seed=trial.seed)
    test = data.test.subset(trial.test, seed=TEST_SEED)
    with console.silence():
        if isinstance(trial, TrainingTrial):
            found = by_training(trial, train, test, piece.folder / CHECKPOINTS, tell)
        elif isinstance(trial, FeaturesTrial):
            found = by_last_layer(trial, train, test)
        else:
            found = by_kernel(trial, train, test, piece.folder / GRAMS, tell)
    return replace(found, seconds=found.seconds + time.perf_counter() - began)


class ImageSet(NamedTuple):
    """Images, and the SHA-256 of all of them, their labels and the names of their classes."""

    data: ImageData
    digest: str


@lru_cache(maxsize=1)
def read_set(path: Path) -> ImageSet:
    """The images at a path, read once in a process; without a test part, a sixth of them becomes it."""
    try:
        data = read_images(path)
    except NoTestPartError as error:
        data = read_images(path, test=max(1, round(HELD_OUT * error.images)), seed=TEST_SEED)
    found = sha256(repr((data.shape, data.classes)).encode())
    for part in (data.train, data.test):
        found.update(np.ascontiguousarray(part.images).data)
        found.update(np.ascontiguousarray(part.labels).data)
    return ImageSet(data, found.hexdigest())
