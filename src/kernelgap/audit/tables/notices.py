"""Notices: decisions made about a user's table, one sentence each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kernelgap.errors import shown

What = Literal[
    "sampled", "encoding", "header", "names", "empty rows", "decimals", "not numbers", "infinite", "rounded",
    "left out", "row number", "copy", "missing target", "missing", "constant", "duplicate", "rare", "unseen", "leak",
    "repeated rows", "task", "shape", "nystroem",
]  # fmt: skip

NAMED = 5  # columns or values named in a sentence
SHOWN = 3  # notices of one kind that a terminal shows


@dataclass(frozen=True)
class Notice:
    """What happened, to which column (or file), and a sentence about it."""

    what: What
    where: str
    sentence: str

    @classmethod
    def of_column(cls, what: What, name: str, text: str) -> "Notice":
        """The sentence ``Column 'name' text``."""
        return cls(what, name, f"Column '{name}' {text}")


def brief(notices: Iterable[Notice]) -> list[str]:
    """Sentences for a terminal: the first few of each kind, and how many more there are."""
    kinds: dict[str, list[str]] = {}
    for notice in notices:
        kinds.setdefault(notice.what, []).append(notice.sentence)
    sentences = []
    for what, alike in kinds.items():
        sentences += alike[:SHOWN]
        if len(alike) > SHOWN:
            sentences.append(f"... and {len(alike) - SHOWN:,} more of this kind ({what}).")
    return sentences


def named(values: Sequence[object]) -> str:
    """``'a', 'b' and 3 more``: names for a sentence, however many there are."""
    first = [shown(str(value)) for value in values[:NAMED]]
    more = len(values) - len(first)
    if more:
        return f"{', '.join(first)} and {more} more"
    return " and ".join([", ".join(first[:-1]), first[-1]] if len(first) > 1 else first)


def counted(count: int, noun: str) -> str:
    """``1 row``, ``2,000 rows``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
