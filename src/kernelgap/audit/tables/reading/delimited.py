"""Tables in text files: CSV, TSV, and whatever else has a delimiter."""

import csv
import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import IO, cast

import pandas as pd

from kernelgap.audit.tables.columns.numerals import looks_like_number
from kernelgap.audit.tables.notices import Notice, counted
from kernelgap.audit.tables.reading.decoding import DecodedText
from kernelgap.audit.tables.reading.raw import Raw, Reservoir
from kernelgap.audit.tables.table import check_width
from kernelgap.errors import InputError

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
    path: Path,
    reservoir: Reservoir,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    to_learn: bool = True,
) -> Raw:
    """Read a text file in pieces, keeping of its rows what the reservoir keeps."""
    _check_magic(path)
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
    path: Path, text: DecodedText, delimiter: str, widest: int, reservoir: Reservoir, header: bool | None
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
    notices = []
    empty = 0
    for piece in pieces:
        rows = piece
        if not names:
            names = [str(cell) for cell in rows.iloc[0]]
            numbers = all(map(looks_like_number, names))
            if not numbers if header is None else header:
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


def _check_magic(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(6)
    for magic, what in MAGIC.items():
        if start.startswith(magic):
            raise InputError(f"{path} is not text but {what}: unpack it, or give it its own ending.")


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
