"""Mistakes that a user can mend: one sentence that says what is wrong and what to do."""

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)


class InputError(ValueError):
    """The input cannot be used as it is. The command line prints it and exits with 2."""


def unknown(kind: str, name: object, known: Iterable[str]) -> InputError:
    """An error that lists the known names and points at the nearest one."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=0.5)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return InputError(f"Unknown {kind} '{name}'.{hint} Known: {', '.join(names)}.")


def validated(model: type[M], fields: Mapping[str, object]) -> M:
    """A description made from its fields, or one sentence about the first field that is wrong."""
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors()[0]
        what = first["msg"].removeprefix("Value error, ")
        if first["type"] == "value_error":  # our own sentence, from a validator
            raise InputError(what) from None
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            raise InputError(f"{where} is missing.") from None
        raise InputError(f"{where} = {first['input']!r} is not possible: {what}.") from None
