"""Random numbers from a seed, by what they are for: no two uses share a stream.

Older streams take the seed as it is, since stored results depend on them: a problem's samples and hidden sets, the
order of rows in training, subsets of images, random features, ``random_targets``, ``left_by_base``, and the claims.
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np


def stream(seed: int | Sequence[int], *purpose: str | int) -> np.random.Generator:
    """The generator of a seed for a purpose, such as ``stream(0, "test split")`` or ``stream(0, "fold", 3)``.

    Streams with different purposes are independent, as children of one ``SeedSequence`` are.
    """
    key = tuple(crc32(part.encode()) if isinstance(part, str) else part for part in purpose)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
