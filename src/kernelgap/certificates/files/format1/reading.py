"""The content of a certificate of format 1, as one of format 2."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from kernelgap.certificates.files.format1.claim import Claim1
from kernelgap.certificates.files.format2.reading import Certificate2, read_format2
from kernelgap.certificates.files.limits import MOST_WIDTH
from kernelgap.certificates.files.parts import MOST_HEADER, WEIGHTS
from kernelgap.errors import InputError

ROOM = 1e-8  # of |H|^2: how far the rounding of the program that verifies may lie beyond what the file states


@dataclass(frozen=True)
class Certificate1(Certificate2):
    """What the file says, beside the same in the fields of format 2."""

    stated: Claim1


def read_format1(parts: Mapping[str, bytes], claim: Claim1) -> Certificate1:
    """The content of the parts."""
    same = read_format2(parts, claim.in_format2(_width(parts[WEIGHTS])))
    return Certificate1(same.claim, same.problem, same.trained, same.signs, room=ROOM, stated=claim)


def _width(content: bytes) -> int:
    """The rows of W, which the claim does not name; that the arrays fit each other is checked afterwards."""
    size = int.from_bytes(content[:8], "little")
    try:
        width = json.loads(content[8 : 8 + min(size, MOST_HEADER)])["W"]["shape"][0]
    except (ValueError, RecursionError, LookupError, TypeError):
        width = None
    if isinstance(width, bool) or not isinstance(width, int) or not 1 <= width <= MOST_WIDTH:
        raise InputError(f"the tensors in {WEIGHTS} are not those that this certificate must have.")
    return width
