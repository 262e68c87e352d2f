"""Images as a pool of rows: scaled pixels, and classes as numbers."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from kernelgap.images.data import NoTestPartError, read_images


class ImagePool(NamedTuple):
    """Scaled pixels of each image in a row, and a column of 0 and 1 less its mean for each class."""

    X: Float[np.ndarray, "rows pixels"]
    Y: Float[np.ndarray, "rows classes"]


def pool_of_images(path: str | Path, *, rows: int, seed: int) -> ImagePool:
    """At most so many of the training images of a set, drawn by the seed."""
    try:
        train = read_images(path).train
    except NoTestPartError:
        train = read_images(path, test=1, seed=seed).train
    few = train.subset(min(rows, len(train)), seed=seed)
    Y = np.eye(len(few.classes))[few.labels]
    return ImagePool(few.scaled(few).reshape(len(few), -1).astype(float), Y - Y.mean(axis=0))
