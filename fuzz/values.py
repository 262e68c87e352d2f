"""Values that programs stumble over, and near ones that they take."""

from collections.abc import Callable
from random import Random
from typing import TypeVar

T = TypeVar("T")

INTEGERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    255,
    256,
    10**5,
    2**31 - 1,
    2**31,
    2**32,
    -(2**31),
    2**53 + 1,
    2**63 - 1,
    2**63,
    10**9,
    10**18,
    10**30,
    -(10**30),
)
FLOATS = (
    0.0,
    -0.0,
    1.0,
    0.5,
    -1.5,
    1e-9,
    1e-300,
    5e-324,
    1e16,
    1e38,
    1e39,
    1e154,
    1e160,
    1e200,
    1.7976931348623157e308,
    float("inf"),
    float("-inf"),
    float("nan"),
)
TEXTS = (
    "",
    " ",
    "\t",
    "\n",
    "a",
    "none",
    "nan",
    "null",
    "true",
    "-",
    "--",
    "--help",
    "-1",
    ".",
    "..",
    "/",
    "~",
    "*",
    "%s",
    "%n",
    "{}",
    "{0}",
    "${HOME}",
    "$(true)",
    "`true`",
    "'",
    '"',
    "\\",
    "\0",
    "\x1b[31mred\x1b[0m",
    "\x7f",
    "\r\n",
    "\u202egnp",
    "ä",
    "ß",
    "日本",
    "😀",
    "\ud800",
    "\udcff",
    "é",
    "İ",
    "a" * 300,
    "a" * 5000,
    "a/" * 300,
    "../" * 30,
    "1e400",
    "1" * 400,
    "9" * 5000,
    "0x10",
    "1_000",
    "1,5",
    "٣",
    "²",
    "½",
    "[" * 200,
    "(" * 200,
    "((" * 3000,
    "-" * 3000 + "3",
    "[" * 100_000,
    "a(" * 500,
    "{'a':" * 300,
    "1+" * 3000 + "1",
    "f(x=" + "-" * 200 + "1)",
    "not " * 500 + "1",
)
OBJECTS: tuple[object, ...] = (
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None],
    {"a": None},
    [1, [2, [3]]],
    ["a", 1],
    (),
    b"bytes",
    1j,
)


def one_way(rng: Random, *ways: tuple[float, Callable[[], T]]) -> T:
    """Made in the first of the ways whose number is above a random one: each adds its share to those before it."""
    draw = rng.random()
    return next(make for share, make in ways if draw < share)()


def integer(rng: Random) -> int:
    return one_way(
        rng,
        (0.6, lambda: rng.choice(INTEGERS)),
        (0.9, lambda: rng.randint(-5, 50)),
        (1.0, lambda: rng.choice((1, -1)) * rng.getrandbits(rng.choice((8, 64, 400)))),
    )


def number(rng: Random) -> float:
    return one_way(
        rng,
        (0.5, lambda: rng.choice(FLOATS)),
        (0.8, lambda: rng.uniform(-2, 2)),
        (1.0, lambda: rng.choice((1, -1)) * 10.0 ** rng.uniform(-320, 308)),
    )


def text(rng: Random) -> str:
    draw = rng.random()
    if draw < 0.7:
        return rng.choice(TEXTS)
    letters = [
        chr(rng.choice((rng.randrange(32, 127), rng.randrange(0, 0x250), rng.randrange(0x2000, 0x3000))))
        for _ in range(rng.randrange(1, 20))
    ]
    return "".join(letters)


def anything(rng: Random) -> object:
    """A plain value of any kind."""
    return rng.choice((integer, number, text, lambda r: r.choice(OBJECTS)))(rng)


def plain(rng: Random) -> object:
    """One that JSON, YAML and TOML can hold (nearly all)."""
    value = anything(rng)
    return "bytes" if isinstance(value, bytes | complex | tuple) else value


def literal(rng: Random) -> str:
    """A value as a person types it: mostly a number."""
    draw = rng.random()
    if draw < 0.35:
        return str(integer(rng))
    if draw < 0.7:
        return repr(number(rng))
    if draw < 0.8:
        return rng.choice(
            (
                "True",
                "False",
                "None",
                "[]",
                "(1, 2)",
                "{}",
                "'a'",
                "x",
                "1e999",
                "-1e999",
                "1" * 5000,
                "0b1",
                "1_0",
                "...",
                "lambda: 1",
                "1 if 1 else 2",
                "[1]*9",
                "9**9**9",
                "(28, 28, 1)",
                "-" * 300 + "1",
                "'" + "a" * 3000 + "'",
            )
        )
    return text(rng)
