"""A file or folder of images, of whichever standard kind."""

from collections.abc import Sequence
from pathlib import Path

from kernelgap.errors import InputError
from kernelgap.images.data.images import ImageData, Images
from kernelgap.images.data.layouts import LAYOUTS, Files, Layout, Part, numbered
from kernelgap.images.data.npz import read_npz
from kernelgap.problems.problem import Seed

PYTHON_VERSION = ("data_batch_1", "train")  # the first file of CIFAR-10 and of CIFAR-100


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
    """Of the so many ``images`` of a file, none are set apart to test on, and nothing was said about it."""

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
