"""Arrays in NPZ files: where they are and what their headings announce. Python objects in them are never loaded."""

import zipfile
from typing import IO, NamedTuple

import numpy as np

from kernelgap.errors import InputError

_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class Heading(NamedTuple):
    """What an array says about itself before its values begin."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype


def array_entries(archive: zipfile.ZipFile) -> dict[str, str]:
    """The entries of an NPZ file by the lower-case names of their arrays."""
    return {entry.removesuffix(".npy").lower(): entry for entry in archive.namelist() if entry.endswith(".npy")}


def read_heading(file: IO[bytes], where: str) -> Heading:
    """The heading of an opened entry, made of literals alone; ``where`` is for messages."""
    try:
        heading = Heading(*_READERS[np.lib.format.read_magic(file)](file))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{where} is not an array as numpy.savez writes it ({error}).") from None
    if any(length < 0 for length in heading.shape):
        raise InputError(f"{where} has the impossible shape {heading.shape}.")
    return heading
