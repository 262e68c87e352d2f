"""A file or folder of images: the standard sets of files, what they are called and how they are read.

CIFAR's binary version has records of labels and 32 x 32 pixels: red, then green, then blue.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8

from kernelgap.errors import InputError
from kernelgap.images.data.idx import read_idx_pair, whole_content
from kernelgap.images.data.images import ImageData, Images
from kernelgap.images.data.npz import read_npz
from kernelgap.problems.problem import Seed

PYTHON_VERSION = ("data_batch_1", "train")  # the first file of CIFAR-10 and of CIFAR-100
PIXELS = 3 * 32 * 32
BATCHES = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
Part = tuple[np.ndarray, np.ndarray]
Files = Mapping[str, Path]
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


FASHION_MNIST = (
    "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"
)  # fmt: skip
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
        at = f"its records have {record} bytes, and the one at byte {count * record} has {rest}"
        raise InputError(f"{path} is cut short or of another kind: {at}.")
    records = np.frombuffer(content, np.uint8).reshape(count, record)
    numbers = records[:, labels.offset]
    wrong = np.flatnonzero(numbers >= labels.classes)
    if len(wrong):
        at = f"the label {numbers[wrong[0]]} at byte {wrong[0] * record + labels.offset}"
        raise InputError(f"{path} has {at}, and labels go from 0 to {labels.classes - 1}.")
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


@dataclass(frozen=True)
class Layout:
    """A standard set of files, which lie in one folder under these names.

    ``labels`` are those of CIFAR's records, ``coarse`` its other ones; MNIST has a file of labels beside the images.
    """

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    labels: Labels | None = None
    coarse: Labels | None = None
    endings: tuple[str, ...] = ("",)

    def files(self, folder: Path) -> dict[str, Path]:
        """Those that are there, by their standard names."""
        optional = [labels.name_file for labels in (self.labels, self.coarse) if labels]
        names = (*self.train, *self.test, *optional)
        paths = ((name, folder / other) for name in names for other in self.spellings(name))
        return {name: path for name, path in reversed(list(paths)) if path.is_file()}

    def spellings(self, name: str) -> list[str]:
        """A standard name as it may be written: some tools write a dot in place of IDX's last hyphen but one."""
        written = [name, name.replace("-idx", ".idx")] if "-idx" in name else [name]
        return [one + ending for one in written for ending in self.endings]

    def missing(self, files: Iterable[str]) -> list[str]:
        return [name for name in (*self.train, *self.test) if name not in set(files)]

    def read(self, files: Files, coarse: bool) -> tuple[Part, Part, tuple[str, ...] | None]:
        """Training images, test images, and the names of the classes if there are any."""
        if coarse and self.coarse is None:
            raise InputError("Only CIFAR-100 has coarse classes: leave coarse away.")
        train, test = ([files[name] for name in names] for names in (self.train, self.test))
        labels = self.coarse if coarse else self.labels
        if labels is None:
            return read_idx_pair(*train), read_idx_pair(*test), None
        images, numbers = zip(*(read_binary(path, labels) for path in train), strict=True)
        file = files.get(labels.name_file)
        names = read_names(file, labels) if file else labels.default_names
        return (np.concatenate(images), np.concatenate(numbers)), read_binary(test[0], labels), names


LAYOUTS = (
    Layout(
        "MNIST or Fashion-MNIST",
        ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
        ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
        endings=("", ".gz"),
    ),
    Layout("CIFAR-10, binary version", BATCHES, ("test_batch.bin",), CIFAR10_LABELS),
    Layout("CIFAR-100, binary version", ("train.bin",), ("test.bin",), FINE, COARSE),
)


def read_images(
    path: str | Path,
    *,
    classes: Sequence[str] | None = None,
    coarse: bool = False,
    test: int | None = None,
    seed: Seed | None = None,
) -> ImageData:
    """Images from an NPZ file, or from a folder with the standard files of MNIST, Fashion-MNIST or CIFAR.

    Parameters
    ----------
    path
        An NPZ file, a folder, or a file in such a folder.
    classes
        Names of the classes, where the files have none (IDX): else they are "0", "1", ...
    coarse
        Of CIFAR-100, the 20 coarse classes in place of the 100 fine ones.
    test, seed
        Of an NPZ file that has no test part, how many images to hold out, and the seed that draws them.

    Returns
    -------
    ImageData
        Training and test images of one size, with the same classes.

    Raises
    ------
    InputError
        If the files are missing, damaged or of another kind; NoTestPartError if images have to be held out.
    """
    path = Path(path)
    train, held_out, named = _npz_or_folder(path, coarse)
    names = tuple(classes) if classes is not None else named or numbered(_count(train, held_out))
    try:
        first = Images.of(*train, names)
        if held_out is not None:
            if test is not None or seed is not None:
                raise InputError("it has a test part of its own: leave test and seed away")
            return ImageData(first, Images.of(*held_out, names))
        if test is None or seed is None:
            raise NoTestPartError(path, len(first))
        if not 1 <= test < len(first):
            raise InputError(f"of its {len(first)} images, 1 to {len(first) - 1} can be held out, not {test}")
        drawn, rest = first.split(test, seed=seed)
        return ImageData(rest, drawn)
    except NoTestPartError:
        raise
    except InputError as error:
        raise InputError(f"{path}: {str(error).rstrip('.')}.") from None


