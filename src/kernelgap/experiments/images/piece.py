"""A trial as a piece of work for the runner."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from kernelgap import console
from kernelgap.errors import InputError
from kernelgap.experiments.images.by_kernel import by_kernel
from kernelgap.experiments.images.by_training import by_last_layer, by_training
from kernelgap.experiments.images.outcome import ImageOutcome
from kernelgap.experiments.images.trials import AnyImageTrial, FeaturesTrial, TrainingTrial
from kernelgap.problems.images import ImageData, Images, read_images

CHECKPOINTS, GRAMS = "checkpoints", "grams"
TEST_SEED = 0  # which test images are taken, where not all are


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
    data = read_set(piece.data)
    if set_digest(data) != trial.images:
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
    return replace(found, seconds=time.perf_counter() - began)


@lru_cache(maxsize=1)
def read_set(path: Path) -> ImageData:
    return read_images(path)


def set_digest(data: ImageData) -> str:
    """The SHA-256 of all images, labels and names of classes."""
    if id(data) not in _digests:
        _digests.clear()
        _digests[id(data)] = _digest(data)
    return _digests[id(data)]


_digests: dict[int, str] = {}


def _digest(data: ImageData) -> str:
    found = sha256(repr((data.shape, data.classes)).encode())
    for part in (data.train, data.test):
        found.update(_bytes(part))
    return found.hexdigest()


def _bytes(images: Images) -> bytes:
    found = sha256(np.ascontiguousarray(images.images).data)
    found.update(np.ascontiguousarray(images.labels).data)
    return found.digest()
