"""Names with arguments, as text: ``"hard(d=20, k=3)"`` becomes ``("hard", {"d": 20, "k": 3})``."""

import ast
from collections.abc import Mapping

import numpy as np

from kernelgap.errors import InputError, short

LONGEST = 20_000  # characters of a text
LARGEST = 10**18  # whole number in a text


def parse_expression(text: str) -> ast.expr:
    """The text as Python's syntax, nothing of it executed; a ValueError if it is none, or nested beyond reason."""
    if len(text) > LONGEST:
        raise ValueError(f"a text has at most {LONGEST:,} characters")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError("no expression") from error


def literal(node: ast.expr) -> object:
    """A number, a text, or a list of these; a ValueError for anything else, and for numbers beyond ``LARGEST``."""
    try:
        value = ast.literal_eval(node)
    except (TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError("no plain value") from error
    _check_sizes(value)
    return value


def _check_sizes(value: object) -> None:
    if isinstance(value, int) and abs(value) > LARGEST:
        raise InputError(f"Whole numbers in a text go up to {LARGEST:,}, and one there is larger: give a smaller one.")
    parts = value.items() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
    for part in parts:
        _check_sizes(part)


def parse_call(text: str) -> tuple[str, dict[str, object]]:
    """Split ``name`` or ``name(key=literal, ...)``; nothing in the text is executed."""
    if not isinstance(text, str):
        raise InputError(f"A text such as hard(d=20, k=3) is wanted, not {type(text).__name__}.")
    advice = f"'{short(text)}' is not a name or a call such as hard(d=20, k=3)."
    if "(" not in text:
        return text.strip(), {}
    name, _, arguments = text.strip().partition("(")
    try:
        call = parse_expression(f"f({arguments}")
    except ValueError as error:
        raise InputError(advice) from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise InputError(advice)
    values: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in values:
            raise InputError(advice)
        try:
            values[keyword.arg] = literal(keyword.value)
        except InputError:
            raise
        except ValueError as error:
            where = f"In '{short(text)}' the value of {short(keyword.arg)}"
            raise InputError(f"{where} is not a plain number or text.") from error
    return name.strip(), values


def format_call(name: str, arguments: Mapping[str, object]) -> str:
    """The text that ``parse_call`` reads back; arguments in alphabetical order."""
    plain = {key: value.item() if isinstance(value, np.generic) else value for key, value in arguments.items()}
    inside = ", ".join(f"{key}={value!r}" for key, value in sorted(plain.items()))
    return f"{name}({inside})" if inside else name
