"""How trials are run: ridge regression with a kernel on pixels or over features, and SGD on a network."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import kernels, networks
from kernelgap.errors import InputError
from kernelgap.images.data import ImageData, Images, NoTestPartError, read_images
from kernelgap.images.data.images import digest
from kernelgap.images.experiment.regression import regress_directly, regress_iteratively
from kernelgap.images.experiment.trials import (
    COMPARED,
    HELD_OUT,
    AnyImageTrial,
    FeaturesTrial,
    ImageOutcome,
    KernelTrial,
    NetworkTrial,
    TrainingTrial,
)
from kernelgap.images.training import train_images
from kernelgap.images.training.step import at_rest
from kernelgap.images.training.step import outputs as outputs_of
from kernelgap.kernels import Kernel
from kernelgap.machine import require_memory
from kernelgap.networks import Network, Params
from kernelgap.regression import KernelGram, MatrixGram, at_edge, feature_path, judge_ridges
from kernelgap.regression.selection import held_out_rows
from kernelgap.regression.tiles import Gram
from kernelgap.seeds import stream
from kernelgap.training import get_model

WATCHED = 1000  # test images that learning curves are drawn with; the end is measured on all
CHECKPOINTS, GRAMS = "checkpoints", "grams"
TEST_SEED = 0  # which test images are taken, where not all are
TEST_SHARE = 1 / 6  # of images that have no test part
BLOCK = 2**25  # entries of the Gram matrix with test images that are computed at a time

Rows = Float[np.ndarray, "n d"]
Labels = Float[np.ndarray, "n k"]
ShareDone = Callable[[float], None]


def by_kernel(trial: KernelTrial, train: Images, test: Images, folder: Path, on_progress: ShareDone) -> ImageOutcome:
    """The best kernel and inputs on a holdout of some images, the ridge on a holdout of all or of the first
    ``CHOSEN_ON``, then all of them.
    """
    n = len(train)
    require_memory(trial.memory, f"Kernel regression on {n:,} images", "Take fewer images, or fewer workers.")
    Y = centred_labels(train)
    kernel, inputs = _best_kernel(trial, train, Y, on_progress)
    X, X_test = (pixels(train, images, inputs, trial.shrink) for images in (train, test))
    kernel = kernel.fit(X)
    place = folder / trial.id if trial.stored else None
    gram, cross = _grams(trial, kernel, X, X_test, place, lambda share: on_progress(0.2 + 0.5 * share))
    begun = 0.7 if trial.stored else 0.2 if trial.iterative else 0.4
    on_progress(begun)

    def report(share: float) -> None:
        on_progress(begun + (0.9 - begun) * share)

    if isinstance(gram, np.ndarray):
        coefficients, chosen = regress_directly(gram, Y, seed=trial.seed, on_progress=report)
    else:
        coefficients, chosen = regress_iteratively(gram, Y, seed=trial.seed, on_progress=report)
    predicted = []
    for block in cross:
        predicted.append(np.argmax(block @ coefficients, axis=1))
        on_progress(0.9 + 0.1 * sum(map(len, predicted)) / len(test))
    setting = {"kernel": kernel.spec, "inputs": inputs, **chosen}
    return ImageOutcome.of(np.concatenate(predicted), test.labels, setting=setting)


def _best_kernel(trial: KernelTrial, train: Images, Y: Labels, on_progress: ShareDone) -> tuple[Kernel, str]:
    """The kernel and inputs with the least error on a holdout of the first images."""
    candidates = [(kernels.get(text), inputs) for inputs in trial.inputs for text in trial.kernels]
    if len(candidates) == 1:
        return candidates[0]
    few = train.rows(np.arange(min(COMPARED, len(train))))
    errors = []
    for i, (kernel, inputs) in enumerate(candidates):
        errors.append(_held_out_error(kernel, pixels(train, few, inputs, trial.shrink), Y[: len(few)], trial.seed))
        on_progress(0.2 * (i + 1) / len(candidates))
    return candidates[int(np.nanargmin(errors))]


def pixels(train: Images, images: Images, inputs: str = "scaled", shrink: int = 1) -> Rows:
    """Rows in float64: scaled by the training images, or of length 1; shrunk by means over squares of pixels."""
    values = (images.scaled(train.scaling()) if inputs == "scaled" else images.images).astype(float)
    n, height, width, channels = values.shape
    if shrink > 1:
        tall, wide = height // shrink, width // shrink
        cut = values[:, : tall * shrink, : wide * shrink]
        values = cut.reshape(n, tall, shrink, wide, shrink, channels).mean(axis=(2, 4))
    rows: Rows = values.reshape(n, -1)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows if inputs == "scaled" else rows / np.where(lengths > 0, lengths, 1.0)


def centred_labels(images: Images) -> Labels:
    """1 for the class and 0 for the others, less 1 / classes."""
    k = len(images.classes)
    return np.eye(k)[images.labels] - 1 / k


def chosen_by_holdout(features: Rows, Y: Labels, *, seed: int) -> tuple[dict[str, object], np.ndarray]:
    """The ridge with the least error on the part held out, over the features' mean squared length, and the weights
    with it on all rows.
    """
    (out,) = held_out_rows(stream(seed, "held out").permutation(len(features)), HELD_OUT)
    rest = np.setdiff1d(np.arange(len(features)), out)
    path = feature_path(features[rest], Y[rest])
    best = float(path.penalties[np.nanargmin(path.errors(features[out], Y[out]))])
    size = float(np.mean(np.sum(features**2, axis=1)))
    setting: dict[str, object] = {"ridge": best / size, "edge": at_edge(best, path.penalties)}
    return setting, feature_path(features, Y, best).weights[0]


def _held_out_error(kernel: Kernel, X: Rows, Y: Labels, seed: int) -> float:
    judged = judge_ridges(kernel.fit(X)(X), Y, rng=stream(seed, "held out"), held_out=HELD_OUT)
    return float(np.nanmin(judged.errors))


def _grams(
    trial: KernelTrial,
    kernel: Kernel,
    X: Rows,
    Z: Float[np.ndarray, "m d"],
    folder: Path | None,
    on_progress: ShareDone,
) -> tuple[np.ndarray | Gram, Iterator[np.ndarray]]:
    """The Gram matrix of the training images, whole or in tiles, and that of test images with them, some at a time."""
    step = max(1, BLOCK // len(X))
    blocks = [slice(i, i + step) for i in range(0, len(Z), step)]
    if folder is None:
        return KernelGram(kernel, X) if trial.iterative else kernel(X), (kernel(Z[block], X) for block in blocks)
    half = len(X) / (len(X) + 2 * len(Z))
    gram = kernels.stored_gram(kernel, X, folder=folder / "train", on_progress=lambda share: on_progress(half * share))
    cross = kernels.stored_gram(
        kernel, Z, X, folder=folder / "test", on_progress=lambda share: on_progress(half + (1 - half) * share)
    )
    return MatrixGram(gram) if trial.iterative else gram, (cross[block] for block in blocks)


def by_training(
    trial: TrainingTrial, train: Images, test: Images, folder: Path, on_progress: ShareDone
) -> ImageOutcome:
    """Train, from where an earlier process left it if one did, and test once at the end."""
    network, params = _started(trial)
    checkpoint = folder / f"{trial.id}.safetensors"
    folder.mkdir(parents=True, exist_ok=True)
    trained = train_images(
        get_model(network, trial.mode),
        params,
        train,
        schedule=trial.schedule,
        seed=[trial.seed],
        evaluate={"test": test.rows(np.arange(min(WATCHED, len(test))))},
        checkpoint=checkpoint,
        on_progress=lambda share: on_progress(0.95 * share),
    )
    curves = {name: [v for v in values if np.isfinite(v)] for name, values in trained.curves.items()}
    outputs = trained.outputs(test.images)
    if trained.diverged or not np.isfinite(outputs).all():
        return ImageOutcome(trained.earlier, 0, len(test), "diverged", curves=curves)
    setting = {"steps": trained.steps, "weights": sum(int(w.size) for w in trained.state.trained.values())}
    predicted = np.argmax(outputs, axis=1)
    return ImageOutcome.of(predicted, test.labels, setting=setting, curves=curves, seconds=trained.earlier)


def by_last_layer(trial: FeaturesTrial, train: Images, test: Images) -> ImageOutcome:
    """The ridge is chosen on a holdout of the training images, then used on all of them."""
    network, params = _started(trial)
    features, of_test = (_features(network, params, train, images) for images in (train, test))
    Y = centred_labels(train)
    setting, weights = chosen_by_holdout(features, Y, seed=trial.seed)
    predicted = np.argmax(of_test @ weights, axis=1)
    return ImageOutcome.of(predicted, test.labels, setting={**setting, "features": features.shape[1]})


def _started(trial: NetworkTrial) -> tuple[Network, Params]:
    network = networks.get(trial.spec)
    d = int(np.prod(trial.shape))
    return network, network.init(jax.random.key(trial.seed), inputs=d, outputs=trial.classes, width=trial.width)


def _features(network: Network, params: Params, train: Images, images: Images) -> np.ndarray:
    """The features at the start, by an output for each of them."""
    model = get_model(network, "last")
    state = at_rest(model, params)
    every = state._replace(trained={"A": np.eye(params["A"].shape[1], dtype=np.float32)})
    return outputs_of(model, every, train.scaling(), images.images)


@dataclass(frozen=True)
class ImageChunk:
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

    @property
    def memory(self) -> int:
        return self.trial.memory if isinstance(self.trial, KernelTrial) else 0


def work(chunk: ImageChunk, on_progress: ShareDone) -> ImageOutcome:
    """Run the trial of a chunk. The result depends on the chunk alone, not on the process."""
    began = time.perf_counter()
    trial = chunk.trial
    data, held = read_set(chunk.data)
    if held != trial.images:
        raise InputError(f"'{chunk.data}' has changed since the run began: begin anew in another folder.")
    train = data.train.subset(trial.samples, seed=trial.seed)
    test = data.test.subset(trial.test, seed=TEST_SEED)
    if isinstance(trial, TrainingTrial):
        outcome = by_training(trial, train, test, chunk.folder / CHECKPOINTS, on_progress)
    elif isinstance(trial, FeaturesTrial):
        outcome = by_last_layer(trial, train, test)
    else:
        outcome = by_kernel(trial, train, test, chunk.folder / GRAMS, on_progress)
    return replace(outcome, seconds=outcome.seconds + time.perf_counter() - began)


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
        data = read_images(path, test=max(1, round(TEST_SHARE * error.images)), seed=TEST_SEED)
    return ImageSet(data, digest(data.shape, data.classes, data.train, data.test))
