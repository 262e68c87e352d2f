"""One fingerprint for texts, bytes and arrays."""

import hashlib

import numpy as np


def fingerprint(*parts: str | bytes | np.ndarray) -> str:
    """The SHA-256 of all parts in their order, in hexadecimal. An array counts with its type and shape.

    >>> fingerprint("ab") == fingerprint("a", b"b"), fingerprint(np.zeros(4)) == fingerprint(np.zeros((2, 2)))
    (True, False)
    """
    sha256 = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            sha256.update(f"{part.dtype.str} {part.shape}\n".encode())
            sha256.update(np.ascontiguousarray(part).data)
        else:
            sha256.update(part.encode() if isinstance(part, str) else part)
    return sha256.hexdigest()
