"""PNG files of 8 bits a channel, grey or red-green-blue, not interlaced: sheets of many small images.

Each row of bytes holds differences from a prediction made of the pixels to the left (a), above (b) and above left (c):
nothing, a, b, (a + b) / 2, or whichever of a, b, c is nearest to a + b - c.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from kernelgap.errors import InputError
from kernelgap.images.data.content import whole_content
from kernelgap.machine import require_memory

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3}


def read_png(path: Path) -> UInt8[np.ndarray, "height width channels"]:
    """The pixels of a PNG file."""
    content = whole_content(path)
    if not content.startswith(SIGNATURE):
        raise InputError(f"{path} is not a PNG file: bytes 0 to 7 are not its signature.")
    chunks = list(_chunks(content, path))
    if chunks[0][0] != b"IHDR" or len(chunks[0][1]) != 13 or chunks[-1][0] != b"IEND":
        raise InputError(f"{path} does not begin with a PNG file's heading, at byte 8, or has no end.")
    width, height, bits, colour, *_, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if bits != 8 or colour not in CHANNELS or interlaced or not width * height:
        raise InputError(f"{path} is not 8 bits a channel, grey or red-green-blue, not interlaced (bytes 16 to 28).")
    channels = CHANNELS[colour]
    size = height * (1 + width * channels)
    require_memory(3 * size, str(path), "Give a smaller sheet.")
    unpacker = zlib.decompressobj()
    try:
        packed = b"".join(chunk for kind, chunk in chunks if kind == b"IDAT")
        rows = unpacker.decompress(packed, size + 1)
    except zlib.error as error:
        raise InputError(f"{path}: its pixels are damaged ({error}).") from None
    if len(rows) != size or not unpacker.eof:
        raise InputError(f"{path} announces {size} bytes of pixels (bytes 16 to 28), and holds others than that.")
    lines = np.frombuffer(rows, np.uint8).reshape(height, 1 + width * channels)
    if lines[:, 0].max() > 4:
        raise InputError(f"{path}: row {np.argmax(lines[:, 0] > 4)} (counted from 0) has no known filter.")
    return _unfiltered(lines[:, 1:].reshape(height, width, channels), lines[:, 0])


def _chunks(content: bytes, path: Path) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "big")
        if at + 12 + length > len(content):
            raise InputError(f"{path} is cut short: the part at byte {at} goes on to byte {at + 12 + length}.")
        kind, chunk = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        if zlib.crc32(kind + chunk) != int.from_bytes(content[at + 8 + length : at + 12 + length], "big"):
            raise InputError(f"{path} is damaged: the part at byte {at} has not the sum that was stored with it.")
        yield kind, chunk
        at += 12 + length
    if at == len(SIGNATURE):
        raise InputError(f"{path} is cut short: it ends at byte {at}, after its signature.")


def _unfiltered(
    differences: UInt8[np.ndarray, "height width channels"],
    filters: UInt8[np.ndarray, " height"],
) -> UInt8[np.ndarray, "height width channels"]:
    """Pixels from differences, one diagonal of the sheet at a time: all that its pixels need is on the two before."""
    height, width, channels = differences.shape
    step = width + 1
    sheet = np.zeros((height + 1, step, channels), np.int16)  # zeros above and to the left
    sheet[1:, 1:] = differences
    flat = sheet.reshape(-1, channels)
    for t in range(height + width - 1):
        top, bottom = max(0, t - width + 1), min(height - 1, t)  # pixels (row, t - row)
        start = (top + 1) * step + (t - top) + 1
        stop = start + (bottom - top) * width + 1
        here, a, b, c = (flat[start - back : stop - back : width] for back in (0, 1, step, step + 1))
        kinds = filters[top : bottom + 1, None]
        here += _predicted(kinds, a, b, c)
        here &= 255
    return sheet[1:, 1:].astype(np.uint8)


def _predicted(kinds: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    to_a, to_b = abs(b - c), abs(a - c)  # |p - a|, |p - b|, |p - c| of p = a + b - c
    to_c = abs(a + b - 2 * c)
    nearest = np.where((to_a <= to_b) & (to_a <= to_c), a, np.where(to_b <= to_c, b, c))
    return np.choose(kinds, [np.zeros_like(a), a, b, (a + b) >> 1, nearest])
