"""Files that show every change: a zip of named parts, in one canonical form, closed by a seal over all of it.

Parts are stored uncompressed, in order, with one fixed date; the last part, seal.txt, is the SHA-256 of the file as it
would be without it. Reading builds the same file again from the parts and compares byte by byte, so that nothing in it,
not even what zip readers skip, can be changed without notice. The seal shows damage and careless changes; it is no
signature: what a certificate claims is believed only when it has been computed again.
"""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from kernelgap.errors import InputError
from kernelgap.whole_file import whole

SEAL = "seal.txt"
DATE = (1980, 1, 1, 0, 0, 0)
MOST_BYTES = 2**31


def write_sealed(path: str | Path, parts: Mapping[str, bytes]) -> Path:
    """Write the parts, all or nothing."""
    with whole(path) as partial:
        partial.write_bytes(_sealed(parts))
    return Path(path)


def read_sealed(path: str | Path) -> dict[str, bytes]:
    """The parts of a file whose seal is whole; else a refusal with the reason."""
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise InputError(f"'{path}' is refused: it is larger than any certificate.")
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"'{path}' could not be read: {error.strerror}.") from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            names = file.namelist()
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in file.infolist()):
                raise InputError(f"'{path}' is refused: a part of it is compressed, as no certificate's is.")
            parts = {name: file.read(name) for name in names}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"'{path}' is refused: it is damaged, or no certificate ({error}).") from None
    if not names or names[-1] != SEAL or len(set(names)) != len(names):
        raise InputError(f"'{path}' is refused: it has no seal, so it is not a whole certificate.")
    seal = parts.pop(SEAL)
    if seal != _seal(parts):
        raise InputError(f"'{path}' is refused: its parts do not match its seal, so something was changed.")
    if content != _sealed(parts):
        raise InputError(f"'{path}' is refused: bytes outside its parts were changed.")
    return parts


def _sealed(parts: Mapping[str, bytes]) -> bytes:
    return _zipped({**parts, SEAL: _seal(parts)})


def _seal(parts: Mapping[str, bytes]) -> bytes:
    return hashlib.sha256(_zipped(parts)).hexdigest().encode() + b"\n"


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            file.writestr(entry, content)
    return buffer.getvalue()
