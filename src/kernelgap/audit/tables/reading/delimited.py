"""Tables in text files: CSV, TSV, and whatever else has a delimiter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import pandas as pd

from kernelgap.audit.tables.columns.numerals import looks_like_number
from kernelgap.audit.tables.notices import Notice, counted
from kernelgap.audit.tables.reading.decoding import DecodedText
from kernelgap.audit.tables.reading.delimiters import find_delimiter
from kernelgap.audit.tables.reading.raw import Raw
from kernelgap.audit.tables.reading.sampling import Reservoir
from kernelgap.audit.tables.table import check_width
from kernelgap.errors import InputError

PIECE = 2**25  # bytes of text that are cut into columns at a time
MAGIC = {
    b"PK\x03\x04": "a ZIP or Excel file",
    b"PAR1": "a Parquet file",
    b"ARROW1": "a Feather file",
    b"\x1f\x8b": "packed by gzip",
}


def read_delimited(
    path: Path,
    reservoir: Reservoir,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    to_learn: bool = True,
) -> Raw:
    """Read a text file in pieces, keeping of its rows what the reservoir keeps."""
    _check_magic(path)
    with DecodedText(path) as text:
        first = text.read()
        if said := re.match(r"sep=(.)\s*?\r?\n", first):  # Excel writes it above the heading
            delimiter, first = delimiter or said[1], first[said.end() :]
        if not first.strip():
            raise InputError(f"{path} is empty: give a file with a heading and rows.")
        found = find_delimiter(first, str(path), delimiter, single=not to_learn)
        try:
            result = _rows(path, _Resumed(first, text), found, reservoir, header)
        except InputError:
            raise
        except ValueError as error:  # pandas has many kinds of it
            raise InputError(_parser_sentence(path, str(error))) from None
    if text.other_lines:
        count = counted(text.other_lines, "line")
        sentence = f"{path}: {count} not in UTF-8, line {text.first_other} first, read as Latin-1 instead."
        result.notices.append(Notice("encoding", str(path), sentence))
    return result


def _rows(path: Path, text: "_Resumed", delimiter: str, reservoir: Reservoir, header: bool | None) -> Raw:
    lines = text.first.splitlines()
    check_width(str(path), lines[0].count(delimiter) + 1)
    widest = max(map(len, lines))
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
    notices = []
    empty = 0
    for piece in pieces:
        rows = piece
        if not names:
            names = [str(cell) for cell in rows.iloc[0]]
            if _has_heading(names) if header is None else header:
                rows = rows.iloc[1:]
            else:
                if header is None:
                    sentence = f"{path}: the first line holds numbers, so it is data, and columns are column_1 and on."
                    notices.append(Notice("header", str(path), sentence))
                names = [""] * len(names)
        filled = (rows != "").any(axis=1)
        empty += int((~filled).sum())
        reservoir.add(rows[filled])
    if empty:
        notices.append(Notice("empty rows", str(path), f"{path}: {counted(empty, 'empty row')} left out."))
    return Raw(reservoir.sample(), names, notices, comma_first=delimiter == ";")


@dataclass
class _Resumed:
    """A text of which the first piece was already looked at."""

    first: str
    rest: DecodedText
    begun: bool = False

    def read(self, size: int) -> str:
        if not self.begun:
            self.begun = True
            return self.first
        return self.rest.read(size)

    def __iter__(self) -> Iterator[str]:  # pandas asks for it, and reads
        return iter(lambda: self.read(0), "")


def _has_heading(cells: list[str]) -> bool:
    return not all(looks_like_number(cell) for cell in cells)


def _check_magic(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(6)
    for magic, what in MAGIC.items():
        if start.startswith(magic):
            raise InputError(f"{path} is not text but {what}: unpack it, or give it its own ending.")


def _parser_sentence(path: Path, problem: str) -> str:
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", problem):
        expected, line, saw = found.groups()
        return (
            f"{path}: line {line} has {saw} fields, the first line {expected}: put quotes around text that holds the "
            "delimiter, and give each column a name in the first line."
        )
    if "EOF inside string" in problem:
        return f"{path}: a quotation mark is opened and never closed: double it where it is part of a text."
    return f"{path} cannot be cut into columns: {' '.join(problem.split()).rstrip('.')}."
