"""Images in NPZ files: x_train, y_train, x_test, y_test, or X and y alone; never a pickled object."""

import zipfile
import zlib
from math import prod
from pathlib import Path

import numpy as np

from kernelgap.atomic_file import atomically
from kernelgap.errors import InputError
from kernelgap.images.data.images import ImageData
from kernelgap.machine import require_memory
from kernelgap.npz_file import array_entries, read_heading

PARTS = (("x_train", "y_train", "x_test", "y_test"), ("train_images", "train_labels", "test_images", "test_labels"))
ALONE = (("x", "y"), ("images", "labels"), ("data", "labels"))
NAMES = ("classes", "class_names")


Part = tuple[np.ndarray, np.ndarray]


def read_npz(path: Path) -> tuple[Part, Part | None, tuple[str, ...] | None]:
    """(training images and labels, those of a test part, names of classes) under any of the usual names.

    Capitals do not matter.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            held = array_entries(archive)
            keys = next((keys for keys in (*PARTS, *ALONE) if set(keys) <= set(held)), None)
            if keys is None:
                raise InputError(
                    f"{path} has the arrays {', '.join(sorted(held)) or 'none'}, and not {', '.join(PARTS[0])} "
                    "or X, y: numpy.savez(file, x_train=..., y_train=..., x_test=..., y_test=...)."
                )
            first, second, *others = (_array(archive, path, held[key]) for key in keys)
            named = next((_array(archive, path, held[key]) for key in NAMES if key in held), None)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OverflowError) as error:
        raise InputError(f"{path} is not an NPZ file, or it is damaged: {error}.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    if named is not None and (named.dtype.kind != "U" or named.ndim != 1):
        raise InputError(f"{path}: the names of classes must be a list of text.")
    classes = None if named is None else tuple(str(name) for name in named)
    return (first, second), (others[0], others[1]) if others else None, classes


def write_npz(data: ImageData, path: str | Path) -> Path:
    """Write images to an NPZ file that ``read_images`` reads, whole or not at all."""
    with atomically(path) as partial, partial.open("wb") as file:
        np.savez(
            file,
            x_train=data.train.images,
            y_train=data.train.labels,
            x_test=data.test.images,
            y_test=data.test.labels,
            classes=np.array(data.classes),
        )
    return Path(path)


def _array(archive: zipfile.ZipFile, path: Path, entry: str) -> np.ndarray:
    """One array, after its heading has been compared with what the file holds."""
    info = archive.getinfo(entry)
    where = f"{path}: {entry} (at byte {info.header_offset})"
    try:
        with archive.open(entry) as file:
            shape, _, kind = read_heading(file, where)
            begin = file.tell()
        if kind.kind not in "iuU":
            what = "Python objects, which are never loaded" if kind.hasobject else f"{kind} values"
            raise InputError(f"{where} holds {what}: images and labels are whole numbers.")
        if prod(shape) * kind.itemsize != info.file_size - begin:
            raise InputError(f"{where} says that its shape is {shape}, and the file does not hold that much.")
        require_memory(2 * info.file_size, where, "Give a file that holds less.")
        with archive.open(entry) as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise InputError(f"{where} is damaged: {error}.") from None
