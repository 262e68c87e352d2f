"""Tables in text files: CSV, TSV, and whatever else has a delimiter, in UTF-8, UTF-16 with its mark, or Latin-1.

Lines that are not UTF-8 are read as Latin-1, each by itself. Guessing by statistics (charset-normalizer) takes "größe"
in Latin-1 for Mac Central European, and knows no mixtures.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, cast

import pandas as pd

from kernelgap.audit.tables.cells import looks_like_number
from kernelgap.audit.tables.notices import Notice, counted
from kernelgap.audit.tables.reading.raw import Raw, Reservoir
from kernelgap.audit.tables.table import check_width
from kernelgap.errors import InputError

BLOCK = 2**20  # bytes that are decoded at a time
LONGEST_LINE = 2**26
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LINES, CHARACTERS = 200, 100_000  # in which a delimiter is looked for
PIECE = 2**25  # bytes of text that are cut into columns at a time
MAGIC = {
    b"PK\x03\x04": "a ZIP or Excel file",
    b"PAR1": "a Parquet file",
    b"ARROW1": "a Feather file",
    b"\x1f\x8b": "packed by gzip",
}


def read_delimited(
    path: Path, reservoir: Reservoir, *, delimiter: str | None, header: bool | None, to_learn: bool
) -> Raw:
    """Read a text file in pieces; the reservoir samples its rows."""
    with path.open("rb") as file:
        start = file.read(6)
    for magic, what in MAGIC.items():
        if start.startswith(magic):
            raise InputError(f"{path} is not text but {what}: unpack it, or give it its own ending.")
    with closing(DecodedText(path)) as text:
        first = text.read()
        if declared := re.match(r"sep=(.)\s*?\r?\n", first):  # Excel writes it above the heading
            delimiter, first = delimiter or declared[1], first[declared.end() :]
        if not first.strip():
            raise InputError(f"{path} is empty: give a file with a heading and rows.")
        delimiter = find_delimiter(first, str(path), delimiter, single=not to_learn)
        lines = first.splitlines()
        check_width(str(path), lines[0].count(delimiter) + 1)
        text.pending = first
        try:
            raw = _read_rows(path, text, delimiter, max(map(len, lines)), reservoir, header)
        except InputError:
            raise
        except ValueError as error:  # pandas has many kinds of it
            raise InputError(_parser_sentence(path, str(error))) from None
    if text.other_lines:
        count = counted(text.other_lines, "line")
        sentence = f"{path}: {count} not in UTF-8, line {text.first_other} first, read as Latin-1 instead."
        raw.notices.append(Notice("encoding", str(path), sentence))
    return raw


def _read_rows(
    path: Path, text: "DecodedText", delimiter: str, widest: int, reservoir: Reservoir, header: bool | None
) -> Raw:
    pieces = pd.read_csv(
        cast("IO[str]", text),  # pandas needs no more of a file than what this one has
        sep=delimiter,
        header=None,
        dtype=str,
        na_filter=False,
        chunksize=max(2, min(100_000, PIECE // (widest + 1))),
        engine="c",
        skipinitialspace=True,
    )
    names: list[str] = []
    notices, empty = [], 0
    for piece in pieces:
        rows = piece
        if not names:
            names = [str(cell) for cell in rows.iloc[0]]
            if not all(map(looks_like_number, names)) if header is None else header:
                rows = rows.iloc[1:]
            else:
                names = [""] * len(names)
                if header is None:
                    sentence = f"{path}: the first line holds numbers, so it is data, and columns are column_1 and on."
                    notices.append(Notice("header", str(path), sentence))
        filled = (rows != "").any(axis=1)
        empty += int((~filled).sum())
        reservoir.add(rows[filled])
    if empty:
        notices.append(Notice("empty rows", str(path), f"{path}: {counted(empty, 'empty row')} left out."))
    return Raw(reservoir.sample(), names, notices, comma_first=delimiter == ";")


def find_delimiter(text: str, name: str, given: str | None = None, *, single: bool = False) -> str:
    """The delimiter that cuts the first lines into equally many columns, or the given one if it cuts at all.

    A comma where nothing cuts and a ``single`` column will do. csv.Sniffer, which pandas asks too, is led astray by
    apostrophes and doubled quotation marks within cells.
    """
    if given is not None and (len(given) != 1 or given in '"\r\n\0' or not given.isascii()):
        raise InputError(f"The delimiter must be a single character of ASCII, such as ',' or ';', not {given!r}.")
    scores = {delimiter: _score(text, delimiter) for delimiter in DELIMITERS}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    cuts = scores[best][1] > 1
    if single and not cuts:
        return given or ","
    if given is not None:
        if _score(text, given)[1] > 1:
            return given
        advice = f"the {DELIMITERS[best]} seems to be the right one" if cuts else "give the one that the file uses"
        raise InputError(f"{name} falls into a single column at the delimiter {given!r}: {advice}.")
    if not cuts:
        raise InputError(
            f"{name} falls into a single column at comma, semicolon, tab and bar alike: a table needs a target and "
            "features, so name the delimiter if it is another one."
        )
    return best


def _score(text: str, delimiter: str) -> tuple[float, int]:
    """(share of lines with the usual number of columns, that number); the heading must have it too."""
    rows = [row for row in csv.reader(text[:CHARACTERS].splitlines()[:LINES], delimiter=delimiter) if row]
    counts = Counter(map(len, rows))
    if not counts:
        return 0.0, 0
    usual = max(counts, key=lambda columns: (counts[columns], columns))
    if usual == 1 and len(rows[0]) == 1:
        return 0.0, 1
    share = counts[usual] / len(rows)
    return (share if len(rows[0]) == usual else share / 2), max(usual, len(rows[0]))


def _parser_sentence(path: Path, problem: str) -> str:
    if match := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", problem):
        expected, line, saw = match.groups()
        return (
            f"{path}: line {line} has {saw} fields, the first line {expected}: put quotes around text that holds the "
            "delimiter, and give each column a name in the first line."
        )
    if "EOF inside string" in problem:
        return f"{path}: a quotation mark is opened and never closed: double it where it is part of a text."
    return f"{path} cannot be cut into columns: {' '.join(problem.split()).rstrip('.')}."


class DecodedText:
    """A file read as text, in pieces that end with a line.

    Lines that are not UTF-8 are decoded as Windows-1252, which is Latin-1 with quotes and dashes; ``other_lines``
    counts them, and ``first_other`` is the number of the first. The text in ``pending`` is read next.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("rb")
        start = self._file.read(4)
        self._file.seek(3 if start.startswith(codecs.BOM_UTF8) else 0)
        wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._wide = io.TextIOWrapper(self._file, "utf-16", newline="") if wide else None
        self._lines = self.other_lines = self.first_other = 0
        self.pending = ""

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
