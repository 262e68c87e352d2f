"""CIFAR-10 and CIFAR-100, in their Python version: pickled dictionaries, read without running what they ask for."""

from pathlib import Path

import numpy as np

from kernelgap.errors import InputError
from kernelgap.images.data.cifar import PIXELS, Batch, Labels, as_images
from kernelgap.images.data.content import whole_content
from kernelgap.images.data.pickled import read_pickled


def read_python(path: Path, labels: Labels) -> Batch:
    """One file of the Python version."""
    held = _dictionary(path)
    rows, numbers = held.get("data"), held.get(labels.key)
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.shape[1] != PIXELS or not len(rows):
        raise InputError(f"{path} has no images: 'data' must be an array of n x {PIXELS} bytes.")
    if not isinstance(numbers, list) or len(numbers) != len(rows):
        raise InputError(f"{path} has no labels: '{labels.key}' must be a list of {len(rows)} numbers.")
    for row, number in enumerate(numbers):
        if not isinstance(number, int) or not 0 <= number < labels.classes:
            raise InputError(
                f"{path}: '{labels.key}' must be whole numbers from 0 to {labels.classes - 1}, "
                f"and that of image {row} (counted from 0) is not."
            )
    return as_images(rows), np.array(numbers, np.int64)


def read_python_names(path: Path, labels: Labels) -> tuple[str, ...]:
    """Names of classes from the file of them."""
    names = _dictionary(path).get(labels.names)
    if not isinstance(names, list) or len(names) != labels.classes:
        raise InputError(f"{path} names no classes: '{labels.names}' must be a list of {labels.classes} names.")
    found = [name.decode("latin-1") if isinstance(name, bytes) else name for name in names]
    if not all(isinstance(name, str) for name in found):
        raise InputError(f"{path}: '{labels.names}' must hold text alone.")
    return tuple(found)


def _dictionary(path: Path) -> dict[str, object]:
    """By text, whichever Python wrote it."""
    held = read_pickled(whole_content(path), str(path))
    if not isinstance(held, dict):
        raise InputError(f"{path} holds no dictionary: it is not a file of CIFAR's Python version.")
    return {key.decode("latin-1") if isinstance(key, bytes) else str(key): value for key, value in held.items()}