class NoTestPartError(InputError):
    """A file has images but no test part, and the caller did not say how to make one."""

    def __init__(self, path: Path, images: int) -> None:
        super().__init__(
            f"{path}: it has no test part: say how many images to hold out (test=1000) and a seed (seed=0)."
        )
        self.images = images


def _npz_or_folder(path: Path, coarse: bool) -> tuple[Part, Part | None, tuple[str, ...] | None]:
    if path.is_dir():
        layout, place = _in_folder(path)
        return read_npz(place) if layout is None else layout.read(layout.files(place), coarse)
    if not path.is_file():
        raise InputError(f"There is no file or folder {path}.")
    if path.suffix.lower() == ".npz":
        return read_npz(path)
    for layout in LAYOUTS:
        spelled = [one for name in (*layout.train, *layout.test) for one in layout.spellings(name)]
        if path.name in spelled:
            files = layout.files(path.parent)
            if layout.missing(files):
                raise InputError(_incomplete(layout, path.parent, files))
            return layout.read(files, coarse)
    if path.name.endswith((".tar.gz", ".tgz", ".tar", ".zip")):
        raise InputError(f"{path} is an archive: unpack it and give the folder.")
    if path.name in PYTHON_VERSION:
        raise InputError(_pickled(path))
    raise InputError(f"{path} is not an NPZ file nor named like a file of {_known()}.")


def _in_folder(folder: Path) -> tuple[Layout | None, Path]:
    """The one standard set in a folder or, where there is none, one folder below; None with an NPZ file."""
    try:
        below = sorted(inner for inner in folder.iterdir() if inner.is_dir())
        for places in ([folder], below):
            complete = [
                (layout, place) for place in places for layout in LAYOUTS if not layout.missing(layout.files(place))
            ]
            packed = [(None, file) for place in places for file in sorted(place.glob("*.npz")) if file.is_file()]
            sets = [*complete, *packed]
            if len(sets) == 1:
                return sets[0]
            if sets:
                which = ", ".join(f"{layout.name} in {at}" if layout else str(at) for layout, at in sets)
                raise InputError(f"{folder} holds more than one set of images ({which}): give a file of one of them.")
        begun = [(place, layout) for place in (folder, *below) for layout in LAYOUTS if layout.files(place)]
        pickled = [place / name for place in (folder, *below) for name in PYTHON_VERSION if (place / name).is_file()]
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}.") from None
    if begun:
        place, layout = min(begun, key=lambda one: len(one[1].missing(one[1].files(one[0]))))
        raise InputError(_incomplete(layout, place, layout.files(place)))
    if pickled:
        raise InputError(_pickled(pickled[0]))
    raise InputError(f"{folder} holds no NPZ file and no files of {_known()}.")


def _incomplete(layout: Layout, folder: Path, files: Files) -> str:
    gone = layout.missing(files)
    are = "is" if len(gone) == 1 else "are"
    either = " (or with .gz)" if ".gz" in layout.endings else ""
    return f"{folder} looks like {layout.name}, and {', '.join(gone)}{either} {are} missing."


def _pickled(path: Path) -> str:
    return (
        f"{path} looks like CIFAR's Python version, whose files are pickles and can run code when they are loaded, so "
        "it is not read: give the binary version (cifar-10-binary.tar.gz, cifar-100-binary.tar.gz) or an NPZ file."
    )


def _known() -> str:
    return ", ".join(f"{layout.name} ({layout.train[0]}, ...)" for layout in LAYOUTS)


def _count(train: Part, test: Part | None) -> int:
    """As many classes as the largest label asks for; labels that are none are refused later."""
    labels = [part[1] for part in (train, test) if part is not None]
    largest = [int(numbers.max()) for numbers in labels if numbers.size and numbers.dtype.kind in "iu"]
    return min(max([0, *largest]), 2**16) + 1
