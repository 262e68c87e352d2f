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

    name_file: str
    default_names: tuple[str, ...]  # where that file is missing
    offset: int  # in a record
    per_record: int

    @property
    def classes(self) -> int:
        return len(self.default_names)


def numbered(count: int) -> tuple[str, ...]:
    """0, 1, 2, ... for classes that have no names."""
    return tuple(str(i) for i in range(count))


CIFAR10 = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
CIFAR10_LABELS = Labels("batches.meta.txt", CIFAR10, offset=0, per_record=1)
COARSE = Labels("coarse_label_names.txt", numbered(20), offset=0, per_record=2)
FINE = Labels("fine_label_names.txt", numbered(100), offset=1, per_record=2)


def read_binary(path: Path, labels: Labels) -> Batch:
    """One file of the binary version."""
    content = whole_content(path)
    record = labels.per_record + PIXELS
    count, rest = divmod(len(content), record)
    if rest or not count:
        raise InputError(
            f"{path} is cut short or of another kind: its records have {record} bytes, "
            f"and the one at byte {count * record} has {rest}."
        )
    records = np.frombuffer(content, np.uint8).reshape(count, record)
    numbers = records[:, labels.offset]
    wrong = np.flatnonzero(numbers >= labels.classes)
    if len(wrong):
        raise InputError(
            f"{path} has the label {numbers[wrong[0]]} at byte {wrong[0] * record + labels.offset}, "
            f"and labels go from 0 to {labels.classes - 1}."
        )
    planes = records[:, labels.per_record :].reshape(-1, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), numbers.astype(np.int64)


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
