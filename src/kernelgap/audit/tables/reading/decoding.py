"""A text file in whatever encoding: UTF-8, UTF-16 with its mark, and line by line Latin-1 where it is neither."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from kernelgap.errors import InputError

BLOCK = 2**20
LONGEST_LINE = 2**26


class DecodedText:
    """A file to be read as text, in pieces that end with a line.

    Lines that are not UTF-8 are decoded as Windows-1252, which is Latin-1 with quotes and dashes; ``other_lines``
    counts them, and ``first_other`` is the number of the first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("rb")
        start = self._file.read(4)
        self._wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._decoder = codecs.getincrementaldecoder("utf-16")()
        self._file.seek(3 if start.startswith(codecs.BOM_UTF8) else 0)
        self._rest = b""
        self._lines = 0
        self.other_lines = 0
        self.first_other = 0

    def __enter__(self) -> "DecodedText":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self.read, "")

    def read(self, size: int = BLOCK) -> str:
        """The next piece, of about this size; empty at the end."""
        while block := self._file.read(max(size, BLOCK)):
            text = self._wide_text(block) if self._wide else self._whole_lines(block)
            if text:
                return text
        last, self._rest = self._rest, b""
        return self._wide_text(b"", end=True) if self._wide else self._decode(last)

    def _wide_text(self, block: bytes, *, end: bool = False) -> str:
        try:
            return self._decoder.decode(block, end)
        except UnicodeDecodeError:
            raise InputError(f"{self._path} begins as UTF-16 and is not: save it as UTF-8.") from None

    def _whole_lines(self, block: bytes) -> str:
        if b"\0" in block:
            raise InputError(f"{self._path} is not a text file (it holds zero bytes): give a CSV file saved as UTF-8.")
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if not end:
            self._rest += block
            if len(self._rest) > LONGEST_LINE:
                raise InputError(f"{self._path} has a line of more than {LONGEST_LINE:,} bytes: it is not a table.")
            return ""
        whole, self._rest = self._rest + block[:end], block[end:]
        return self._decode(whole)

    def _decode(self, whole: bytes) -> str:
        before = self._lines
        self._lines += whole.count(b"\n")
        try:
            return whole.decode("utf-8")
        except UnicodeDecodeError:
            return "".join(self._decode_line(line, before + i) for i, line in enumerate(whole.split(b"\n"), 1))[:-1]

    def _decode_line(self, line: bytes, number: int) -> str:
        try:
            return line.decode("utf-8") + "\n"
        except UnicodeDecodeError:
            self.other_lines += 1
            self.first_other = self.first_other or number
        try:
            return line.decode("cp1252") + "\n"
        except UnicodeDecodeError:  # it has five holes, Latin-1 has none
            return line.decode("latin-1") + "\n"
