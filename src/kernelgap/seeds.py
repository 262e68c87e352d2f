"""Random numbers from a seed, by what they are for: no two uses share a stream."""

from zlib import crc32

import numpy as np


def stream(seed: int, *purpose: str | int) -> np.random.Generator:
    """The generator of a seed for a purpose, such as ``stream(0, "test split")`` or ``stream(0, "fold", 3)``.

    Streams with different purposes are independent, as children of one ``SeedSequence`` are.
    """
    key = tuple(crc32(part.encode()) if isinstance(part, str) else part for part in purpose)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
