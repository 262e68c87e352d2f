"""The identity of a description: a digest of its canonical JSON."""

import json

from kernelgap.fingerprint import fingerprint

canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def digest(description: object) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the description's canonical JSON."""
    return fingerprint(canonical_json(description))[:16]
