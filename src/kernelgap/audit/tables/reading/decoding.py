"""A text file in whatever encoding: UTF-8, UTF-16 with its mark, and line by line Latin-1 where it is neither.

Guessing by statistics (charset-normalizer) takes "größe" in Latin-1 for Mac Central European, and knows no mixtures.
"""

import codecs
import io
from collections.abc import Iterator
from pathlib import Path

from kernelgap.errors import InputError

BLOCK = 2**20
LONGEST_LINE = 2**26


class DecodedText:
    """A file to be read as text, in pieces that end with a line.

    Lines that are not UTF-8 are decoded as Windows-1252, which is Latin-1 with quotes and dashes; ``other_lines``
    counts them, and ``first_other`` is the number of the first. What is put into ``pending`` is read next.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("rb")
        start = self._file.read(4)
        self._file.seek(3 if start.startswith(codecs.BOM_UTF8) else 0)
        wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._wide = io.TextIOWrapper(self._file, "utf-16", newline="") if wide else None
        self._lines = 0
        self.pending = ""
        self.other_lines = 0
        self.first_other = 0

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[str]:  # pandas asks for it, and reads
        return iter(self.read, "")

    def read(self, size: int = 0) -> str:
        """The next piece, of at least this size; empty at the end."""
        if self.pending:
            text, self.pending = self.pending, ""
            return text
        if self._wide:
            try:
                return self._wide.read(max(size, BLOCK))
            except UnicodeDecodeError:
                raise InputError(f"{self._path} begins as UTF-16 and is not: save it as UTF-8.") from None
        block = self._file.read(max(size, BLOCK))
        rest = self._file.readline(LONGEST_LINE)
        if b"\0" in block or b"\0" in rest:
            raise InputError(f"{self._path} is not a text file (it holds zero bytes): give a CSV file saved as UTF-8.")
        if len(rest) == LONGEST_LINE:
            raise InputError(f"{self._path} has a line of more than {LONGEST_LINE:,} bytes: it is not a table.")
        return self._decode(block + rest)

    def _decode(self, lines: bytes) -> str:
        before = self._lines
        self._lines += lines.count(b"\n")
        try:
            return lines.decode("utf-8")
        except UnicodeDecodeError:
            return "\n".join(self._decode_line(line, before + i) for i, line in enumerate(lines.split(b"\n"), 1))

    def _decode_line(self, line: bytes, number: int) -> str:
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            self.other_lines += 1
            self.first_other = self.first_other or number
        try:
            return line.decode("cp1252")
        except UnicodeDecodeError:  # it has five holes, Latin-1 has none
            return line.decode("latin-1")
