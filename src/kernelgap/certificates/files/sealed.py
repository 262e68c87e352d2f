"""Files that show every change: a zip of named parts, in one canonical form, closed by a seal over all of it.

Parts are stored uncompressed, in order, with one fixed date; the last part, seal.txt, is the SHA-256 of the file as it
would be without it. Reading builds the same file again from the parts and compares byte by byte, so that nothing in it,
not even what zip readers skip, can be changed without notice. The seal shows damage and careless changes; it is no
signature: what a certificate claims is believed only when it has been computed again.
"""

import errno
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from kernelgap.atomic_file import atomically, read_small
from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint

SEAL = "seal.txt"
DATE = (1980, 1, 1, 0, 0, 0)
MOST_BYTES = 2**27  # of a file: no more are read
MOST_PARTS = 8
END, LOCATOR = 22, 20  # bytes of the record that ends a zip archive without a comment, and of zip64's before it
ENTRY = 200  # bytes of a part's entry in the directory, at most


def write_sealed(path: str | Path, parts: Mapping[str, bytes]) -> Path:
    """Write the parts, all or nothing."""
    if sum(len(content) for content in parts.values()) > MOST_BYTES - 2**16:
        raise InputError(f"'{path}' was not written: a certificate has at most {MOST_BYTES:,} bytes.")
    with atomically(path) as partial:
        partial.write_bytes(_sealed(parts))
    return Path(path)


def read_sealed(path: str | Path) -> dict[str, bytes]:
    """The parts of a file whose seal is whole; else a refusal with the reason."""
    content = _read(path)
    try:
        _check_end(path, content)
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            entries = file.infolist()
            names = [entry.filename for entry in entries]
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
                raise InputError(f"'{path}' is refused: a part of it is compressed, as no certificate's is.")
            if sum(max(entry.file_size, entry.compress_size) for entry in entries) > len(content):
                raise InputError(f"'{path}' is refused: its parts are larger than it is.")
            parts = {name: file.read(name) for name in names}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"'{path}' is refused: it is damaged, or no certificate ({_printable(error)}).") from None
    if not names or names[-1] != SEAL or len(set(names)) != len(names):
        raise InputError(f"'{path}' is refused: it has no seal, so it is not a whole certificate.")
    seal = parts.pop(SEAL)
    if seal != _seal(parts):
        raise InputError(f"'{path}' is refused: its parts do not match its seal, so something was changed.")
    if content != _sealed(parts):
        raise InputError(f"'{path}' is refused: bytes outside its parts were changed.")
    return parts


def _read(path: str | Path) -> bytes:
    """The content of an ordinary file that is not larger than any certificate."""
    try:
        return read_small(path, MOST_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            limit = f"it is larger than any certificate ({MOST_BYTES:,} bytes)"
            raise InputError(f"'{path}' is refused: {limit}.") from None
        raise InputError(f"'{path}' could not be read: {error.strerror}.") from None
    except ValueError as error:  # a NUL in the path
        raise InputError(f"'{str(path)[:100]!r}' could not be read: {error}.") from None


def _check_end(path: str | Path, content: bytes) -> None:
    """Refuse, before it is read, a directory of more parts than a certificate has."""
    end = content[-END:]
    listed = int.from_bytes(end[12:16], "little")
    if end[:4] != b"PK\5\6" or listed > MOST_PARTS * ENTRY or content[-END - LOCATOR : -END].startswith(b"PK\6\7"):
        raise InputError(f"'{path}' is refused: it is damaged, or no certificate.")


def _printable(error: Exception) -> str:
    """An error that may quote names from the file."""
    return ascii(str(error))[1:-1][:200]


def _sealed(parts: Mapping[str, bytes]) -> bytes:
    return _zipped({**parts, SEAL: _seal(parts)})


def _seal(parts: Mapping[str, bytes]) -> bytes:
    return fingerprint(_zipped(parts)).encode() + b"\n"


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            file.writestr(entry, content)
    return buffer.getvalue()
