"""Mistakes that a user can correct: one sentence that says what is wrong and what to do."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)
LONGEST = 100  # characters of a value that a sentence repeats
NEAR = 0.6  # the share of letters that a name and what was meant have in common
_UNPRINTABLE = re.compile(  # what a terminal may obey, and what no picture or file in UTF-8 can hold
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


class InputError(ValueError):
    """The input cannot be used as it is. The command line prints it and exits with 2.

    It is one line: line breaks within names and labels that it repeats become spaces.
    """

    def __init__(self, sentence: str = "") -> None:
        super().__init__(" ".join(str(sentence).splitlines()))


def shown(value: object) -> str:
    """A value as a sentence repeats it, whatever it is: its start if it is long."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        text = "a number of thousands of digits"
    except RecursionError:
        text = f"a deeply nested {type(value).__name__}"
    return short(text)


def short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 20]} ... ({len(text):,} characters)"


def printable(text: str) -> str:
    """A text whose control characters and surrogates are written as Python writes them: ``\\x1b``."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def check_printable(text: str) -> str:
    """A text without control characters and surrogates, or one sentence about the first."""
    if found := _UNPRINTABLE.search(text):
        raise InputError(f"'{short(printable(text))}' holds the character {printable(found[0])}: write it without.")
    return text


def unknown(kind: str, name: object, known: Iterable[str]) -> InputError:
    """An error that lists the known names and points at the nearest one, if one is near.

    >>> unknown("experiment", "fig2c", ["fig1", "fig2a"])
    InputError("Unknown experiment 'fig2c'. Did you mean 'fig2a'? Known: fig1, fig2a.")
    >>> unknown("experiment", "fig9", ["fig1", "fig2a"])
    InputError("Unknown experiment 'fig9'. Known: fig1, fig2a.")
    """
    names = sorted(known)
    given = short(name) if isinstance(name, str) else shown(name)
    numbers = re.findall(r"\d+", given)  # another number is another thing, not a slip of the finger
    same = [n for n in names if not numbers or re.findall(r"\d+", n) in (numbers, [])]
    near = difflib.get_close_matches(given.lower(), same, n=1, cutoff=NEAR)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return InputError(f"Unknown {kind} '{given}'.{hint} Known: {', '.join(names)}.")


def validated(model: type[M], fields: Mapping[str, object]) -> M:
    """A description made from its fields, or one sentence about the first field that is wrong."""
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        raise InputError(first_mistake(error)) from None


def first_mistake(error: ValidationError) -> str:
    """What is wrong with the first field that is."""
    first = error.errors(include_url=False)[0]
    what = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error":  # our own sentence, from a validator
        return what
    where = short(".".join(str(part) for part in first["loc"]))
    if first["type"] == "missing":
        return f"{where} is missing."
    value = shown(first["input"])
    return f"{where} = {value} is not possible: {what}." if where else f"{value} is not possible: {what}."
