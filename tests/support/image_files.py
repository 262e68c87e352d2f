"""Tiny image files of every kind, written byte by byte."""

import gzip
import struct

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


def write_cifar10(folder, rng, n=2):
    """The six files; images and labels of the training part."""
    images, labels = pixels(rng, 6 * n, 32, 32, 3), rng.integers(0, 10, 6 * n)
    for i, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
        rows, numbers = planes(images[i * n : (i + 1) * n]), labels[i * n : (i + 1) * n]
        records = np.concatenate([numbers[:, None].astype(np.uint8), rows], axis=1)
        (folder / f"{name}.bin").write_bytes(records.tobytes())
    return images[: 5 * n], labels[: 5 * n]
