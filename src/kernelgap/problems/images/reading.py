"""A file or folder of images, of whichever standard kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernelgap.errors import InputError
from kernelgap.problems.images.cifar import CIFAR10_LABELS, COARSE, FINE, Labels, read_binary, read_names
from kernelgap.problems.images.cifar_python import read_python, read_python_names
from kernelgap.problems.images.idx import read_idx_pair
from kernelgap.problems.images.images import ImageData, Images
from kernelgap.problems.images.names import CIFAR10, numbered
from kernelgap.problems.images.npz import read_npz
from kernelgap.problems.problem import Seed

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
            raise InputError("it has no test part: say how many images to hold out, test=..., and by which seed=...")
        if not 1 <= test < len(first):
            raise InputError(f"of its {len(first)} images, 1 to {len(first) - 1} can be held out, not {test}")
        drawn, rest = first.split(test, seed=seed)
        return ImageData(rest, drawn)
    except InputError as error:
        raise InputError(f"{path}: {str(error).rstrip('.')}.") from None


def _npz_or_folder(path: Path, coarse: bool) -> tuple[Part, Part | None, tuple[str, ...] | None]:
    if path.is_dir():
        layout, found = _in_folder(path)
        return _npz(found) if layout is None else layout.read(layout.files(found), coarse)
    if not path.is_file():
        raise InputError(f"There is no file or folder {path}.")
    if path.suffix.lower() == ".npz":
        return _npz(path)
    for layout in LAYOUTS:
        spelled = [one for name in (*layout.train, *layout.test) for one in layout.spellings(name)]
        if path.name in spelled:
            files = layout.files(path.parent)
            if layout.missing(files):
                raise InputError(_incomplete(layout, path.parent, files))
            return layout.read(files, coarse)
    if path.name.endswith((".tar.gz", ".tgz", ".tar", ".zip")):
        raise InputError(f"{path} is an archive: unpack it and give the folder.")
    raise InputError(f"{path} is not an NPZ file nor named like a file of {_known()}.")


def _npz(path: Path) -> tuple[Part, Part | None, tuple[str, ...] | None]:
    arrays = read_npz(path)
    return arrays.train, arrays.test, arrays.classes


def _in_folder(folder: Path) -> tuple[Layout | None, Path]:
    """The one standard set in a folder or, where there is none, one folder below; None with an NPZ file."""
    try:
        below = sorted(inner for inner in folder.iterdir() if inner.is_dir())
        for places in ([folder], below):
            complete = [
                (layout, place) for place in places for layout in LAYOUTS if not layout.missing(layout.files(place))
            ]
            packed = [(None, file) for place in places for file in sorted(place.glob("*.npz")) if file.is_file()]
            found = [*complete, *packed]
            if len(found) == 1:
                return found[0]
            if found:
                which = ", ".join(f"{layout.name} in {at}" if layout else str(at) for layout, at in found)
                raise InputError(f"{folder} holds more than one set of images ({which}): give a file of one of them.")
        begun = [(place, layout) for place in (folder, *below) for layout in LAYOUTS if layout.files(place)]
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}.") from None
    if begun:
        place, layout = min(begun, key=lambda one: len(one[1].missing(one[1].files(one[0]))))
        raise InputError(_incomplete(layout, place, layout.files(place)))
    raise InputError(f"{folder} holds no NPZ file and no files of {_known()}.")


def _incomplete(layout: Layout, folder: Path, files: Files) -> str:
    gone = layout.missing(files)
    are = "is" if len(gone) == 1 else "are"
    either = " (or with .gz)" if ".gz" in layout.endings else ""
    return f"{folder} looks like {layout.name}, and {', '.join(gone)}{either} {are} missing."


def _known() -> str:
    return ", ".join(f"{layout.name} ({layout.train[0]}, ...)" for layout in LAYOUTS)


def _count(train: Part, test: Part | None) -> int:
    """As many classes as the largest label asks for; labels that are none are refused later."""
    labels = [part[1] for part in (train, test) if part is not None]
    largest = [int(numbers.max()) for numbers in labels if numbers.size and numbers.dtype.kind in "iu"]
    return min(max(0, 0, *largest), 2**16) + 1


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
