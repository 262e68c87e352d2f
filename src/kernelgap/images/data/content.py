"""The bytes of a file, from its beginning to its end, unpacked where gzip packed it; each refusal names the byte."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kernelgap.errors import InputError
from kernelgap.machine import require_memory

PACKED = b"\x1f\x8b"
DENSEST = 1032  # gzip makes at most this many bytes of one
STEP = 2**20


class Content:
    """What an opened file still holds."""

    def __init__(self, path: Path, file: io.BufferedIOBase, size: int, packed: bool) -> None:
        self.path, self.file, self.packed = path, file, packed
        self.most = size * DENSEST if packed else size  # bytes that it can hold
        self.offset = 0

    def take(self, count: int, what: str) -> bytes:
        """The next bytes, exactly so many; the size of the file is looked at before memory is taken."""
        end = self.offset + count
        if end > self.most:
            held = f"cannot hold more than {self.most}" if self.packed else f"ends at byte {self.most}"
            raise InputError(f"{self.path} is cut short: its {what} would end at byte {end}, and the file {held}.")
        require_memory(2 * count, str(self.path), "Give a file that holds less.")
        taken = bytearray()
        while len(taken) < count:
            part = self._read(min(STEP, count - len(taken)))
            if not part:
                raise InputError(
                    f"{self.path} is cut short: its {what} would end at byte {end}, "
                    f"and it ends at byte {self.offset}{self._unpacked()}."
                )
            taken += part
        return bytes(taken)

    def end(self, what: str) -> None:
        """Nothing may follow, and what gzip packed must have the sum that was stored with it."""
        at = self.offset
        if self._read(1):
            raise InputError(f"{self.path}: its {what} end at byte {at}{self._unpacked()}, and the file goes on.")

    def _read(self, count: int) -> bytes:
        try:
            part = self.file.read(count)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise InputError(
                f"{self.path}: what gzip packed is damaged after byte {self.offset}{self._unpacked()} ({error})."
            ) from None
        self.offset += len(part)
        return part

    def _unpacked(self) -> str:
        return " (unpacked)" if self.packed else ""


@contextmanager
def opened(path: Path) -> Iterator[Content]:
    """A file to be read from its beginning."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == PACKED
            raw.seek(0)
            size = os.fstat(raw.fileno()).st_size
            if packed:
                with gzip.GzipFile(fileobj=raw) as file:
                    yield Content(path, file, size, packed)
            else:
                yield Content(path, raw, size, packed)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


def whole_content(path: Path) -> bytes:
    """All bytes of a file that is not packed."""
    with opened(path) as content:
        if content.packed:
            raise InputError(f"{path} is packed by gzip: unpack it first.")
        return content.take(content.most, "content")
