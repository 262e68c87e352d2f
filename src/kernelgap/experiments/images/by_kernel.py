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
from kernelgap.regression import choose_ridge, feature_path
from kernelgap.regression.selection import held_out_rows

BLOCK = 2**25  # entries of the Gram matrix with test images that are computed at a time

Rows = Float[np.ndarray, "n d"]


def by_kernel(
    trial: KernelTrial, train: Images, test: Images, folder: Path, tell: Callable[[float], None]
) -> ImageOutcome:
    """The best kernel of the family on a holdout of some images, its ridge on a holdout of all, then all of them."""
    X, Z = pixels(train, train, trial.shrink), pixels(train, test, trial.shrink)
    Y = centred_labels(train)
    candidates = [kernels.get(text).fit(X) for text in trial.kernels]
    few = slice(0, min(COMPARED, len(X)))
    kernel = (
        min(candidates, key=lambda k: _held_out_error(k, X[few], Y[few], trial.seed))
        if len(candidates) > 1
        else candidates[0]
    )
    tell(0.1)
    gram, cross = _grams(
        kernel, X, Z, folder / trial.id if trial.stored else None, lambda share: tell(0.1 + 0.7 * share)
    )
    choice = choose_ridge(np.asarray(gram), Y, by="holdout", rng=np.random.default_rng([trial.seed]), held_out=HELD_OUT)
    predicted = np.concatenate([np.argmax(block @ choice.coefficients, axis=1) for block in cross()])
    size = float(np.mean(np.diagonal(gram)))
    setting = {"kernel": kernel.spec, "ridge": choice.ridge / size}
    return ImageOutcome.of(predicted, test.labels, setting=setting)


def pixels(train: Images, images: Images, shrink: int = 1) -> Rows:
    """Scaled by the training images, as rows in float64; of shrunk images, means over squares of pixels."""
    scaled = images.scaled(train.scaling()).astype(float)
    n, height, width, channels = scaled.shape
    if shrink > 1:
        tall, wide = height // shrink, width // shrink
        cut = scaled[:, : tall * shrink, : wide * shrink]
        scaled = cut.reshape(n, tall, shrink, wide, shrink, channels).mean(axis=(2, 4))
    return scaled.reshape(n, -1)


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
    choice = choose_ridge(kernel(X), Y, by="holdout", rng=np.random.default_rng([seed]), held_out=HELD_OUT)
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
