"""Names with arguments, as text: ``"hard(d=20, k=3)"`` becomes ``("hard", {"d": 20, "k": 3})``."""

import ast
from collections.abc import Mapping

import numpy as np

from kernelgap.errors import InputError


def parse_call(text: str) -> tuple[str, dict[str, object]]:
    """Split ``name`` or ``name(key=literal, ...)``; nothing in the text is executed."""
    advice = f"'{text}' is not a name or a call such as hard(d=20, k=3)."
    if "(" not in text:
        return text.strip(), {}
    name, _, arguments = text.strip().partition("(")
    try:
        call = ast.parse(f"f({arguments}", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise InputError(advice) from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise InputError(advice)
    values: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in values:
            raise InputError(advice)
        try:
            values[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError as error:
            raise InputError(f"In '{text}' the value of {keyword.arg} is not a plain number or text.") from error
    return name.strip(), values


def format_call(name: str, arguments: Mapping[str, object]) -> str:
    """The text that ``parse_call`` reads back; arguments in alphabetical order."""
    plain = {key: value.item() if isinstance(value, np.generic) else value for key, value in arguments.items()}
    inside = ", ".join(f"{key}={value!r}" for key, value in sorted(plain.items()))
    return f"{name}({inside})" if inside else name
