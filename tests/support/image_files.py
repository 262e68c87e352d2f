"""Tiny image files of every kind, written byte by byte or by the tools that others use."""

import gzip
import pickle
import struct
import zlib

import numpy as np


def pixels(rng, *shape):
    return rng.integers(0, 256, shape, dtype=np.uint8)


def idx(values):
    return struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape) + values.tobytes()


def write_mnist(folder, rng, n=6, packed=True):
    """The four files; the images and labels of the training part."""
    for part in ("t10k", "train"):
        images, labels = pixels(rng, n, 5, 4), rng.integers(0, 10, n).astype(np.uint8)
        labels[0] = 9
        for name, values in {"images-idx3": images, "labels-idx1": labels}.items():
            content = idx(values)
            file = folder / (f"{part}-{name}-ubyte" + (".gz" if packed else ""))
            file.write_bytes(gzip.compress(content) if packed else content)
    return images, labels


def planes(images):
    """CIFAR's rows: all reds, all greens, all blues."""
    return np.stack([np.concatenate([image[:, :, c].ravel() for c in range(3)]) for image in images])


def python2_pickle(data, **lists):
    """A dictionary as Python 2 wrote it in protocol 2: its strings are bytes."""

    def text(value):
        return b"U" + bytes([len(value)]) + value.encode()

    def entry(value):
        if isinstance(value, int):
            return b"K" + bytes([value])
        return text(value)

    rows, columns = data.shape
    body = b"\x80\x02}q\x01("
    body += text("data") + b"cnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\nq\x03K\x00\x85" + text("b")
    body += b"\x87Rq\x04(K\x01" + b"M" + struct.pack("<H", rows) + b"M" + struct.pack("<H", columns) + b"\x86"
    body += b"cnumpy\ndtype\nq\x05" + text("u1") + b"K\x00K\x01\x87Rq\x06(K\x03" + text("|") + b"NNN"
    body += b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T" + struct.pack("<i", data.size) + data.tobytes() + b"tb"
    for name, values in lists.items():
        body += text(name) + b"]q\x09(" + b"".join(entry(value) for value in values) + b"e"
    return body + b"u."


def write_cifar10(folder, rng, kind, n=2):
    """Six files of the binary or Python version; images and labels of the training part."""
    images, labels = pixels(rng, 6 * n, 32, 32, 3), rng.integers(0, 10, 6 * n)
    for i, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
        rows, numbers = planes(images[i * n : (i + 1) * n]), labels[i * n : (i + 1) * n]
        if kind == "binary":
            records = np.concatenate([numbers[:, None].astype(np.uint8), rows], axis=1)
            (folder / f"{name}.bin").write_bytes(records.tobytes())
        elif kind == "python2":
            (folder / name).write_bytes(python2_pickle(rows, labels=numbers.tolist()))
        else:
            (folder / name).write_bytes(pickle.dumps({b"data": rows, b"labels": numbers.tolist()}, protocol=int(kind)))
    return images[: 5 * n], labels[: 5 * n]


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(rows, width, height, channels, **changes):
    """Rows of filter bytes and differences as a PNG file, its pixels in two parts."""
    colour = {1: 0, 3: 2}[channels]
    head = struct.pack(">IIBBBBB", width, height, changes.get("bits", 8), colour, 0, 0, changes.get("interlaced", 0))
    packed = zlib.compress(rows)
    middle = len(packed) // 2
    parts = [
        chunk(b"IHDR", head),
        chunk(b"IDAT", packed[:middle]),
        chunk(b"IDAT", packed[middle:]),
        chunk(b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def filtered(image, filters):
    """PNG's filters, written plainly: one byte after another."""
    height, width, channels = image.shape
    at = np.zeros((height + 1, width + 1, channels), int)
    at[1:, 1:] = image
    rows = b""
    for y in range(1, height + 1):
        line = [filters[y - 1]]
        for x in range(1, width + 1):
            for k in range(channels):
                a, b, c = (int(v) for v in (at[y, x - 1, k], at[y - 1, x, k], at[y - 1, x - 1, k]))
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line.append((int(at[y, x, k]) - [0, a, b, (a + b) // 2, nearest][filters[y - 1]]) % 256)
        rows += bytes(line)
    return rows
