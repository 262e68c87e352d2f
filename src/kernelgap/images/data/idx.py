"""IDX files, as of MNIST and Fashion-MNIST, gzipped or not.

Two zeros, a type (8: unsigned bytes), the number of dimensions, each dimension's length in four bytes with the highest
first, then the values.
"""

import math
import struct
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8

from kernelgap.errors import InputError
from kernelgap.images.data.content import opened

TYPES = {8: "uint8", 9: "int8", 11: "int16", 12: "int32", 13: "float32", 14: "float64"}


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
