"""Descriptions as text. What trials have in common is written out once for all of them."""

import hashlib
import json
from collections.abc import Callable
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel


class Searched(BaseModel):
    """A description of which some fields differ between the trials of a chunk.

    They are finite numbers, and which of them are possible does not depend on the other fields.
    """

    searched: ClassVar[tuple[str, ...]]


class Written(NamedTuple):
    """The common part as canonical JSON, and a whole trial as canonical JSON and as JSON in the order of its fields.

    The latter two have %(name)s for each number that is searched.
    """

    common: str
    canonical: str
    whole: str


def written(trial: Searched) -> Written:
    kind = type(trial)
    return _written(kind, _common(kind)(trial.__dict__))


def numbers(trial: Searched) -> dict[str, str]:
    """What is searched, as JSON writes it."""
    values = trial.__dict__
    return {name: _number(values[name]) for name in trial.searched}


def digest(description: object) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the description's canonical JSON."""
    return digest_of(_canonical_json(description))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _names(kind: type[Searched]) -> tuple[str, ...]:
    return tuple(name for name in kind.model_fields if name not in kind.searched)


@cache
def _common(kind: type[Searched]) -> Callable[[dict[str, Any]], tuple[object, ...]]:
    return itemgetter(*_names(kind))


@lru_cache(maxsize=4096)
def _written(kind: type[Searched], values: tuple[object, ...]) -> Written:
    fields: dict[str, Any] = dict(zip(_names(kind), values, strict=True))
    plain = kind.model_construct(**fields).model_dump(mode="json", exclude=set(kind.searched))
    marks = {name: f"\0{name}" for name in kind.searched}  # in no description
    whole = {name: marks.get(name, plain.get(name)) for name in kind.model_fields}
    return Written(_canonical_json(plain), *(_template(encode(whole), marks) for encode in (_canonical_json, _json)))


def _template(text: str, marks: dict[str, str]) -> str:
    text = text.replace("%", "%%")
    for name, mark in marks.items():
        text = text.replace(json.dumps(mark), f"%({name})s")
    return text


def _number(value: float) -> str:
    return repr(value) if type(value) is float else _canonical_json(value)


_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
