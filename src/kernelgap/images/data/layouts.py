"""The standard sets of files: what they are called and how they are read.

CIFAR's binary version has records of labels and 32 x 32 pixels: red, then green, then blue.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8

from kernelgap.errors import InputError
from kernelgap.images.data.idx import read_idx_pair, whole_content

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


FASHION_MNIST = (
    "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"
)  # fmt: skip

Part = tuple[np.ndarray, np.ndarray]
Files = Mapping[str, Path]


@dataclass(frozen=True)
class Layout:
    """A standard set of files, which lie in one folder under these names."""

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    read: Callable[[Files, bool], tuple[Part, Part, tuple[str, ...] | None]]
    optional: tuple[str, ...] = ()
    endings: tuple[str, ...] = ("",)

    def files(self, folder: Path) -> dict[str, Path]:
        """Those that are there, by their standard names."""
        names = (*self.train, *self.test, *self.optional)
        paths = ((name, folder / other) for name in names for other in self.spellings(name))
        return {name: path for name, path in reversed(list(paths)) if path.is_file()}

    def spellings(self, name: str) -> list[str]:
        """A standard name as it may be written: some tools write a dot in place of IDX's last hyphen but one."""
        written = [name, name.replace("-idx", ".idx")] if "-idx" in name else [name]
        return [one + ending for one in written for ending in self.endings]

    def missing(self, files: Iterable[str]) -> list[str]:
        return [name for name in (*self.train, *self.test) if name not in set(files)]


def _read_idx(files: Files, coarse: bool) -> tuple[Part, Part, None]:
    _only_fine(coarse)
    train, test = (
        read_idx_pair(files[f"{part}-images-idx3-ubyte"], files[f"{part}-labels-idx1-ubyte"])
        for part in ("train", "t10k")
    )
    return train, test, None


def _read_cifar10(files: Files, coarse: bool) -> tuple[Part, Part, tuple[str, ...]]:
    _only_fine(coarse)
    return _read_cifar(files, CIFAR10_LABELS, BATCHES, "test_batch.bin")


def _read_cifar100(files: Files, coarse: bool) -> tuple[Part, Part, tuple[str, ...]]:
    return _read_cifar(files, COARSE if coarse else FINE, ("train.bin",), "test.bin")


def _read_cifar(files: Files, labels: Labels, train: tuple[str, ...], test: str) -> tuple[Part, Part, tuple[str, ...]]:
    images, numbers = zip(*(read_binary(files[name], labels) for name in train), strict=True)
    file = files.get(labels.name_file)
    names = read_names(file, labels) if file else labels.default_names
    return (np.concatenate(images), np.concatenate(numbers)), read_binary(files[test], labels), names


def _only_fine(coarse: bool) -> None:
    if coarse:
        raise InputError("Only CIFAR-100 has coarse classes: leave coarse away.")


BATCHES = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
LAYOUTS = (
    Layout(
        "MNIST or Fashion-MNIST",
        ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
        ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
        _read_idx,
        endings=("", ".gz"),
    ),
    Layout("CIFAR-10, binary version", BATCHES, ("test_batch.bin",), _read_cifar10, ("batches.meta.txt",)),
    Layout(
        "CIFAR-100, binary version",
        ("train.bin",),
        ("test.bin",),
        _read_cifar100,
        ("fine_label_names.txt", "coarse_label_names.txt"),
    ),
)
