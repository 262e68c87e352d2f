"""CIFAR-10 and CIFAR-100, in their binary version: records of labels and 32 x 32 pixels, red, then green, then blue."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8

from kernelgap.errors import InputError
from kernelgap.images.data.content import whole_content

PIXELS = 3 * 32 * 32
Batch = tuple[UInt8[np.ndarray, "n 32 32 3"], Int64[np.ndarray, " n"]]


@dataclass(frozen=True)
class Labels:
    """One of the labels that each image of a data set has."""

    key: str  # in the Python version
    names: str  # where the Python version's meta has the names
    name_file: str  # where the binary version has them
    classes: int
    place: int  # in a binary record
    held: int  # labels in a binary record


CIFAR10_LABELS = Labels("labels", "label_names", "batches.meta.txt", 10, place=0, held=1)
COARSE = Labels("coarse_labels", "coarse_label_names", "coarse_label_names.txt", 20, place=0, held=2)
FINE = Labels("fine_labels", "fine_label_names", "fine_label_names.txt", 100, place=1, held=2)


def read_binary(path: Path, labels: Labels) -> Batch:
    """One file of the binary version."""
    content = whole_content(path)
    record = labels.held + PIXELS
    count, rest = divmod(len(content), record)
    if rest or not count:
        raise InputError(
            f"{path} is cut short or of another kind: its records have {record} bytes, "
            f"and the one at byte {count * record} has {rest}."
        )
    records = np.frombuffer(content, np.uint8).reshape(count, record)
    found = records[:, labels.place]
    wrong = np.flatnonzero(found >= labels.classes)
    if len(wrong):
        raise InputError(
            f"{path} has the label {found[wrong[0]]} at byte {wrong[0] * record + labels.place}, "
            f"and labels go from 0 to {labels.classes - 1}."
        )
    return as_images(records[:, labels.held :]), found.astype(np.int64)


def read_names(path: Path, labels: Labels) -> tuple[str, ...]:
    """Names of classes, one a line."""
    try:
        text = whole_content(path).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not text: byte {error.start} is not UTF-8.") from None
    names = tuple(line.strip() for line in text.splitlines() if line.strip())
    if len(names) != labels.classes:
        raise InputError(f"{path} names {len(names)} classes, and there are {labels.classes}.")
    return names


def as_images(rows: UInt8[np.ndarray, "n 3072"]) -> UInt8[np.ndarray, "n 32 32 3"]:
    """Channels last."""
    return np.ascontiguousarray(rows.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
