"""The standard sets of files: what they are called and how they are read."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernelgap.errors import InputError
from kernelgap.images.data.cifar import CIFAR10_LABELS, COARSE, FINE, Labels, read_binary, read_names
from kernelgap.images.data.cifar_python import read_python, read_python_names
from kernelgap.images.data.idx import read_idx_pair
from kernelgap.images.data.names import CIFAR10, numbered

Part = tuple[np.ndarray, np.ndarray]
Files = Mapping[str, Path]


@dataclass(frozen=True)
class Layout:
    """A standard set of files, which lie in one folder under these names."""

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    read: Callable[[Files, bool], tuple[Part, Part, tuple[str, ...] | None]]
    named_by: tuple[str, ...] = ()  # files of names, which may be missing
    endings: tuple[str, ...] = ("",)

    def files(self, folder: Path) -> dict[str, Path]:
        """Those that are there, by their standard names."""
        names = (*self.train, *self.test, *self.named_by)
        found = ((name, folder / other) for name in names for other in self.spellings(name))
        return {name: path for name, path in reversed(list(found)) if path.is_file()}

    def spellings(self, name: str) -> list[str]:
        """A standard name as it may be written: some tools write a dot in place of IDX's last hyphen but one."""
        written = [name, name.replace("-idx", ".idx")] if "-idx" in name else [name]
        return [one + ending for one in written for ending in self.endings]

    def missing(self, files: Iterable[str]) -> list[str]:
        return [name for name in (*self.train, *self.test) if name not in set(files)]


def _read_idx(files: Files, coarse: bool) -> tuple[Part, Part, None]:
    _only_fine(coarse)
    parts = [
        read_idx_pair(files[f"{part}-images-idx3-ubyte"], files[f"{part}-labels-idx1-ubyte"])
        for part in ("train", "t10k")
    ]
    return parts[0], parts[1], None


def _cifar(
    train: tuple[str, ...],
    test: str,
    read: Callable[[Path, Labels], Part],
    names: Callable[[Path, Labels], tuple[str, ...]],
    named_by: Callable[[Labels], str],
    hundred: bool,
) -> Callable[[Files, bool], tuple[Part, Part, tuple[str, ...] | None]]:
    def read_all(files: Files, coarse: bool) -> tuple[Part, Part, tuple[str, ...] | None]:
        if not hundred:
            _only_fine(coarse)
        labels = CIFAR10_LABELS if not hundred else COARSE if coarse else FINE
        batches = [read(files[name], labels) for name in train]
        joined = tuple(np.concatenate(arrays) for arrays in zip(*batches, strict=True))
        file = files.get(named_by(labels))
        named = names(file, labels) if file else numbered(labels.classes) if hundred else CIFAR10
        return (joined[0], joined[1]), read(files[test], labels), named

    return read_all


def _only_fine(coarse: bool) -> None:
    if coarse:
        raise InputError("Only CIFAR-100 has coarse classes: leave coarse away.")


BATCHES = tuple(f"data_batch_{i}" for i in range(1, 6))
BINARY = tuple(f"{name}.bin" for name in BATCHES)
LAYOUTS = (
    Layout(
        "MNIST or Fashion-MNIST",
        ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
        ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
        _read_idx,
        endings=("", ".gz"),
    ),
    Layout(
        "CIFAR-10, binary version",
        BINARY,
        ("test_batch.bin",),
        _cifar(BINARY, "test_batch.bin", read_binary, read_names, lambda labels: labels.name_file, hundred=False),
        ("batches.meta.txt",),
    ),
    Layout(
        "CIFAR-100, binary version",
        ("train.bin",),
        ("test.bin",),
        _cifar(("train.bin",), "test.bin", read_binary, read_names, lambda labels: labels.name_file, hundred=True),
        ("fine_label_names.txt", "coarse_label_names.txt"),
    ),
    Layout(
        "CIFAR-10, Python version",
        BATCHES,
        ("test_batch",),
        _cifar(BATCHES, "test_batch", read_python, read_python_names, lambda _: "batches.meta", hundred=False),
        ("batches.meta",),
    ),
    Layout(
        "CIFAR-100, Python version",
        ("train",),
        ("test",),
        _cifar(("train",), "test", read_python, read_python_names, lambda _: "meta", hundred=True),
        ("meta",),
    ),
)
