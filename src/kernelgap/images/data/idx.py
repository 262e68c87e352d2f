"""Files read from their beginning to their end, gzipped or not, and IDX files, as of MNIST and Fashion-MNIST.

An IDX file has two zeros, a type (8: unsigned bytes), the number of dimensions, each dimension's length in four bytes
with the highest first, then the values. Each refusal names the byte.
"""

import gzip
import io
import math
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8

from kernelgap.errors import InputError
from kernelgap.machine import require_memory

TYPES = {8: "uint8", 9: "int8", 11: "int16", 12: "int32", 13: "float32", 14: "float64"}
PACKED = b"\x1f\x8b"
DENSEST = 1032  # gzip makes at most this many bytes of one
STEP = 2**20


class Content:
    """What an opened file still holds."""

    def __init__(self, path: Path, file: io.BufferedIOBase, size: int, packed: bool) -> None:
        self.path, self.file, self.packed = path, file, packed
        self.most = size * DENSEST if packed else size  # bytes that it can hold
        self.offset = 0

    def take(self, count: int, what: str) -> bytes:
        """The next bytes, exactly so many; the size of the file is looked at before memory is taken."""
        end = self.offset + count
        if end > self.most:
            held = f"cannot hold more than {self.most}" if self.packed else f"ends at byte {self.most}"
            raise InputError(f"{self.path} is cut short: its {what} would end at byte {end}, and the file {held}.")
        require_memory(2 * count, str(self.path), "Give a file that holds less.")
        taken = bytearray()
        while len(taken) < count:
            part = self._read(min(STEP, count - len(taken)))
            if not part:
                ends = f"it ends at byte {self.offset}{self._unpacked()}"
                raise InputError(f"{self.path} is cut short: its {what} would end at byte {end}, and {ends}.")
            taken += part
        return bytes(taken)

    def end(self, what: str) -> None:
        """Nothing may follow, and what gzip packed must have the sum that was stored with it."""
        at = self.offset
        if self._read(1):
            raise InputError(f"{self.path}: its {what} end at byte {at}{self._unpacked()}, and the file goes on.")

    def _read(self, count: int) -> bytes:
        try:
            part = self.file.read(count)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            after = f"after byte {self.offset}{self._unpacked()} ({error})"
            raise InputError(f"{self.path}: what gzip packed is damaged {after}.") from None
        self.offset += len(part)
        return part

    def _unpacked(self) -> str:
        return " (unpacked)" if self.packed else ""


@contextmanager
def opened(path: Path) -> Iterator[Content]:
    """A file to be read from its beginning."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == PACKED
            raw.seek(0)
            size = os.fstat(raw.fileno()).st_size
            with gzip.GzipFile(fileobj=raw) if packed else nullcontext(raw) as file:
                yield Content(path, file, size, packed)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


def whole_content(path: Path) -> bytes:
    """All bytes of a file that is not packed."""
    with opened(path) as content:
        if content.packed:
            raise InputError(f"{path} is packed by gzip: unpack it first.")
        return content.take(content.most, "content")


def read_idx(path: Path) -> UInt8[np.ndarray, "..."]:
    """The array that an IDX file of unsigned bytes holds."""
    with opened(path) as content:
        zeros, kind, dimensions = struct.unpack(">HBB", content.take(4, "magic number"))
        if zeros or kind not in TYPES:
            raise InputError(f"{path} is not an IDX file: its bytes 0 to 3 are no magic number of one.")
        if kind != 8:
            raise InputError(f"{path} holds {TYPES[kind]} (byte 2 is {kind}): only unsigned bytes, 8, are images.")
        if not 1 <= dimensions <= 4:
            raise InputError(f"{path} has {dimensions} dimensions (byte 3), they must be 1 to 4.")
        shape = struct.unpack(f">{dimensions}I", content.take(4 * dimensions, "heading"))
        values = np.frombuffer(content.take(math.prod(shape), f"{' x '.join(map(str, shape))} values"), np.uint8)
        content.end("values")
    return values.reshape(shape)


def read_idx_pair(images: Path, labels: Path) -> tuple[UInt8[np.ndarray, "n h w c"], Int64[np.ndarray, " n"]]:
    """Images and their labels, equally many."""
    pixels, numbers = read_idx(images), read_idx(labels)
    if pixels.ndim not in (3, 4) or 0 in pixels.shape:
        raise InputError(f"{images} holds no images: it has {_lengths(pixels)}, not n x height x width.")
    if numbers.ndim != 1:
        raise InputError(f"{labels} holds no labels: it has {_lengths(numbers)}, not one label after another.")
    if len(pixels) != len(numbers):
        raise InputError(f"{images} has {len(pixels)} images and {labels} {len(numbers)} labels.")
    return pixels if pixels.ndim == 4 else pixels[..., None], numbers.astype(np.int64)


def _lengths(values: np.ndarray) -> str:
    """Also the message for a labels' file in place of one of images, which bytes 3 and after tell apart."""
    return f"the lengths {' x '.join(map(str, values.shape))} (bytes 4 to {4 + 4 * values.ndim})"
