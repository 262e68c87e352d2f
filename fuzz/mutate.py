"""Damage: bytes of a file, lines of a text, values within JSON."""

import copy
from random import Random
from typing import Any

from fuzz import values

SNIPPETS = (
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\n",
    b"\r",
    b'"',
    b",",
    b";",
    b"{",
    b"[",
    b"nan",
    b"1e999",
    b"\x80",
    b"=",
)


def octets(content: bytes, rng: Random) -> bytes:
    """The same with some of it changed, cut, doubled or put in."""
    found = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 300))):
        at = rng.randrange(len(found) + 1)
        match rng.randrange(7):
            case 0 if found:
                found[at % len(found)] ^= 1 << rng.randrange(8)
            case 1 if found:
                found[at % len(found)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            case 2:
                found[at:at] = rng.choice(SNIPPETS)
            case 3 if rng.random() < 0.2:
                del found[at:]
            case 4:
                del found[at : at + rng.choice((1, 4, 100))]
            case 5:
                found[at:at] = found[at : at + rng.choice((1, 8, 100))]
            case _ if found:
                size = rng.choice((1, 4, 8, 300))
                found[at : at + size] = rng.randbytes(size)
    return bytes(found)


def lines(text: str, rng: Random) -> str:
    """The same with lines dropped, doubled, swapped, or with a value put into one."""
    found = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(found))
        match rng.randrange(6):
            case 0:
                del found[at]
                found = found or [""]
            case 1:
                found.insert(at, found[at])
            case 2:
                found[at] = found[at] + values.text(rng)
            case 3:
                found[at] = "  " * rng.randrange(4) + found[at].strip()
            case 4:
                key, colon, _ = found[at].partition(":")
                found[at] = key + colon + " " + values.literal(rng)
            case _:
                found.insert(at, values.text(rng))
    return "\n".join(found)


def paths(tree: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where there are values: all keys and indices, inner ones too."""
    if isinstance(tree, dict):
        inner = [p for k, v in tree.items() for p in paths(v, (*before, k))]
    elif isinstance(tree, list):
        inner = [p for i, v in enumerate(tree[:30]) for p in paths(v, (*before, i))]
    else:
        inner = []
    return [before, *inner] if before else inner


def nested(rng: Random, depth: int) -> Any:
    """Lists or objects within each other."""
    inner: Any = 1
    objects = rng.random() < 0.5
    for _ in range(depth):
        inner = {"a": inner} if objects else [inner]
    return inner


def json_value(tree: Any, rng: Random, times: int | None = None) -> Any:
    """A copy with some values changed, dropped, or of another type."""
    found = copy.deepcopy(tree)
    for _ in range(times or rng.choice((1, 1, 1, 2, 4))):
        places = paths(found)
        if not places:
            return values.plain(rng)
        *way, last = rng.choice(places)
        holder = found
        for key in way:
            holder = holder[key]
        match rng.randrange(8):
            case 0:
                del holder[last]
            case 1 if isinstance(holder[last], int | float) and not isinstance(holder[last], bool):
                holder[last] = rng.choice((0, -holder[last], holder[last] * 1e9, holder[last] + 1, holder[last] / 2))
            case 2:
                holder[last] = str(holder[last])
            case 3:
                holder[last] = [holder[last]]
            case 4 if isinstance(holder, dict):
                holder[values.text(rng)] = holder[last]
            case 5 if rng.random() < 0.3:
                holder[last] = nested(rng, rng.choice((5, 50)))
            case _:
                holder[last] = values.plain(rng)
    return found
