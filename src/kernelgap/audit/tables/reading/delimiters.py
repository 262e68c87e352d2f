"""Which character separates the columns of a text file."""

import csv
from collections import Counter

from kernelgap.errors import InputError

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LINES, CHARACTERS = 200, 100_000  # looked at


def find_delimiter(text: str, name: str, given: str | None = None, *, single: bool = False) -> str:
    """The delimiter that cuts the first lines into equally many columns, or the given one if it cuts at all.

    A comma where nothing cuts and a ``single`` column will do.
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
