"""Trials by ridge regression: with a kernel on pixels, or over features."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from jaxtyping import Float

from kernelgap import kernels
from kernelgap.experiments.images.outcome import ImageOutcome
from kernelgap.experiments.images.trials import COMPARED, HELD_OUT, KernelTrial
from kernelgap.kernels import Kernel
from kernelgap.problems.images import Images
from kernelgap.regression import at_edge, choose_ridge, feature_path
from kernelgap.regression.selection import held_out_rows

BLOCK = 2**25  # entries of the Gram matrix with test images that are computed at a time

Rows = Float[np.ndarray, "n d"]


def by_kernel(
    trial: KernelTrial, train: Images, test: Images, folder: Path, tell: Callable[[float], None]
) -> ImageOutcome:
    """The best kernel and inputs on a holdout of some images, the ridge on a holdout of all, then all of them."""
    Y, few = centred_labels(train), slice(0, min(COMPARED, len(train)))
    candidates = [(kernels.get(text), inputs) for inputs in trial.inputs for text in trial.kernels]
    kernel, inputs = candidates[0]
    if len(candidates) > 1:
        X = {inputs: pixels(train, train, inputs, trial.shrink)[few] for inputs in trial.inputs}
        errors = [_held_out_error(kernel, X[inputs], Y[few], trial.seed) for kernel, inputs in candidates]
        kernel, inputs = candidates[int(np.argmin(errors))]
    tell(0.1)
    X_train, X_test = (pixels(train, images, inputs, trial.shrink) for images in (train, test))
    kernel = kernel.fit(X_train)
    place = folder / trial.id if trial.stored else None
    gram, cross = _grams(kernel, X_train, X_test, place, lambda share: tell(0.1 + 0.7 * share))
    choice = choose_ridge(gram, Y, by="holdout", rng=np.random.default_rng([trial.seed]), held_out=HELD_OUT)
    predicted = np.concatenate([np.argmax(block @ choice.coefficients, axis=1) for block in cross()])
    ridge = choice.ridge / float(np.mean(np.diagonal(gram)))
    return ImageOutcome.of(
        predicted,
        test.labels,
        setting={"kernel": kernel.spec, "inputs": inputs, "ridge": ridge, "edge": at_edge(choice.ridge, choice.ridges)},
    )


def pixels(train: Images, images: Images, inputs: str = "scaled", shrink: int = 1) -> Rows:
    """Rows in float64: scaled by the training images, or of length 1; shrunk by means over squares of pixels."""
    found = (images.scaled(train.scaling()) if inputs == "scaled" else images.images).astype(float)
    n, height, width, channels = found.shape
    if shrink > 1:
        tall, wide = height // shrink, width // shrink
        cut = found[:, : tall * shrink, : wide * shrink]
        found = cut.reshape(n, tall, shrink, wide, shrink, channels).mean(axis=(2, 4))
    rows: Rows = found.reshape(n, -1)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows if inputs == "scaled" else rows / np.where(lengths > 0, lengths, 1.0)


def centred_labels(images: Images) -> Float[np.ndarray, "n k"]:
    """1 for the class and 0 for the others, less 1 / classes."""
    k = len(images.classes)
    return np.eye(k)[images.labels] - 1 / k


def chosen_by_holdout(features: Rows, Y: Float[np.ndarray, "n k"], *, seed: int) -> tuple[float, np.ndarray]:
    """The ridge with the least error on the part held out, and the weights with it on all rows."""
    (out,) = held_out_rows(np.random.default_rng([seed]).permutation(len(features)), HELD_OUT)
    kept = np.setdiff1d(np.arange(len(features)), out)
    path = feature_path(features[kept], Y[kept])
    best = float(path.penalties[np.argmin(path.errors(features[out], Y[out]))])
    return best, feature_path(features, Y, best).weights[0]


def _held_out_error(kernel: Kernel, X: Rows, Y: Float[np.ndarray, "n k"], seed: int) -> float:
    choice = choose_ridge(kernel.fit(X)(X), Y, by="holdout", rng=np.random.default_rng([seed]), held_out=HELD_OUT)
    return float(np.min(choice.errors))


def _grams(
    kernel: Kernel, X: Rows, Z: Rows, folder: Path | None, tell: Callable[[float], None]
) -> tuple[np.ndarray, Callable[[], list[np.ndarray]]]:
    """Of the training images, and of test images with them, some at a time."""
    step = max(1, BLOCK // len(X))
    blocks = [slice(i, i + step) for i in range(0, len(Z), step)]
    if folder is None:
        return kernel(X), lambda: [kernel(Z[block], X) for block in blocks]
    half = len(X) / (len(X) + 2 * len(Z))
    gram = kernels.stored_gram(kernel, X, folder=folder / "train", on_progress=lambda share: tell(half * share))
    cross = kernels.stored_gram(
        kernel, Z, X, folder=folder / "test", on_progress=lambda share: tell(half + (1 - half) * share)
    )
    return gram, lambda: [cross[block] for block in blocks]
